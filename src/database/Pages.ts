import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { AccountMode } from "../../schemas/Account.ts"
import { pageBytesMax, type PageRequest } from "../../schemas/Page.ts"
import { inSlices } from "./Slices.ts"
import * as AccountView from "./AccountView.ts"
import { type Key, ofAccount, ofKey } from "./Keys.ts"
import * as Query from "./Query.ts"
import { bounded } from "./SlowReads.ts"

/** A page of rows, newest first. `has_more`: whether further rows follow in the requested direction. */
export interface Rows<A> {
  readonly rows: ReadonlyArray<A>
  readonly has_more: boolean
}

/** The bytes of an object that its row does not contain: the names of its fields, and its links. */
export const rowBytesExtra = 512

/**
 * Selects the first rows of a query in an order: at most `limit` rows, fewer if they exceed `pageBytesMax`, but at
 * least one. The database measures the rows one by one, so that it neither reads nor sends the content of rows past the
 * byte limit. In each row, `page_found` is the number of rows that the query found, up to `limit` + 1.
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

/** Whether the query has more rows than `firstRows` returned. */
export const hasMore = (rows: ReadonlyArray<{ readonly page_found: number }>) =>
  (rows[0]?.page_found ?? 0) > rows.length

/** The rows beyond a bound, in the order of a column. `at` is the column's value at the request's cursor. */
interface Ordered<A> {
  readonly column: string
  readonly at: string | number
  readonly rows: (bound: Statement.Fragment) => Statement.Fragment
  readonly decode: (row: unknown) => Effect.Effect<A, Schema.SchemaError>
}

/** Reads the page of a request. */
export const read = Effect.fnUntraced(function* <A>(
  sql: SqlClient.SqlClient,
  { cursor, limit }: PageRequest,
  { at, column, decode, rows: rowsBeyond }: Ordered<A>
) {
  const backwards = cursor?.direction === "before"
  const by = sql(column)
  const bound = cursor === null ? sql`true` : backwards ? sql`${by} > ${at}` : sql`${by} < ${at}`
  const found = yield* firstRows(sql, rowsBeyond(bound), backwards ? sql`${by} asc` : sql`${by} desc`, limit)
  const rows = yield* inSlices(found, (row) => decode(row))
  return { rows: backwards ? rows.toReversed() : rows, has_more: hasMore(found) }
}, Effect.orDie)

/**
 * Makes the readers of a table with the key (account_id, livemode, id). `find` reads a row by its id. `list` reads a
 * page of the rows that match a condition. The cursor is an id, also of a deleted row, because ids sort by creation.
 *
 * @param options.service the name of the service, for the span of `find`
 * @param options.narrow  a sentence for the client: which filters make a slow page smaller
 * @param options.listed  the columns of a row in a page, if they differ from `columns`
 * @param options.among   a condition for all reads; if omitted, all rows of the account
 */
export const readers = <R extends Schema.ConstraintDecoder<unknown>>(
  sql: SqlClient.SqlClient,
  options: {
    readonly service: string
    readonly narrow?: string
    readonly table: string
    readonly row: R
    readonly columns: Statement.Fragment
    readonly listed?: Statement.Fragment
    readonly among?: Statement.Fragment
  }
) => {
  const { among = sql`true`, columns, listed = columns, narrow = "Ask for a smaller limit." } = options
  const table = sql(options.table)
  const decode = Schema.decodeUnknownEffect(options.row)
  const findRow = Query.first(
    options.row,
    (key: Key) => sql`select ${columns} from ${table} where ${ofKey(sql, key)} and ${among}`
  )
  const readPage = (account: AccountMode, request: PageRequest, fits: Statement.Fragment) => {
    const rows = (bound: Statement.Fragment) => sql`
      select ${listed} from ${table} where ${ofAccount(sql, account)} and ${bound} and ${among} and ${fits}`
    return read(sql, request, { column: "id", at: request.cursor?.id ?? "", rows, decode })
  }
  return {
    find: Effect.fn(`${options.service}.find`)((account: AccountMode, id: string) =>
      AccountView.within(sql, account)(findRow({ ...account, id }))
    ),
    list: (account: AccountMode, request: PageRequest, fits: Statement.Fragment = sql`true`) =>
      bounded(sql, account, { name: options.table, narrow })(readPage(account, request, fits))
  }
}
