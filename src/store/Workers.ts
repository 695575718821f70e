import { Clock, Context, Effect, Fiber, Layer, Schedule, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, SqlSchema } from "effect/sql"

const beatInterval = "1 second"

// A little longer than the shards of a dead process take to move: what is given back then finds its actor in a new home.
export const leaseSeconds = 8

// A statement that was under way when its process died may still commit. Until none can be, the dead are looked after again.
const forgottenAfterSeconds = 15

const patience = "3 seconds"

// What is begun within the lease has left by its end.
const marginSeconds = 1

// Joined, not timed out itself: to interrupt a query on a dead connection takes seconds.
const briefly = <E>(statement: Effect.Effect<unknown, E>) =>
  Effect.forkDetach(statement).pipe(
    Effect.flatMap(Fiber.join),
    Effect.timeout(patience),
    Effect.catchCause((cause) => Effect.logDebug("The database could not be told whether this process is there", cause))
  )

/** Whether this process lets webhooks reach addresses that are not public. */
export class WebhookAllowance extends Context.Reference<boolean>("folio/store/WebhookAllowance", {
  defaultValue: () => false
}) {}

/** The processes that share the database. Each start is a worker of its own; what it has under way bears its id. */
export class Workers extends Context.Service<
  Workers,
  {
    /** This process. */
    readonly id: string
    /**
     * Whether what it holds is certainly still its own. Not so after it was frozen or cut off for as long as a lease: others may
     * have taken it up. Soon again, once the database has seen it.
     */
    readonly isAlive: Effect.Effect<boolean>
    /** Makes due what dead workers hold. */
    readonly freeDead: Effect.Effect<void>
    /** Declares all other workers dead. For a start at which nobody else can be at work. */
    readonly succeed: Effect.Effect<void>
  }
>()("folio/store/Workers") {
  static readonly layer = Layer.effect(
    Workers,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom
      const id = (yield* random.ulid).toLowerCase()
      const allowance = yield* WebhookAllowance
      const lease = sql`${leaseSeconds} * interval '1 second'`

      const beat = sql`
        insert into workers ${sql.insert(allowance ? { id, webhook_allow: true } : { id })}
        on conflict (id) do update set seen_at = now(), dead_since = null,
          since = case when workers.seen_at < now() - ${lease} then now() else workers.since end`

      // By this process's clock, from before the database was told.
      let seenAt = yield* Clock.currentTimeMillis
      const beSeen = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        yield* beat
        seenAt = now
      })

      const stop = sql`update workers set dead_since = now() where id = ${id}`

      // Who was cut off from the database himself cannot tell who else is missing.
      const bury = SqlSchema.findAll({
        Request: Schema.Void,
        Result: Schema.Struct({ id: Schema.String }),
        execute: () => sql`
          update workers set dead_since = coalesce(dead_since, now())
          where dead_since is not null or (
            seen_at < now() - ${lease}
            and exists (select from workers me where me.id = ${id} and me.since < now() - ${lease})
          )
          returning id`
      })

      // What is locked at this moment is taken up a second later.
      const free = (dead: ReadonlyArray<string>) => sql`
        with invoice as (
          update invoices i set next_action_at = now(), worker = null
          from (
            select account_id, livemode, id from invoices
            where next_action_at > now() and worker = any(${dead}) for update skip locked
          ) held
          where i.account_id = held.account_id and i.livemode = held.livemode and i.id = held.id
        ),
        delivery as (
          update deliveries d set next_attempt_at = now(), worker = null
          from (
            select account_id, livemode, id from deliveries
            where status = 'pending' and next_attempt_at > now() and next_attempt_at < 'infinity' and worker = any(${dead})
            for update skip locked
          ) held
          where d.account_id = held.account_id and d.livemode = held.livemode and d.id = held.id
        ),
        email as (
          update emails e set next_attempt_at = now(), worker = null
          from (
            select account_id, livemode, id from emails
            where next_attempt_at > now() and worker = any(${dead}) for update skip locked
          ) held
          where e.account_id = held.account_id and e.livemode = held.livemode and e.id = held.id
        )
        delete from workers where dead_since < now() - ${forgottenAfterSeconds} * interval '1 second'`

      yield* Effect.orDie(beSeen)
      yield* Effect.addFinalizer(() => briefly(stop))
      yield* briefly(beSeen).pipe(Effect.repeat(Schedule.spaced(beatInterval)), Effect.forkScoped)

      return Workers.of({
        id,
        isAlive: Effect.map(
          Clock.currentTimeMillis,
          (now) => Math.abs(now - seenAt) < (leaseSeconds - marginSeconds) * 1000
        ),
        freeDead: Effect.gen(function* () {
          const dead = yield* bury(undefined)
          if (dead.length > 0) yield* free(dead.map((worker) => worker.id))
        }).pipe(Effect.orDie, Effect.withSpan("Workers.freeDead")),
        succeed: sql`update workers set dead_since = now() where id <> ${id} and dead_since is null`.pipe(
          Effect.orDie,
          Effect.asVoid
        )
      })
    })
  )
}
