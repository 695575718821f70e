import { Clock, Effect, Schema } from "effect"
import { AccountStatus } from "../../../schemas/Account.ts"
import { AccountId } from "../../../schemas/Id.ts"
import * as ShownAccounts from "../../accounts/ShownAccounts.ts"
import { type AccountFilter, Platforms } from "../../accounts/store/Platforms.ts"
import { Notices } from "../../operations/store/Notices.ts"
import { Overview, overviewDays } from "../../operations/store/Overview.ts"
import type { Reader } from "../home/Need.ts"
import type { Visit } from "../frame/Visit.ts"
import { type AccountNeed, type FleetAccount, needsOfAccount } from "./AccountNeeds.ts"

const dayMs = 86_400_000

/** The maximum number of accounts that the page reads and sorts together. */
export const fleetMax = 500

/** The orders of the list. */
export const sorts = ["newest", "name", "needs"] as const
type Sort = (typeof sorts)[number]

/** The choices of the list in the query of the page. */
export interface FleetQuery {
  readonly filter: AccountFilter
  /** `ready`: accounts that can issue live documents. `needs`: accounts that need something. Null for all. */
  readonly only: "ready" | "not_ready" | "needs" | null
  readonly sort: Sort
  /** The account after which the list begins; null for the newest accounts. */
  readonly after: AccountId | null
  /** The page of the list, from 1. */
  readonly page: number
}

const oneOf = <A extends string>(all: ReadonlyArray<A>, value: string | null): A | null =>
  all.find((one) => one === value) ?? null

/** Reads the choices. An unknown value means no choice. */
export const fleetQuery = (query: URLSearchParams): FleetQuery => {
  const search = query.get("search")?.trim().slice(0, 100) ?? ""
  const after = query.get("after")
  return {
    filter: {
      status: oneOf(AccountStatus.literals, query.get("status")),
      identification: null,
      // A NIT, as people write it, has dots and a check digit.
      search:
        search === ""
          ? null
          : /^[\d.\s]+(-\d)?$/u.test(search)
            ? search.replace(/-\d$/u, "").replaceAll(/\D/gu, "")
            : search
    },
    only: oneOf(["ready", "not_ready", "needs"] as const, query.get("only")),
    sort: oneOf(sorts, query.get("sort")) ?? "newest",
    after: after !== null && Schema.is(AccountId)(after) ? after : null,
    page: Math.max(1, Math.min(fleetMax, Math.trunc(Number(query.get("page"))) || 1))
  }
}

/** An account in the list. */
export interface FleetRow extends FleetAccount {
  readonly id: string
  readonly needs: ReadonlyArray<AccountNeed>
}

const order: Readonly<Record<Sort, (one: FleetRow, other: FleetRow) => number>> = {
  // The store's order.
  newest: () => 0,
  name: ({ account: one }, { account: other }) => one.name.localeCompare(other.name, "es"),
  needs: ({ needs: one }, { needs: other }) => weight(other) - weight(one)
}
const weight = (needs: ReadonlyArray<AccountNeed>) =>
  needs.length + 10 * needs.filter(({ tone }) => tone === "bad").length

const fits = (only: FleetQuery["only"], { account: { live, status }, needs }: FleetRow): boolean => {
  if (only === null) return true
  if (only === "needs") return needs.length > 0
  return status !== "closed" && live.ready === (only === "ready")
}

/** The accounts of the list in their order. */
export const arranged = (
  reader: Reader,
  accounts: ReadonlyArray<FleetAccount>,
  { only, sort }: Pick<FleetQuery, "only" | "sort">
): ReadonlyArray<FleetRow> =>
  accounts
    .map((one) => ({ ...one, id: one.account.id, needs: needsOfAccount(reader, one) }))
    .filter((row) => fits(only, row))
    .toSorted(order[sort])

/** Makes the reads of a platform's accounts. Each uses the same few statements for any number of accounts. */
export const makeReads = Effect.gen(function* () {
  const notices = yield* Notices
  const overview = yield* Overview
  const platforms = yield* Platforms
  const shown = yield* ShownAccounts.make

  const withProblems = Effect.fnUntraced(function* (ids: ReadonlyArray<AccountId>, livemode: boolean) {
    const accounts = yield* shown.many(ids, livemode)
    const open = Map.groupBy(yield* notices.openOf(ids, livemode), ({ account_id }) => account_id)
    const from = (yield* Clock.currentTimeMillis) - overviewDays * dayMs
    const failed = yield* overview.unacceptedOf(ids, livemode, from)
    const unaccepted = new Map(failed.map((row) => [row.account_id, row.unaccepted]))
    return accounts.map((account): FleetAccount => ({
      account,
      notices: open.get(account.id) ?? [],
      unaccepted: unaccepted.get(account.id) ?? 0
    }))
  })
  return {
    /** The newest accounts that fit the filter, at most `fleetMax`. */
    list: ({ read }: Visit, { after, filter }: FleetQuery) =>
      read(
        Effect.fnUntraced(function* (platform) {
          const cursor = after === null ? null : { direction: "after" as const, id: after }
          const { has_more, rows } = yield* platforms.list(platform, { limit: fleetMax, cursor }, filter)
          const ids = rows.map(({ id }) => id)
          return { rows: yield* withProblems(ids, platform.livemode), has_more, last: ids.at(-1) ?? null }
        })
      ),
    /** An account. The caller has checked that it is an account of the platform. */
    one: ({ read }: Visit, id: AccountId) =>
      read(({ livemode }) => Effect.map(withProblems([id], livemode), ([found]) => found!))
  }
})
export type Reads = Effect.Success<typeof makeReads>
