import { Effect, Schema } from "effect"
import { type KeyObject, verify, X509Certificate } from "node:crypto"
import { canonicalJson } from "../domain/Fingerprint.ts"
import type { Certificate } from "./Certificate.ts"
import { FiscalDocument } from "./FiscalDocument.ts"

const Parts = Schema.fromJsonString(
  Schema.Struct({ certificate: Schema.String, document: FiscalDocument, signature: Schema.String })
)

/**
 * The bytes of a signed document: canonical JSON (RFC 8785) of the content, the certificate, and their RSA-SHA256 signature.
 * The same content gives the same bytes.
 */
export const signDocument = Effect.fn("signDocument")(function* (content: FiscalDocument, certificate: Certificate) {
  const signed = canonicalJson({ certificate: certificate.certificate, document: content })
  const signature = Buffer.from(yield* certificate.sign(Buffer.from(signed)))
  return new Uint8Array(Buffer.from(`${signed.slice(0, -1)},"signature":"${signature.toString("base64")}"}`))
})

// One certificate signs thousands of documents, and to parse it takes longer than to verify with it.
let known: { readonly certificate: string; readonly key: KeyObject } | undefined
const publicKeyOf = (certificate: string): KeyObject | undefined => {
  if (known?.certificate === certificate) return known.key
  try {
    known = { certificate, key: new X509Certificate(Buffer.from(certificate, "base64")).publicKey }
    return known.key
  } catch {
    return undefined
  }
}

/** The content of signed bytes; null when they cannot be read or their signature does not verify. */
export const readSignedDocument = (signed: Uint8Array): FiscalDocument | null => {
  const parts = Schema.decodeOption(Parts)(Buffer.from(signed).toString())
  if (parts._tag === "None") return null
  const { certificate, document, signature } = parts.value
  const key = publicKeyOf(certificate)
  const claimed = Buffer.from(signature, "base64")
  if (key === undefined || claimed.toString("base64") !== signature) return null
  return verify("sha256", Buffer.from(canonicalJson({ certificate, document })), key, claimed) ? document : null
}
