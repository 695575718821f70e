import { Effect } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import type { AccountMode } from "../../schemas/Account.ts"

/**
 * Runs an effect in a transaction that has access only to the rows of one account in one mode, even if a statement
 * lacks the condition. All operations on ids from a client use it. Role and settings end with the transaction.
 *
 * @param statementMs the time that each statement may take, if less than the session's time
 */
export const within =
  (sql: SqlClient.SqlClient, { account_id, livemode }: AccountMode, statementMs?: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    sql`
      select set_config('role', 'folio_account', true), set_config('folio.account_id', ${account_id}, true),
        set_config('folio.livemode', ${String(livemode)}, true)
        ${statementMs === undefined ? sql`` : sql`, set_config('statement_timeout', ${String(statementMs)}, true)`}`.pipe(
      Effect.andThen(effect),
      sql.withTransaction,
      Effect.catchIf(SqlError.isSqlError, Effect.die)
    )

/**
 * Runs an effect with access to the rows of all accounts, within a transaction of `within`. Only for an operation on
 * several accounts that the request may access.
 */
export const asService =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.tap(Effect.andThen(become(sql, "folio_service"), effect), become(sql, "folio_account"))

const become = (sql: SqlClient.SqlClient, role: string) => Effect.orDie(sql`select set_config('role', ${role}, true)`)

/** Locks an account's keys, ranges and number of endpoints until the commit of the caller's transaction. */
export const lock = (sql: SqlClient.SqlClient, { account_id }: Pick<AccountMode, "account_id">) =>
  Effect.orDie(sql`select id from accounts where id = ${account_id} for no key update`)
