import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import { pageBytesMax, type PageRequest } from "../../../schemas/Page.ts"
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

/** The bytes that an object may take beyond its row: the names of its fields, and its links. */
export const rowBytesExtra = 512

/**
 * Selects the first rows of a query in an order: at most `limit` rows, and fewer when the rows exceed `pageBytesMax`,
 * but at least one row. The rows are numbered as the ordered query returns them. The database measures the rows one by
 * one, so that the content of rows past the byte limit is neither read nor sent. In each row, `page_found` is the
 * number of rows that the query found, up to `limit` + 1.
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

/**
 * The rows that a page is cut from: those beyond a bound, in the order of a column whose value at the request's cursor
 * is `at`.
 */
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
 * Makes the readers of a table whose key is (account_id, livemode, id), for the table's account: of one row by its id,
 * and of pages of all rows or of the rows that match a condition. Ids sort by creation, so an id is the cursor, also
 * that of a row that was deleted.
 *
 * @param options.service the name of the service, for the span of a search by id
 * @param options.narrow  the filters that make a slow page smaller, a sentence for the client
 * @param options.listed  the columns of a row in a page, if these differ from `columns`
 * @param options.among   the condition of the rows that the table has for the account; all rows without it
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
