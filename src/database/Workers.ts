import { Clock, Context, Effect, Fiber, Layer, Schedule, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type Statement } from "effect/sql"
import { Limits } from "../runtime/Limits.ts"
import { schemaRelease } from "./SchemaRelease.ts"
import * as Query from "./Query.ts"
import { keyName, SecretKey } from "./Secrets.ts"

const beatInterval = "1 second"

// A little longer than the time in which a dead process's shards move. Freed work then has its actors on another
// process.
export const leaseSeconds = 8

// A statement of a process that has died may still commit. So a dead worker's row stays for this time, and each sweep
// frees the worker's rows again.
const forgottenAfterSeconds = 15

const timeout = "3 seconds"

// The time before the end of the lease at which `isAlive` becomes false. Earlier work leaves the process by the end.
const marginSeconds = 1

// Only the wait has a time-out. The statement runs in its own fiber, because its interruption on a dead connection
// takes seconds.
const briefly = <E>(statement: Effect.Effect<unknown, E>) =>
  Effect.forkDetach(statement).pipe(
    Effect.flatMap(Fiber.join),
    Effect.timeout(timeout),
    Effect.catchCause((cause) => Effect.logDebug("The state of this process could not be stored", cause))
  )

/** The processes that share the database. Each start of a process is a worker, and the rows it holds have its id. */
export class Workers extends Context.Service<Workers>()("folio/database/Workers", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    /** The worker id of this process. */
    const id = (yield* random.ulid).toLowerCase()
    const { webhookAllow } = yield* Limits
    const key_name = keyName(yield* SecretKey)
    const lease = sql`${leaseSeconds} * interval '1 second'`

    const beat = sql`
      insert into workers ${sql.insert({ id, webhook_allow: webhookAllow, release: schemaRelease, key_name })}
      on conflict (id) do update set seen_at = now(), dead_since = null,
        since = case when workers.seen_at < now() - ${lease} then now() else workers.since end`

    // The time of the last heartbeat by this process's clock, taken before the heartbeat is written.
    let seenAt = yield* Clock.currentTimeMillis
    const beSeen = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      yield* beat
      seenAt = now
    })

    const stop = sql`update workers set dead_since = now() where id = ${id}`

    // If this process lost the database within the last lease, it does not declare other workers dead.
    const bury = Query.all(
      Schema.Struct({ id: Schema.String }),
      () => sql`
        update workers set dead_since = coalesce(dead_since, now())
        where dead_since is not null or (
          seen_at < now() - ${lease}
          and exists (select from workers me where me.id = ${id} and me.since < now() - ${lease})
        )
        returning id`
    )

    // Skips locked rows, which the sweeper's next run frees a second later.
    const freed = (table: string, due: string, waits: Statement.Fragment, dead: ReadonlyArray<string>) => sql`
      update ${sql(table)} t set ${sql(due)} = now(), worker = null
      from (
        select account_id, livemode, id from ${sql(table)}
        where ${waits} and ${sql(due)} > now() and worker = any(${dead}) for update skip locked
      ) held
      where t.account_id = held.account_id and t.livemode = held.livemode and t.id = held.id`
    const isPending = sql`status = 'pending' and next_attempt_at < 'infinity'`
    const free = (dead: ReadonlyArray<string>) => sql`
      with invoice as (${freed("invoices", "next_action_at", sql`true`, dead)}),
      delivery as (${freed("deliveries", "next_attempt_at", isPending, dead)}),
      email as (${freed("emails", "next_attempt_at", sql`true`, dead)}),
      enablement as (${freed("enablements", "next_action_at", sql`status = 'running'`, dead)})
      delete from workers where dead_since < now() - ${forgottenAfterSeconds} * interval '1 second'`

    yield* Effect.orDie(beSeen)
    yield* Effect.addFinalizer(() => briefly(stop))
    yield* briefly(beSeen).pipe(Effect.repeat(Schedule.spaced(beatInterval)), Effect.forkScoped)

    return {
      id,
      /**
       * Whether this process certainly still holds its rows. False if the process hung or had no database for almost a
       * lease, because other processes may have taken the rows. True again after the next heartbeat.
       */
      isAlive: Effect.map(
        Clock.currentTimeMillis,
        (now) => Math.abs(now - seenAt) < (leaseSeconds - marginSeconds) * 1000
      ),
      /**
       * Declares workers without a recent heartbeat dead. Makes the documents, deliveries, emails and test sets of
       * dead workers due.
       */
      freeDead: Effect.gen(function* () {
        const dead = yield* bury()
        if (dead.length > 0) yield* free(dead.map((worker) => worker.id))
      }).pipe(Effect.orDie, Effect.withSpan("Workers.freeDead")),
      /** Declares all other workers dead, for a start while no other process can run. */
      succeed: sql`update workers set dead_since = now() where id <> ${id} and dead_since is null`.pipe(
        Effect.orDie,
        Effect.asVoid
      )
    }
  })
}) {
  static readonly layer = Layer.effect(Workers, Workers.make)
}
