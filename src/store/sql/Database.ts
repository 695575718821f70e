import { type Cause, Clock, Context, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { refusesChanges } from "./SqlFailure.ts"

const timeout = "2 seconds"

// The database is probed for whether it takes changes at most this often, however many callers ask.
const probeInterval = "5 seconds"

// How long a refused change counts as a sign that other changes would be refused.
const refusedForMs = 10_000

// Most of a database page: a full disk that has no room for this row has no room for a document.
const fillerLength = 7_000

// The query runs in its own fiber and only the wait is timed out: interrupting a query on a dead connection takes
// seconds.
const soon = (holds: Effect.Effect<boolean>, otherwise: boolean) =>
  Effect.forkDetach(holds).pipe(
    Effect.flatMap(Fiber.join),
    Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.succeed(otherwise) })
  )

export class Database extends Context.Service<Database>()("folio/store/Database", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    let refusedAt = Number.NEGATIVE_INFINITY

    // A lock timeout does not mean a full disk: another process may probe at the same moment, or a backup may read the
    // table.
    const probe = sql`set local lock_timeout = '500ms'`.pipe(
      Effect.andThen(sql`truncate write_probes`),
      Effect.andThen(sql`insert into write_probes values (repeat('x', ${fillerLength}::integer))`),
      sql.withTransaction,
      Effect.exit,
      Effect.map((exit) => Exit.isSuccess(exit) || !refusesChanges(exit.cause))
    )
    const probed = yield* Effect.cachedWithTTL(soon(probe, true), probeInterval)

    return {
      /** Whether the database answers within two seconds. */
      answers: soon(Effect.isSuccess(sql`select 1`), false),
      /** Whether the database takes changes, as far as known: false when its disk is full or it is read-only. */
      takesChanges: Effect.flatMap(Clock.currentTimeMillis, (now) =>
        now - refusedAt < refusedForMs ? Effect.succeed(false) : probed
      ),
      /** Remembers `cause` for `takesChanges` if the cause is a refused change. */
      note: (cause: Cause.Cause<unknown>) =>
        refusesChanges(cause) ? Effect.map(Clock.currentTimeMillis, (now) => void (refusedAt = now)) : Effect.void
    }
  })
}) {
  static readonly layer = Layer.effect(Database, Database.make)
}
