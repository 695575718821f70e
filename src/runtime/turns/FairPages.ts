import { Effect } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { AccountId } from "../../../schemas/Id.ts"

type Page = ReadonlyArray<Pick<AccountMode, "account_id">>

/** The accounts that own a quarter or more of a page of at most `pageMax` rows. */
const crowding = (page: Page, pageMax: number): ReadonlyArray<AccountId> =>
  [...Map.groupBy(page, ({ account_id }) => account_id)]
    .filter(([, own]) => own.length >= pageMax / 4)
    .map(([account_id]) => account_id)

/**
 * Works on all rows that are due, page by page. `take` skips the accounts that fill much of a page until the rows of
 * all others are done, so that no account waits for another account's backlog.
 */
export const inFairPages = Effect.fnUntraced(function* <Due extends Page, E, R>(
  pageMax: number,
  take: (without: ReadonlyArray<AccountId>) => Effect.Effect<Due, E, R>,
  work: (due: Due) => Effect.Effect<void, E, R>
) {
  let without: ReadonlyArray<AccountId> = []
  for (;;) {
    const due = yield* take(without)
    yield* work(due)
    if (due.length >= pageMax) without = [...without, ...crowding(due, pageMax)]
    else if (without.length === 0) return
    else without = []
  }
})
