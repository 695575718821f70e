import { Schema } from "effect"
import { field } from "./Field.ts"
import { atMost, notEmpty } from "./Limits.ts"

const fileMax = 65_536

/** A signing certificate, in the file format that certification authorities use. */
export class CertificateRequest extends Schema.Opaque<CertificateRequest>()(
  Schema.Struct({
    pkcs12: Schema.String.check(
      notEmpty(),
      atMost(fileMax, `must be at most ${fileMax} characters long: one certificate, its key and its chain`),
      Schema.isPattern(/^[A-Za-z0-9+/\r\n]+={0,2}[\r\n]*$/u, { message: "must be the bytes of the file in base64" })
    ).annotateKey({
      description:
        "The bytes of the PKCS#12 file (.p12 or .pfx) in base64. The file holds the certificate and its private key. If this service signs with a key outside its database, the file can hold the certificate alone.",
      examples: ["MIIKPAIBAzCCCfIGCSqGSIb3DQEHAaCCCeMEggnf"]
    }),
    password: field(Schema.String.check(atMost(256)), "The password of the PKCS#12 file.", "the file's password")
  }).annotate({
    identifier: "CertificateRequest",
    description: "A signing certificate, as a PKCS#12 file."
  })
) {}
