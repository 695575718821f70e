import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { AccountUpdate } from "../../schemas/Account.ts"
import { Api } from "../api/Api.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import { Accounts, accountView } from "../store/Accounts.ts"
import { makeAsk } from "./Ask.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "account",
  Effect.fn(function* (handlers) {
    const accounts = yield* Accounts
    const ask = yield* makeAsk

    const update = ({ payload }: { readonly payload: AccountUpdate }) =>
      ask((account, context) => account.UpdateAccount({ context, patch: payload }))

    return handlers.handleAll({
      retrieveAccount: Effect.fn("retrieveAccount")(function* () {
        const principal = yield* CurrentPrincipal
        return accountView(yield* accounts.read(principal), principal.livemode ? "live" : "test")
      }),
      updateAccount: update,
      updateAccountByPost: update
    })
  })
)
