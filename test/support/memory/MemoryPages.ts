import type { AccountMode } from "../../../schemas/Account.ts"
import type { PageRequest } from "../../../schemas/Page.ts"
import type { Rows } from "../../../src/database/Pages.ts"
import { isOf } from "./MemoryTables.ts"

/** A page of an account's rows, newest first, as `Pages` reads it. The limit in bytes is tested on PostgreSQL. */
export const pageOf = <Row extends AccountMode & { readonly id: string }, Shown = Row>(
  all: ReadonlyMap<string, Row>,
  account: AccountMode,
  { cursor, limit }: PageRequest,
  fits: (row: Row) => boolean = () => true,
  shown: (row: Row) => Shown = (row) => row as unknown as Shown
): Rows<Shown> => {
  const newestFirst = [...all.values()]
    .filter((row) => isOf(row, account) && fits(row))
    .toSorted((a, b) => (a.id < b.id ? 1 : -1))
  const beyond = newestFirst.filter(
    (row) => cursor === null || (cursor.direction === "after" ? row.id < cursor.id : row.id > cursor.id)
  )
  const backwards = cursor?.direction === "before"
  const nearest = (backwards ? beyond.toReversed() : beyond).slice(0, limit + 1).map(shown)
  const rows = nearest.slice(0, limit)
  return { rows: backwards ? rows.toReversed() : rows, has_more: nearest.length > rows.length }
}
