import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Account, AccountMode, AccountUpdate } from "../../../../schemas/Account.ts"
import type { PageRequest } from "../../../../schemas/Page.ts"
import * as ShownAccounts from "../../../accounts/ShownAccounts.ts"
import { usageDays } from "../../../accounts/rules/UsageDays.ts"
import { Accounts } from "../../../accounts/store/Accounts.ts"
import { type AccountFilter, Platforms } from "../../../accounts/store/Platforms.ts"
import { Api } from "../../../api/Api.ts"
import { CurrentPrincipal } from "../../../api/Authorization.ts"
import { NationalProfile } from "../../../documents/NationalProfile.ts"
import { makeAsk } from "../../request/Ask.ts"
import { pageRequest } from "../../request/Paging.ts"
import { withBody } from "../../request/Pipeline.ts"

/** The number of accounts that a page with `live_ready` reads with the same statements. */
const readTogether = 500

interface Found {
  readonly has_more: boolean
  readonly accounts: ReadonlyArray<Account>
}

/** Makes the reader of a platform's accounts, as the API shows them. */
const makeReaders = Effect.gen(function* () {
  const accounts = yield* Accounts
  const platforms = yield* Platforms
  const shown = yield* ShownAccounts.make

  const view = Effect.fnUntraced(function* (account: AccountMode) {
    const beside = yield* shown.beside(account)
    return shown.view(yield* accounts.get(account), beside)
  })
  const read = Effect.fnUntraced(function* (platform: AccountMode, page: PageRequest, filter: AccountFilter) {
    const { has_more, rows } = yield* platforms.list(platform, page, filter)
    const found = yield* shown.many(
      rows.map(({ id }) => id),
      platform.livemode
    )
    return { has_more, accounts: found } satisfies Found
  })

  /** A page of the accounts that are ready or not. No column has this state, so this reads more than it returns. */
  const readReady = Effect.fnUntraced(function* (
    platform: AccountMode,
    page: PageRequest,
    filter: AccountFilter,
    isReady: boolean
  ) {
    const isBackwards = page.cursor?.direction === "before"
    let found: ReadonlyArray<Account> = []
    let next: PageRequest = { ...page, limit: readTogether }
    let rest = true
    while (rest && found.length <= page.limit) {
      const { accounts: all, has_more } = yield* read(platform, next, filter)
      const fitting = all.filter(({ live }) => live.ready === isReady)
      found = isBackwards ? [...fitting, ...found] : [...found, ...fitting]
      const last = isBackwards ? all[0] : all.at(-1)
      rest = has_more && last !== undefined
      next =
        last === undefined ? next : { ...next, cursor: { direction: isBackwards ? "before" : "after", id: last.id } }
    }
    const shownOnes = isBackwards ? found.slice(-page.limit) : found.slice(0, page.limit)
    return { has_more: rest || found.length > page.limit, accounts: shownOnes } satisfies Found
  })
  return { read, readReady, view }
})

/** The routes of a platform. For a path with an id, the principal is already that of the account. */
export const layer = HttpApiBuilder.group(
  Api,
  "accounts",
  Effect.fn(function* (handlers) {
    const ask = yield* makeAsk
    const { localDate } = yield* NationalProfile
    const platforms = yield* Platforms
    const { read, readReady, view } = yield* makeReaders

    const setStatus = (status: "active" | "suspended" | "closed", reason: string | null) =>
      ask((actor, context) => actor.SetAccountStatus({ context, status, reason }))

    return withBody(handlers).handleAll({
      createAccount: ({ payload }) => ask((actor, context) => actor.CreateAccount({ context, request: payload })),
      listAccounts: Effect.fn("listAccounts")(function* ({ query }) {
        const platform = yield* CurrentPrincipal
        const { identification, live_ready, status = null, ...cursors } = query
        const [, type = "", number = ""] = /^(\d{2})-(.*)$/.exec(identification ?? "") ?? []
        const filter = { status, search: null, identification: identification === undefined ? null : { type, number } }
        const page = yield* pageRequest(cursors)
        const { accounts: data, has_more } = yield* live_ready === undefined
          ? read(platform, page, filter)
          : readReady(platform, page, filter, live_ready === "true")
        return { object: "list" as const, url: "/v1/accounts", has_more, data }
      }),
      retrievePlatformAccount: () => Effect.flatMap(CurrentPrincipal, view),
      updatePlatformAccount: ({ payload }: { readonly payload: AccountUpdate }) =>
        ask((actor, context) => actor.UpdateAccount({ context, patch: payload })),
      suspendAccount: ({ payload }) => setStatus("suspended", payload.reason),
      resumeAccount: () => setStatus("active", null),
      closeAccount: ({ payload }) => setStatus("closed", payload.reason),
      retrieveUsage: Effect.fn("retrieveUsage")(function* ({ query }) {
        const account = yield* CurrentPrincipal
        const { from, to } = yield* Effect.fromResult(usageDays(query, localDate(yield* Clock.currentTimeMillis)))
        const days = yield* platforms.usage(account, from, to)
        return { object: "usage" as const, livemode: account.livemode, from, to, days }
      }),
      createAccountApiKey: ({ payload }) => ask((actor, context) => actor.CreateApiKey({ context, request: payload }))
    })
  })
)
