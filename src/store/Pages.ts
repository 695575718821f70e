import { Effect, Schema } from "effect"
import { type SqlClient, SqlSchema, type Statement } from "effect/sql"
import type { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import type { PageRequest } from "../../schemas/Page.ts"
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
    const found = yield* sql`
      select ${options.columns} from ${sql(options.table)}
      where account_id = ${of.account_id} and livemode = ${of.livemode} and ${bound} and ${condition}
      order by id ${backwards ? sql`asc` : sql`desc`} limit ${limit + 1}`.pipe(
      Effect.flatMap((rows) => inTurns(rows, (row) => decode(row))),
      Effect.orDie
    )
    const rows = found.slice(0, limit)
    return { rows: backwards ? rows.toReversed() : rows, has_more: found.length > limit }
  })
  return (of: AccountMode, request: PageRequest, condition: Statement.Fragment = sql`true`) =>
    AccountView.within(sql, of)(read(of, request, condition))
}
