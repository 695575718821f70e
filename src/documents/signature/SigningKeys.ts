import { Context, Effect, Layer, Redacted, Schema } from "effect"
import type { AccountId } from "../../../schemas/Id.ts"
import { type Certificate, fromPem, type SigningUnavailable } from "./Certificate.ts"

/** A signing certificate of a live account, as uploaded. */
export interface AccountCertificate {
  readonly account_id: AccountId
  /** DER in base64. */
  readonly certificate: string
  /** PEM: the certificate, then the certificates of its issuers, as far as the file holds them. */
  readonly chain: string
  /** PEM: the private key. Null if the file holds none, or if `signer` signed without it at the upload. */
  readonly key: Redacted.Redacted<string> | null
}

/**
 * Rejection of a certificate with which the port can't sign. `message` names the fix: at an upload, the client gets it
 * as the error of `pkcs12`. A document of a certificate that is already stored waits, as after `SigningUnavailable`.
 */
export class SigningRefused extends Schema.TaggedError<SigningRefused>()("SigningRefused", {
  message: Schema.String
}) {}

const noKey = new SigningRefused({
  message: "pkcs12 holds no RSA private key: export the certificate together with its key."
})

/**
 * The private keys of live accounts. Their signatures sign documents and identify accounts to the authority.
 *
 * Folio stores the certificates, and shows and reports them, wherever their keys are. Folio stores a key only if
 * `signer` returns a `Certificate` of `fromPem`. For any other signer, a client uploads a PKCS#12 file without a key.
 * Folio then asks for one signature at the upload, waits at most 15 s for each signature, and verifies each signature
 * against the certificate.
 */
export class SigningKeys extends Context.Service<
  SigningKeys,
  {
    /**
     * The signer with the key of a certificate. Folio calls `signer` at the upload, and once per process for each
     * certificate. Folio uses only `sign` of the result, for many documents concurrently.
     */
    readonly signer: (
      certificate: AccountCertificate
    ) => Effect.Effect<Certificate, SigningRefused | SigningUnavailable>
  }
>()("@folio-einvoicing/service/SigningKeys") {
  /** Signs in this process with the uploaded keys, which the database stores encrypted. */
  static readonly layer = Layer.succeed(SigningKeys, {
    signer: ({ chain, key }) =>
      key === null ? Effect.fail(noKey) : Effect.sync(() => fromPem(Redacted.value(key) + chain))
  })
}
