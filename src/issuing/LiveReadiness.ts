import { Context, Effect, Layer } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import { NationalProfile } from "../documents/NationalProfile.ts"
import { Authority } from "../outbound/authority/Authority.ts"
import { Accounts } from "../store/accounts/Accounts.ts"
import { Certificates } from "../store/accounts/Certificates.ts"
import { lacksToIssue, offeredBy } from "./accounts/LiveSteps.ts"

/** Whether an account may issue live: it needs a whole issuer, a certificate and a software; the service, an authority. */
export class LiveReadiness extends Context.Service<LiveReadiness>()("folio/issuing/LiveReadiness", {
  make: Effect.gen(function* () {
    const accounts = yield* Accounts
    const certificates = yield* Certificates
    const offered = offeredBy(yield* NationalProfile, yield* Authority)

    /** Fails with `account_not_live` and all that is missing before the account can issue documents. */
    const check = Effect.fnUntraced(function* (account: AccountMode) {
      if (!account.livemode) return
      const { issuer, software } = yield* accounts.get(account)
      const certificate = yield* certificates.current(account.account_id)
      const lacks = lacksToIssue(offered, { issuer, certificate, has_software: software !== null })
      if (lacks.length === 0) return
      return yield* new ApiError({
        code: "account_not_live",
        message: `Nothing can be issued with a live key yet: ${lacks.map(({ phrase }) => phrase).join("; ")}.`
      })
    })

    return { check }
  })
}) {
  static readonly layer = Layer.effect(LiveReadiness, LiveReadiness.make)
}
