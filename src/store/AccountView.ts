import { Effect } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import type { AccountMode } from "../../schemas/Account.ts"

/**
 * Runs an effect in a transaction that sees and changes nothing but the rows of one account in one mode, whatever its
 * statements forget to say: for all that a client names by an id. Role and settings end with the transaction.
 */
export const within =
  (sql: SqlClient.SqlClient, { account_id, livemode }: AccountMode) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    sql`
      select set_config('role', 'folio_account', true), set_config('folio.account_id', ${account_id}, true),
        set_config('folio.livemode', ${String(livemode)}, true)`.pipe(
      Effect.andThen(effect),
      sql.withTransaction,
      Effect.catchIf(SqlError.isSqlError, Effect.die)
    )
