import { Schema } from "effect"

const fileMax = 65_536

/** A signing certificate with its key, as authorities of certification give it out. */
export class CertificateRequest extends Schema.Opaque<CertificateRequest>()(
  Schema.Struct({
    pkcs12: Schema.String.check(
      Schema.isMinLength(1, { message: "must not be empty", errorCode: "parameter_invalid_empty" }),
      Schema.isMaxLength(fileMax, {
        message: `must be at most ${fileMax} characters long: one certificate, its key and its chain`,
        errorCode: "parameter_too_long"
      }),
      Schema.isPattern(/^[A-Za-z0-9+/\r\n]+={0,2}[\r\n]*$/u, { message: "must be the bytes of the file in base64" })
    ).annotateKey({
      description: "The bytes of the PKCS#12 file (.p12 or .pfx) in base64.",
      examples: ["MIIKPAIBAzCCCfIGCSqGSIb3DQEHAaCCCeMEggnf"]
    }),
    password: Schema.String.check(
      Schema.isMaxLength(256, { message: "must be at most 256 characters long", errorCode: "parameter_too_long" })
    ).annotateKey({ description: "What the file is protected with.", examples: ["the file's password"] })
  }).annotate({
    identifier: "CertificateRequest",
    description: "A signing certificate with its key, in a PKCS#12 file."
  })
) {}
