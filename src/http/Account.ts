import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import { Accounts, accountView } from "../store/Accounts.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "account",
  Effect.fn(function* (handlers) {
    const accounts = yield* Accounts
    return handlers.handleAll({
      retrieveAccount: Effect.fn("retrieveAccount")(function* () {
        const { account_id, livemode } = yield* CurrentPrincipal
        return accountView(yield* accounts.get(account_id), livemode ? "live" : "test")
      })
    })
  })
)
