import type { AccountMode } from "../../../schemas/Account.ts"
import { pageBytesMax, type PageRequest } from "../../../schemas/Page.ts"
import { rowBytesExtra, type Rows } from "../../../src/database/Pages.ts"
import { isOf } from "./MemoryTables.ts"

const bytesOf = (row: unknown) =>
  JSON.stringify(row, (_, value) => (typeof value === "bigint" ? String(value) : value)).length + rowBytesExtra

/** The first rows, as `Pages.firstRows` reads them. */
export const firstOf = <Row>(rows: ReadonlyArray<Row>, limit: number): ReadonlyArray<Row> => {
  let bytes = 0
  const end = rows.findIndex((row, index) => index === limit || ((bytes += bytesOf(row)) > pageBytesMax && index > 0))
  return end === -1 ? rows : rows.slice(0, end)
}

/** A page of an account's rows, newest first, as `Pages` reads it. */
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
  const rows = firstOf(nearest, limit)
  return { rows: backwards ? rows.toReversed() : rows, has_more: nearest.length > rows.length }
}
