import { type Cause, Clock, Context, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { refusesChanges } from "./SqlFailure.ts"

const timeout = "2 seconds"

// The least time between two probes whether the database accepts changes, for all callers together.
const probeInterval = "5 seconds"

// After a rejected change, the time for which the database counts as one that accepts no changes.
const refusedForMs = 10_000

// Most of a database page. If the disk has no space for this row, it has no space for a document.
const fillerLength = 7_000

// Only the wait has a time-out. The query runs in its own fiber, because its interruption on a dead connection takes
// seconds.
const soon = (holds: Effect.Effect<boolean>, otherwise: boolean) =>
  Effect.forkDetach(holds).pipe(
    Effect.flatMap(Fiber.join),
    Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.succeed(otherwise) })
  )

export class Database extends Context.Service<Database>()("folio/database/Database", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    let refusedAt = Number.NEGATIVE_INFINITY

    // A lock time-out is no sign of a full disk: another process may probe, or a backup may read the table.
    const probe = sql`set local lock_timeout = '500ms'`.pipe(
      Effect.andThen(sql`truncate write_probes`),
      Effect.andThen(sql`insert into write_probes values (repeat('x', ${fillerLength}::integer))`),
      sql.withTransaction,
      Effect.exit,
      Effect.map((exit) => Exit.isSuccess(exit) || !refusesChanges(exit.cause))
    )
    const probed = yield* Effect.cachedWithTTL(soon(probe, true), probeInterval)

    return {
      /** Whether the database responds within two seconds. */
      answers: soon(Effect.isSuccess(sql`select 1`), false),
      /** Whether the database accepts changes, as far as known: false if its disk is full or it is read-only. */
      takesChanges: Effect.flatMap(Clock.currentTimeMillis, (now) =>
        now - refusedAt < refusedForMs ? Effect.succeed(false) : probed
      ),
      /** Records a rejected change, for `takesChanges`. Ignores any other cause. */
      note: (cause: Cause.Cause<unknown>) =>
        refusesChanges(cause) ? Effect.map(Clock.currentTimeMillis, (now) => void (refusedAt = now)) : Effect.void
    }
  })
}) {
  static readonly layer = Layer.effect(Database, Database.make)
}
