import { Context, Effect, Schema } from "effect"
import forge from "node-forge"
import { constants, createPrivateKey, generateKeyPair, sign, X509Certificate } from "node:crypto"
import { promisify } from "node:util"

/**
 * Failure to sign: the signer doesn't respond, rejects the call or returns no valid signature. The document waits, and
 * Folio signs it later. The account reads `message`, which must contain no secret.
 */
export class SigningUnavailable extends Schema.TaggedError<SigningUnavailable>()("SigningUnavailable", {
  message: Schema.String
}) {}

/** A certificate that signs documents. Only `sign` has the private key, so the key may be in a file or in a device. */
export interface Certificate {
  /** DER in base64. */
  readonly certificate: string
  /**
   * Makes the RSA-SHA256 signature (PKCS #1 v1.5) of `bytes`. Folio waits at most 15 s for a signature, and verifies
   * it. If `fromPem` made the certificate, Folio waits without limit and verifies nothing.
   */
  readonly sign: (bytes: Uint8Array) => Effect.Effect<Uint8Array, SigningUnavailable>
}

/** A certificate whose key is in the memory of this process. */
export interface LocalCertificate extends Certificate {
  readonly sign: (bytes: Uint8Array) => Effect.Effect<Uint8Array>
}

/** The certificate that signs test documents. Live documents are signed with the account's registered certificate. */
export class SandboxCertificate extends Context.Service<SandboxCertificate, Certificate>()(
  "@folio-einvoicing/service/SandboxCertificate"
) {}

const validYears = 10

/**
 * Makes an RSA key of 2048 bits and a self-signed certificate for ten years, as PEM text (key first). The certificate
 * proves no identity, and is for tests.
 */
export const makeSelfSigned = (commonName: string, now: Date): Effect.Effect<string> =>
  Effect.promise(async () => {
    const { privateKey } = await promisify(generateKeyPair)("rsa", {
      modulusLength: 2048,
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
      publicKeyEncoding: { type: "spki", format: "pem" }
    })
    const key = forge.pki.privateKeyFromPem(privateKey)
    const certificate = forge.pki.createCertificate()
    certificate.publicKey = forge.pki.setRsaPublicKey(key.n, key.e)
    certificate.serialNumber = "01"
    certificate.validity.notBefore = now
    certificate.validity.notAfter = new Date(now.getTime() + validYears * 365 * 86_400_000)
    const name = [{ name: "commonName", value: commonName }]
    certificate.setSubject(name)
    certificate.setIssuer(name)
    certificate.sign(key, forge.md.sha256.create())
    return privateKey + forge.pki.certificateToPem(certificate)
  })

/**
 * The subject of a certificate, in one line.
 *
 * @internal
 */
export const subjectOf = ({ subject }: X509Certificate): string => subject.replaceAll("\n", ", ")

/**
 * The subject of a certificate and the end of its validity; null if the certificate cannot be parsed.
 *
 * @internal
 */
export const describeCertificate = ({ certificate }: Certificate) => {
  try {
    const parsed = new X509Certificate(Buffer.from(certificate, "base64"))
    return { subject: subjectOf(parsed), not_after: parsed.validToDate }
  } catch {
    return null
  }
}

const local = new WeakSet<Certificate>()

/**
 * Whether this process holds the key of a certificate, so that a signature needs no time-out.
 *
 * @internal
 */
export const isLocal = (certificate: Certificate): boolean => local.has(certificate)

/**
 * Reads a private key and the first certificate after it from PEM text, such as the text of `makeSelfSigned`. Throws an
 * `Error` if the text holds no key or no certificate.
 */
export const fromPem = (pem: string): LocalCertificate => {
  const body = /-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/.exec(pem)?.[1]
  if (body === undefined) throw new Error("no certificate in the PEM text")
  const key = { key: createPrivateKey(pem), padding: constants.RSA_PKCS1_PADDING }
  const certificate: LocalCertificate = {
    certificate: body.replaceAll(/\s/g, ""),
    // Signs in the thread pool: on the event loop, the signature would be the longest step of a request.
    sign: (bytes) =>
      Effect.callback((resume) => {
        sign("sha256", bytes, key, (error, signature) =>
          resume(error === null ? Effect.succeed(signature) : Effect.die(error))
        )
      })
  }
  local.add(certificate)
  return certificate
}
