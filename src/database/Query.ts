import { Array, Effect, type Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/* Queries with decoded rows. A failed statement and an invalid row are defects. */

type Row = Schema.ConstraintDecoder<unknown>
type Args = ReadonlyArray<unknown>
type Run<A extends Args> = (...args: A) => Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

/** All rows of a statement. */
export const all = <R extends Row, A extends Args>(row: R, run: Run<A>) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(row))
  return (...args: A): Effect.Effect<ReadonlyArray<R["Type"]>> => Effect.orDie(Effect.flatMap(run(...args), decode))
}

/** The first row of a statement; none if the statement returns no row. */
export const first = <R extends Row, A extends Args>(row: R, run: Run<A>) => {
  const read = all(row, run)
  return (...args: A): Effect.Effect<Option.Option<R["Type"]>> => Effect.map(read(...args), Array.head)
}

/** All rows of a statement without arguments. */
export const allIn = <R extends Row>(row: R, run: Run<[sql: SqlClient.SqlClient]>) =>
  Effect.flatMap(SqlClient.SqlClient, all(row, run))

/** The first row of a statement without arguments. */
export const firstIn = <R extends Row>(row: R, run: Run<[sql: SqlClient.SqlClient]>) =>
  Effect.flatMap(SqlClient.SqlClient, first(row, run))

/** The first row of a statement, which must return a row. */
export const one = <R extends Row, A extends Args>(row: R, run: Run<A>) => {
  const read = first(row, run)
  return (...args: A) => Effect.orDie(Effect.flatMap(read(...args), Effect.fromOption))
}

/** Whether a statement returns a row. */
export const isAny = (rows: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>): Effect.Effect<boolean> =>
  Effect.orDie(Effect.map(rows, Array.isReadonlyArrayNonEmpty))
