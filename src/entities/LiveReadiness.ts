import { Context, Effect, Layer, Option } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import { RegisteredSoftware } from "../documents/Software.ts"
import { Authority } from "../outbound/Authority.ts"
import type { RequestContext } from "../protocol/AccountEntity.ts"
import { Accounts } from "../store/Accounts.ts"
import { Certificates, type CurrentCertificate } from "../store/Certificates.ts"
import { IdempotencyKeys } from "../store/IdempotencyKeys.ts"
import { optionalClaim } from "./AccountWork.ts"

/** Whether an account may issue live documents: it needs an issuer and a certificate, and the service software and an authority for it. */
export class LiveReadiness extends Context.Service<
  LiveReadiness,
  {
    /**
     * Lets a request that issues documents pass, or fails with `account_not_live` and all that is missing. What was answered
     * before is answered again.
     */
    readonly before: <A>(
      of: AccountMode,
      context: RequestContext,
      request: Effect.Effect<A, ApiError>
    ) => Effect.Effect<A, ApiError>
  }
>()("folio/entities/LiveReadiness") {
  static readonly layer = Layer.effect(
    LiveReadiness,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const authority = yield* Authority
      const certificates = yield* Certificates
      const keys = yield* IdempotencyKeys
      const software = yield* RegisteredSoftware

      const ofService = [
        ...(software.live === undefined
          ? ["the service has no registered software (its operator sets SOFTWARE_ID, SOFTWARE_PIN and SOFTWARE_NIT)"]
          : []),
        ...(authority.servesLive === false
          ? ["the service knows no live authority (its operator sets AUTHORITY_URL)"]
          : [])
      ]

      const before: LiveReadiness["Service"]["before"] = (of, context, request) =>
        of.livemode
          ? Effect.gen(function* () {
              const { issuer } = yield* accounts.get(of)
              const lack = certificateLack(yield* certificates.current(of.account_id))
              const missing = [...(issuer === null ? [issuerLack] : []), ...(lack === null ? [] : [lack]), ...ofService]
              if (missing.length === 0) return yield* request
              const claim = optionalClaim(context)
              if (claim !== null && Option.isSome(yield* keys.lookup(claim))) return yield* request
              return yield* new ApiError({
                code: "account_not_live",
                message: `Nothing can be issued with a live key yet: ${missing.join("; ")}.`
              })
            })
          : request

      return LiveReadiness.of({ before })
    })
  )
}

/** What is wrong with a live mode whose issuer nobody has sent. */
export const issuerLack = "the account has no live issuer (send all of its data to PATCH /v1/account with a live key)"

const upload = "POST /v1/account/certificate"

/** What is wrong with the certificate that an account has, or has not; null when it can sign. */
export const certificateLack = (found: Option.Option<CurrentCertificate>): string | null => {
  if (Option.isNone(found)) return `the account has no signing certificate (send one to ${upload})`
  const { is_valid, not_after } = found.value
  return is_valid
    ? null
    : `the account's signing certificate expired on ${not_after.toISOString().slice(0, 10)} (send its successor to ${upload})`
}
