import { Effect } from "effect"
import type { SqlError } from "effect/sql"

/** What PostgreSQL says to a statement that it must refuse. */
export const refusal = <A, R>(statement: Effect.Effect<A, SqlError.SqlError, R>) =>
  Effect.match(statement, {
    onSuccess: () => "not refused",
    onFailure: ({ reason }) => (reason.cause instanceof Error ? reason.cause.message : reason._tag)
  })
