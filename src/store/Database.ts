import { type Cause, Clock, Context, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { refusesChanges } from "./SqlFailure.ts"

const patience = "2 seconds"

// However many ask: a change is tried out no more often than this.
const probeInterval = "5 seconds"

// For how long a change that was refused says that others would be.
const refusedForMs = 10_000

// Most of a page: where there is no room for one, there is none for a document.
const fillerLength = 7_000

// Joined, not timed out itself: to interrupt a query on a dead connection takes seconds.
const soon = (holds: Effect.Effect<boolean>, otherwise: boolean) =>
  Effect.forkDetach(holds).pipe(
    Effect.flatMap(Fiber.join),
    Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed(otherwise) })
  )

export class Database extends Context.Service<
  Database,
  {
    /** Whether the database answers within two seconds. */
    readonly answers: Effect.Effect<boolean>
    /** Whether it takes changes, as far as is known: not on a full disk, nor when it only reads. */
    readonly takesChanges: Effect.Effect<boolean>
    /** Takes note of a failure, if it was the refusal of a change. */
    readonly note: (cause: Cause.Cause<unknown>) => Effect.Effect<void>
  }
>()("folio/store/Database") {
  static readonly layer = Layer.effect(
    Database,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      let refusedAt = Number.NEGATIVE_INFINITY

      // Another process may try at the same moment, and a backup may read the table: neither says that there is no room.
      const probe = sql`set local lock_timeout = '500ms'`.pipe(
        Effect.andThen(sql`truncate write_probes`),
        Effect.andThen(sql`insert into write_probes values (repeat('x', ${fillerLength}::integer))`),
        sql.withTransaction,
        Effect.exit,
        Effect.map((exit) => Exit.isSuccess(exit) || !refusesChanges(exit.cause))
      )
      const probed = yield* Effect.cachedWithTTL(soon(probe, true), probeInterval)

      return Database.of({
        answers: soon(Effect.isSuccess(sql`select 1`), false),
        takesChanges: Effect.flatMap(Clock.currentTimeMillis, (now) =>
          now - refusedAt < refusedForMs ? Effect.succeed(false) : probed
        ),
        note: (cause) =>
          refusesChanges(cause) ? Effect.map(Clock.currentTimeMillis, (now) => void (refusedAt = now)) : Effect.void
      })
    })
  )
}
