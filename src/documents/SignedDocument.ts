import { Effect, Redacted, Schema } from "effect"
import { constants, sign, verify, X509Certificate } from "node:crypto"
import { Issuer } from "../../schemas/Account.ts"
import { OperationType } from "../../schemas/Code.ts"
import { Acquirer } from "../../schemas/Customer.ts"
import { PaymentMeans } from "../../schemas/Invoice.ts"
import { Line, Totals } from "../../schemas/Line.ts"
import { canonicalJson } from "../domain/Fingerprint.ts"
import type { Certificate } from "./Certificate.ts"

/** All that a fiscal document says. */
export class DocumentContent extends Schema.Opaque<DocumentContent>()(
  Schema.Struct({
    full_number: Schema.String,
    cufe: Schema.String,
    issue_date: Schema.String,
    issue_time: Schema.String,
    environment: Schema.Literals(["1", "2"]),
    currency: Schema.String,
    operation_type: OperationType,
    issuer: Issuer,
    acquirer: Acquirer,
    payment_means: PaymentMeans,
    lines: Schema.Array(Line),
    totals: Totals
  })
) {}

const Signature = Schema.Struct({
  algorithm: Schema.Literal("RSA-SHA256"),
  value: Schema.String,
  certificate: Schema.String
})

const Parts = Schema.fromJsonString(Schema.Struct({ document: DocumentContent, signature: Signature }))

// RSA in the thread pool: on the event loop it would be the longest thing a request waits for.
const signBytes = (bytes: Uint8Array, certificate: Certificate) =>
  Effect.callback<Buffer, Error>((resume) => {
    sign(
      "sha256",
      bytes,
      { key: Redacted.value(certificate.key), padding: constants.RSA_PKCS1_PADDING },
      (error, signature) => resume(error === null ? Effect.succeed(signature) : Effect.fail(error))
    )
  })

/**
 * The bytes of a signed document: canonical JSON (RFC 8785) of its content beside an RSA-SHA256 signature of exactly those
 * bytes and the certificate that verifies it. The same content gives the same bytes.
 */
export const signDocument = Effect.fn("signDocument")(function* (content: DocumentContent, certificate: Certificate) {
  const document = canonicalJson(content)
  const value = yield* Effect.orDie(signBytes(Buffer.from(document), certificate))
  const signature = canonicalJson({
    algorithm: "RSA-SHA256",
    certificate: certificate.certificate,
    value: value.toString("base64")
  })
  return new Uint8Array(Buffer.from(`{"document":${document},"signature":${signature}}`))
})

/** The content of signed bytes; null when they cannot be read or their signature does not verify. */
export const readSignedDocument = (signed: Uint8Array): DocumentContent | null => {
  const parts = Schema.decodeOption(Parts)(Buffer.from(signed).toString())
  if (parts._tag === "None") return null
  const { document, signature } = parts.value
  const key = new X509Certificate(Buffer.from(signature.certificate, "base64")).publicKey
  const verified = verify("sha256", Buffer.from(canonicalJson(document)), key, Buffer.from(signature.value, "base64"))
  return verified ? document : null
}
