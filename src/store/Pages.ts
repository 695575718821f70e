import { Effect, Schema } from "effect"
import { type SqlClient, SqlSchema, type Statement } from "effect/sql"
import type { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import { pageBytesMax, type PageRequest } from "../../schemas/Page.ts"
import { inTurns } from "../protocol/Turns.ts"
import * as AccountView from "./AccountView.ts"

/** One page of rows, newest first, and whether there are more in the direction asked for. */
export interface Rows<A> {
  readonly rows: ReadonlyArray<A>
  readonly has_more: boolean
}

export const invalidCursor = (cursor: NonNullable<PageRequest["cursor"]>): ApiError => {
  const param = cursor.direction === "after" ? "starting_after" : "ending_before"
  return new ApiError({
    code: "invalid_cursor",
    message: `${param} must be the id of an object of this list; there is none with ${JSON.stringify(cursor.id.slice(0, 64))}.`,
    param
  })
}

/** What an object may take beyond its row, in bytes: the names of its fields, and its links. */
export const rowBytesExtra = 512

/**
 * The first rows of a query in an order, which they are counted in as they come: `limit` at most, and fewer where they would come to more than
 * `pageBytesMax`, but always one. The database measures them one by one: what is too much is not read, and does not leave it. Each row tells in `page_found`
 * how many there were, up to `limit` + 1.
 */
export const firstRows = (
  sql: SqlClient.SqlClient,
  rows: Statement.Fragment,
  order: Statement.Fragment,
  limit: number
) => sql<{ readonly page_found: number }>`
  with recursive candidate as materialized (
    select p.*, (row_number() over ())::integer as page_place, (count(*) over ())::integer as page_found
    from (${rows} order by ${order} limit ${limit + 1}) p
  ),
  measured (page_place, bytes) as (
    select c.page_place, octet_length(to_json(c)::text)::bigint from candidate c where c.page_place = 1
    union all
    select c.page_place, m.bytes + octet_length(to_json(c)::text) + ${rowBytesExtra}::bigint
    from measured m join candidate c on c.page_place = m.page_place + 1
    where m.bytes <= ${pageBytesMax}::bigint and c.page_place <= ${limit}::integer
  )
  select c.* from candidate c join measured m on m.page_place = c.page_place
  where c.page_place = 1 or m.bytes <= ${pageBytesMax}::bigint
  order by c.page_place`

/** Whether there are more than those that `firstRows` gave. */
export const hasMore = (rows: ReadonlyArray<{ readonly page_found: number }>) =>
  (rows[0]?.page_found ?? 0) > rows.length

/**
 * Reads pages of a table whose key is (account_id, livemode, id), of all its rows or those that fit a condition. Ids sort by
 * creation, so they are the cursor.
 */
export const make = <R extends Schema.Constraint>(
  sql: SqlClient.SqlClient,
  options: { readonly table: string; readonly columns: Statement.Fragment; readonly row: R }
) => {
  const decode = Schema.decodeUnknownEffect(options.row)
  const exists = SqlSchema.findAll({
    Request: Schema.Struct({ account_id: Schema.String, livemode: Schema.Boolean, id: Schema.String }),
    Result: Schema.Struct({ id: Schema.String }),
    execute: (key) => sql`
      select id from ${sql(options.table)}
      where account_id = ${key.account_id} and livemode = ${key.livemode} and id = ${key.id}`
  })

  const read = Effect.fnUntraced(function* (of: AccountMode, request: PageRequest, condition: Statement.Fragment) {
    const { cursor, limit } = request
    if (cursor !== null && (yield* Effect.orDie(exists({ ...of, id: cursor.id }))).length === 0) {
      return yield* invalidCursor(cursor)
    }
    const bound =
      cursor === null ? sql`true` : cursor.direction === "after" ? sql`id < ${cursor.id}` : sql`id > ${cursor.id}`
    const backwards = cursor?.direction === "before"
    const all = sql`
      select ${options.columns} from ${sql(options.table)}
      where account_id = ${of.account_id} and livemode = ${of.livemode} and ${bound} and ${condition}`
    const found = yield* Effect.orDie(firstRows(sql, all, backwards ? sql`id asc` : sql`id desc`, limit))
    const rows = yield* Effect.orDie(inTurns(found, (row) => decode(row)))
    return { rows: backwards ? rows.toReversed() : rows, has_more: hasMore(found) }
  })
  return (of: AccountMode, request: PageRequest, condition: Statement.Fragment = sql`true`) =>
    AccountView.within(sql, of)(read(of, request, condition))
}
