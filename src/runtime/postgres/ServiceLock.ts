/**
 * The lock that decides which processes may serve a database: one with `CLUSTER=single`, or any number with
 * `CLUSTER=socket`.
 *
 * It is an advisory lock of a session. It is released as soon as the process ends, and after nine seconds if the
 * process hangs or its machine is down. A connection pooler in front of the server is rejected, because the lock would
 * stay on the pooler's session.
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Clock, Context, Deferred, Effect, Fiber, Schema, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import * as Os from "node:os"
import { DatabaseError, type Address, poolerAdvice, unusable, where } from "./PostgresAddress.ts"
import * as Socket from "./PostgresSocket.ts"

// Longer than the lease of workers (src/database/Workers.ts), so that a process loses this lock only after its claims
// on rows have ended.
const silenceMax = 9_000
const beatInterval = "1 second"
const lookAgain = "250 millis"

// After this time, a hanging predecessor, or a cut-off session of this process, has lost its lock.
const patienceMs = silenceMax + 2_000

// "folio" in ASCII.
const key = "439721028975"

const holder = `
  select application_name from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and granted and objsubid = 1 and (classid::bigint << 32) + objid::bigint = ${key}
    and database = (select oid from pg_database where datname = current_database())
  limit 1`

// The query runs in a detached fiber that is joined, because interrupting a query on a dead connection takes seconds.
const ask = (session: PgConnection.PgConnection, statement: string) =>
  Effect.flatMap(Effect.forkDetach(session.queryValues(statement)), Fiber.join)

/** The session does not have the settings that it was started with. */
class Pooled extends Schema.TaggedError<Pooled>()("Pooled", {}) {}

class Taken extends Schema.TaggedError<Taken>()("Taken", { by: Schema.String }) {}

/**
 * This process's right to serve the database: one process with `CLUSTER=single`, or any number with `CLUSTER=socket`.
 */
export class ServiceLock extends Context.Service<
  ServiceLock,
  {
    /** Fails if this process hung for so long that another process serves the database. */
    readonly lost: Effect.Effect<never, DatabaseError>
  }
>()("@folio-einvoicing/service/ServiceLock") {}

/**
 * Holds the lock, exclusively if `alone`, until the scope closes. Fails with `DatabaseError` if others still hold it
 * after 11 s.
 */
export const take = Effect.fn("ServiceLock.take")(function* (address: Address, alone: boolean) {
  const held = yield* Deferred.make<void, DatabaseError>()
  let takenSince: number | undefined

  const hold = Effect.gen(function* (): Effect.fn.Return<never, SqlError.SqlError | Taken | Pooled, Scope.Scope> {
    const session = yield* PgConnection.make({
      ...address,
      connectTimeout: "5 seconds",
      applicationName: `folio, pid ${process.pid} on ${Os.hostname()}`,
      startupParameters: { idle_session_timeout: `${silenceMax}`, statement_timeout: "5s" },
      stream: Socket.open(address, silenceMax).connect
    })
    // A pooler that ignores session parameters would lend its server session, and the lock, to other clients.
    const [setting] = yield* ask(session, "select current_setting('idle_session_timeout')")
    if (setting?.[0] !== `${silenceMax / 1000}s`) return yield* new Pooled()
    const [row] = yield* ask(session, `select pg_try_advisory_lock${alone ? "" : "_shared"}(${key})`)
    if (row?.[0] !== true) {
      const [by] = yield* ask(session, holder)
      return yield* new Taken({ by: String(by?.[0] ?? "folio") })
    }
    takenSince = undefined
    yield* Deferred.succeed(held, undefined)
    while (true) {
      yield* Effect.sleep(beatInterval)
      yield* ask(session, "select 1")
    }
  }).pipe(Effect.scoped)

  const refusal = (by: string) => {
    const advice = alone
      ? "Stop it, or run every process with CLUSTER=socket and the same FOLIO_KEY."
      : "It runs with CLUSTER=single: stop it, or start it with CLUSTER=socket and the same FOLIO_KEY."
    return new DatabaseError({ message: `Another process (${by}) serves the database at ${where(address)}. ${advice}` })
  }

  const onFailure = Effect.fnUntraced(function* (error: SqlError.SqlError | Taken | Pooled) {
    if (error._tag === "Pooled") {
      return yield* new DatabaseError({ message: `The database at ${where(address)} cannot be used. ${poolerAdvice}` })
    }
    if (error._tag === "SqlError") {
      if (!(yield* Deferred.isDone(held))) return yield* unusable(address, error)
    } else {
      const now = yield* Clock.currentTimeMillis
      if (takenSince === undefined) {
        yield* Effect.logWarning(`Another process (${error.by}) serves this database; waiting for its end`)
      }
      takenSince ??= now
      if (now - takenSince > patienceMs) return yield* refusal(error.by)
    }
    yield* Effect.sleep(lookAgain)
  })

  const keeping = yield* hold.pipe(
    Effect.catch(onFailure),
    Effect.forever,
    Effect.tapError((error) => Deferred.fail(held, error)),
    Effect.forkScoped
  )
  yield* Deferred.await(held)
  return { lost: Fiber.join(keeping) }
})
