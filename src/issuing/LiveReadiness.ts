import { Context, Effect, Layer, Option } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import { NationalProfile } from "../documents/NationalProfile.ts"
import { Authority } from "../outbound/authority/Authority.ts"
import { Accounts } from "../store/accounts/Accounts.ts"
import { Certificates, type CurrentCertificate } from "../store/accounts/Certificates.ts"

/** Whether an account may issue live: it needs a whole issuer and a certificate; the service, an authority and what its profile needs. */
export class LiveReadiness extends Context.Service<LiveReadiness>()("folio/issuing/LiveReadiness", {
  make: Effect.gen(function* () {
    const accounts = yield* Accounts
    const authority = yield* Authority
    const certificates = yield* Certificates
    const { lacks, lacksOf = () => [] } = yield* NationalProfile

    const lacksOfService = [
      ...lacks,
      authority.servesLive === false ? "the service knows no live authority (its operator sets AUTHORITY_URL)" : null
    ]

    /** Fails with `account_not_live` and all that is missing before the account can issue documents. */
    const check = Effect.fnUntraced(function* (account: AccountMode) {
      if (!account.livemode) return
      const { issuer } = yield* accounts.get(account)
      const lack = certificateLack(yield* certificates.current(account.account_id))
      const missing = [...(issuer === null ? [issuerLack] : lacksOf(issuer)), lack, ...lacksOfService].filter(
        (one) => one !== null
      )
      if (missing.length === 0) return
      return yield* new ApiError({
        code: "account_not_live",
        message: `Nothing can be issued with a live key yet: ${missing.join("; ")}.`
      })
    })

    return { check }
  })
}) {
  static readonly layer = Layer.effect(LiveReadiness, LiveReadiness.make)
}

/** What an account lacks whose live issuer was never sent. */
export const issuerLack = "the account has no live issuer (send all of its data to PATCH /v1/account with a live key)"

const upload = "POST /v1/account/certificate"

/** What an account lacks to sign: it has no certificate, or an expired certificate; null when the account can sign. */
export const certificateLack = (found: Option.Option<CurrentCertificate>): string | null => {
  if (Option.isNone(found)) return `the account has no signing certificate (send one to ${upload})`
  const { is_valid, not_after } = found.value
  return is_valid
    ? null
    : `the account's signing certificate expired on ${not_after.toISOString().slice(0, 10)} (send its successor to ${upload})`
}
