import { Clock, Context, Effect, Layer, Option } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import type { CertificateRequest } from "../../schemas/Certificate.ts"
import { readPkcs12 } from "../documents/Pkcs12.ts"
import type { RequestContext } from "../protocol/AccountEntity.ts"
import { Accounts, accountView } from "../store/Accounts.ts"
import { AuditLog } from "../store/AuditLog.ts"
import { Certificates, certificateView } from "../store/Certificates.ts"
import { IdempotencyKeys, type Outcome } from "../store/IdempotencyKeys.ts"
import { Ids } from "../store/Ids.ts"
import { optionalClaim } from "./AccountWork.ts"
import { CommandTurns } from "./CommandTurns.ts"
import * as Turns from "../protocol/AccountTurns.ts"

/** What is asked with a test key and has a meaning for live ones alone. */
export const liveKeyNeeded = (what: string) =>
  new ApiError({
    code: "account_not_live",
    message: `${what} Send this request with a live key, sk_live_….`
  })

/** Files that this process reads at a time, one of an account, and how many may wait. */
const reading: Turns.TurnOptions = {
  what: "certificate",
  atOnce: 2,
  ofOwnerAtOnce: 1,
  waiting: { ofAsker: 3, ofOwner: 3, inAll: 32 },
  patience: "4 seconds"
}

/** What an account's actor does with the certificate that live documents are signed with. */
export class CertificateWork extends Context.Service<
  CertificateWork,
  {
    /** From the next document on, the certificate signs. */
    readonly upload: (
      of: AccountMode,
      context: RequestContext,
      request: CertificateRequest
    ) => Effect.Effect<Outcome, ApiError>
  }
>()("folio/entities/CertificateWork") {
  static readonly layer = Layer.effect(
    CertificateWork,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const audit = yield* AuditLog
      const certificates = yield* Certificates
      const ids = yield* Ids
      const keys = yield* IdempotencyKeys
      const inTurn = Turns.make(reading)
      const turns = yield* CommandTurns

      const upload: CertificateWork["Service"]["upload"] = Effect.fn("CertificateWork.upload")(
        function* (of, context, request) {
          if (!of.livemode) return yield* liveKeyNeeded("Test documents are signed with the sandbox's certificate.")
          const claim = optionalClaim(context)
          const stored = claim === null ? Option.none() : yield* keys.lookup(claim)
          if (Option.isSome(stored)) return { answer: stored.value, replayed: true }
          const now = yield* Clock.currentTimeMillis
          // Before the transaction: a file may take its time to open.
          const read = Effect.mapError(readPkcs12(request, now), (violation) => ApiError.fromViolations([violation]))
          const { pem, ...identity } = yield* inTurn({ owner: of.account_id, asker: context.api_key_id }, read)
          const account = yield* accounts.get(of)
          const insert = Effect.gen(function* () {
            const id = yield* ids.certificate
            const row = { account_id: of.account_id, id, ...identity, created_at: new Date(now) }
            yield* certificates.insert(row, pem)
            yield* audit.record(of, context, "certificate.uploaded", id, { subject: identity.subject })
            const body = JSON.stringify(accountView(account, certificateView(identity)))
            return { status: 200, location: null, body }
          })
          const outcome = yield* turns.inTurn(of, context, keys.once(of, claim, insert))
          yield* certificates.forget(of.account_id)
          return outcome
        }
      )

      return CertificateWork.of({ upload })
    })
  )
}
