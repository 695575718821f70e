import { hash, type KeyObject, X509Certificate } from "node:crypto"

/** What a signature says of the certificate it was made with. */
export interface KnownCertificate {
  /** As it stands in the document: DER in base64. */
  readonly der: string
  /** Its SHA-256 in base64. */
  readonly digest: string
  /** RFC 2253: the most particular part first. */
  readonly issuer: string
  /** In decimal digits. */
  readonly serial: string
  readonly key: KeyObject
}

const read = (der: string): KnownCertificate | null => {
  try {
    const bytes = Buffer.from(der, "base64")
    const certificate = new X509Certificate(bytes)
    if (certificate.publicKey.asymmetricKeyType !== "rsa") return null
    return {
      der,
      digest: hash("sha256", bytes, "base64"),
      issuer: certificate.issuer.split("\n").toReversed().join(","),
      serial: BigInt(`0x${certificate.serialNumber}`).toString(),
      key: certificate.publicKey
    }
  } catch {
    return null
  }
}

// One certificate signs thousands of documents, and to parse it takes longer than to verify with it.
const rememberedMax = 100
const remembered = new Map<string, KnownCertificate>()

/** What is known of a certificate in base64; null when it is none, or not one of RSA. */
export const knownCertificate = (der: string): KnownCertificate | null => {
  const known = remembered.get(der) ?? read(der)
  if (known === null) return null
  if (!remembered.has(der) && remembered.size >= rememberedMax) remembered.delete(remembered.keys().next().value ?? "")
  remembered.set(der, known)
  return known
}
