import { Clock, Effect, Option, type Redacted } from "effect"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { AccountId } from "../../../schemas/Id.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"
import { readPkcs12 } from "../../documents/signature/Pkcs12.ts"
import * as AccountTurns from "../../runtime/turns/AccountTurns.ts"
import { withDeadline } from "../../runtime/PortCall.ts"
import { noSignature, Signing } from "../../invoices/Signing.ts"
import { SigningUnavailable } from "../../documents/signature/Certificate.ts"
import * as ShownAccounts from "../ShownAccounts.ts"
import { Accounts } from "../store/Accounts.ts"
import { Certificates, type CurrentCertificate } from "../store/Certificates.ts"
import { Ids } from "../../database/Ids.ts"
import * as Command from "../Command.ts"

/** The error for a test key in a request that needs a live key. */
export const liveKeyNeeded = (what: string) =>
  new ApiError({
    code: "account_not_live",
    message: `${what} Send this request with a live key, sk_live_….`
  })

/** The limits of reading certificate files: two at a time in this process, one for each account. */
const reading: AccountTurns.TurnOptions = {
  what: "certificate",
  atOnce: 2,
  ofOwnerAtOnce: 1,
  waiting: { ofAsker: 3, ofOwner: 3, inAll: 32 },
  maxWait: "4 seconds"
}

// Shorter than a request's wait for its actor.
const signerTimeoutMs = 7_000

const noSigner = new SigningUnavailable({ message: `no response within ${signerTimeoutMs / 1_000} s` })

/** The command that uploads the signing certificate of a live account. */
export const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const certificates = yield* Certificates
  const ids = yield* Ids
  const shown = yield* ShownAccounts.make
  const signing = yield* Signing
  const inTurn = AccountTurns.make(reading)

  /** The PEM text to store. Fails if no signer has the key of the certificate. */
  const checked = (account_id: AccountId, pem: Redacted.Redacted<string>) =>
    withDeadline(signing.checkSigner(account_id, pem), signerTimeoutMs, () => Effect.fail(noSigner)).pipe(
      Effect.catchTags({
        SigningRefused: ({ message }) =>
          Effect.fail(ApiError.fromViolations([violation("pkcs12", "parameter_invalid", message, "certificate")])),
        SigningUnavailable: (error) => Effect.fail(noSignature(error))
      })
    )

  const UploadCertificate = Command.alone("UploadCertificate", {
    // A PKCS #12 file may take long to open.
    isBeforeLong: true,
    before: function* (account, { context, request }) {
      if (!account.livemode) return yield* liveKeyNeeded("Test documents are signed with the sandbox's certificate.")
      const now = yield* Clock.currentTimeMillis
      const read = Effect.mapError(readPkcs12(request, now), (fault) => ApiError.fromViolations([fault]))
      const { pem, ...identity } = yield* inTurn({ owner: account.account_id, asker: context.api_key_id }, read)
      return {
        pem: yield* checked(account.account_id, pem),
        identity,
        now,
        holder: yield* accounts.get(account),
        beside: yield* shown.beside(account)
      }
    },
    run: function* ({ account_id }, _payload, { beside, holder, identity, now, pem }) {
      const id = yield* ids.certificate
      const certificate: CurrentCertificate = {
        account_id,
        id,
        ...identity,
        created_at: new Date(now),
        is_valid: true
      }
      const { is_valid: _valid, ...stored } = certificate
      yield* certificates.insert(stored, pem)
      return {
        answer: Command.ok(shown.view(holder, { ...beside, certificate: Option.some(certificate) })),
        audit: [["certificate.uploaded", id, { subject: identity.subject }]],
        after: certificates.forget(account_id)
      }
    }
  })

  return { UploadCertificate }
})
