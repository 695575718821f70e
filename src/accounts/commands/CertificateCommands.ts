import { Clock, Effect, Option } from "effect"
import { ApiError } from "../../../schemas/ApiError.ts"
import { readPkcs12 } from "../../documents/signature/Pkcs12.ts"
import * as AccountTurns from "../../runtime/turns/AccountTurns.ts"
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

/** The command that uploads the signing certificate of a live account. */
export const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const certificates = yield* Certificates
  const ids = yield* Ids
  const shown = yield* ShownAccounts.make
  const inTurn = AccountTurns.make(reading)

  const UploadCertificate = Command.alone("UploadCertificate", {
    // A PKCS #12 file may take long to open.
    isBeforeLong: true,
    before: function* (account, { context, request }) {
      if (!account.livemode) return yield* liveKeyNeeded("Test documents are signed with the sandbox's certificate.")
      const now = yield* Clock.currentTimeMillis
      const read = Effect.mapError(readPkcs12(request, now), (violation) => ApiError.fromViolations([violation]))
      const { pem, ...identity } = yield* inTurn({ owner: account.account_id, asker: context.api_key_id }, read)
      return { pem, identity, now, holder: yield* accounts.get(account), beside: yield* shown.beside(account) }
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
