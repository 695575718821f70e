import { hash, type KeyObject, X509Certificate } from "node:crypto"

/** The properties of a certificate that a signature contains, and the public key that verifies the signature. */
export interface KnownCertificate {
  /** The certificate as written in the document: DER in base64. */
  readonly der: string
  /** The SHA-256 of the certificate's DER, in base64. */
  readonly digest: string
  /** The issuer's name as in RFC 2253: the most specific part first. */
  readonly issuer: string
  /** The serial number in decimal digits. */
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

// Parsed certificates are cached: a certificate signs thousands of documents, and parsing takes longer than verifying a
// signature.
const rememberedMax = 100
const remembered = new Map<string, KnownCertificate>()

/** Parses a certificate (DER in base64); null if the text is not a certificate or the key is not an RSA key. */
export const knownCertificate = (der: string): KnownCertificate | null => {
  const known = remembered.get(der) ?? read(der)
  if (known === null) return null
  if (!remembered.has(der) && remembered.size >= rememberedMax) remembered.delete(remembered.keys().next().value ?? "")
  remembered.set(der, known)
  return known
}
