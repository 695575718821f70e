import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Query from "../../database/Query.ts"
import { leaseSeconds } from "../../database/Workers.ts"

/** The largest number that is counted. The exact length of a longer queue does not matter. */
export const countedMax = 10_000

const Count = Schema.Record(Schema.String, Schema.Finite)

/**
 * The SQL of the time since which the oldest unsettled event waits to be listed; null if all events are settled. An
 * event is settled once every older transaction has ended. Reads the first unsettled event of each account by index.
 */
export const oldestUnsettled = (sql: SqlClient.SqlClient) => sql`
  select min(e.created_at) from account_modes m
  cross join lateral (
    select created_at from events
    where account_id = m.account_id and livemode = m.livemode and not is_test and tx >= (select oldest_transaction())
    order by tx, seq limit 1
  ) e`

/** The waiting work in the whole database. Ages are in seconds, and 0 if no work waits. */
const Waiting = Schema.Struct({
  oldest_invoice: Schema.Finite,
  oldest_delivery: Schema.Finite,
  /** The age of the oldest event that is not listed yet, because an older transaction is open. */
  oldest_unsettled_event: Schema.Finite,
  /** The number of unfinished invoices by state. */
  invoices: Count,
  /** The number of pending deliveries by kind: `due`, `scheduled`, `resting` (the endpoint is inactive). */
  deliveries: Count,
  in_contingency: Schema.Finite,
  contingency_overdue: Schema.Finite,
  oldest_contingency: Schema.Finite,
  /** The number of ranges that, after a restore, give no number until the operator confirms their last number. */
  ranges_held: Schema.Finite,
  /** The number of circuits: `failing` while no call succeeds, `open` once Folio issues documents in contingency. */
  circuits: Schema.Struct({
    live_failing: Schema.Finite,
    live_open: Schema.Finite,
    test_failing: Schema.Finite,
    test_open: Schema.Finite
  }),
  /** The number of circuits that fail or are open, by environment and then by trouble. */
  troubles: Schema.Struct({ live: Count, test: Count }),
  /** The number of open incidents by kind. */
  incidents: Count
})
export type Waiting = typeof Waiting.Type

/** Whether work of each kind may be due. The statement that takes the work finds the due rows. */
const Due = Schema.Struct({
  deadWorkers: Schema.Boolean,
  documents: Schema.Boolean,
  resting: Schema.Boolean,
  deliveries: Schema.Boolean,
  emails: Schema.Boolean,
  testSets: Schema.Boolean,
  questions: Schema.Boolean,
  auditEntries: Schema.Boolean
})

export type KindOfWork = keyof typeof Due.Type

/** The result of `look` if work of every kind may be due. */
export const everyKind: typeof Due.Type = {
  deadWorkers: true,
  documents: true,
  resting: true,
  deliveries: true,
  emails: true,
  testSets: true,
  questions: true,
  auditEntries: true
}

/** The work that waits in the whole database. */
export class Backlog extends Context.Service<Backlog>()("folio/operations/store/Backlog", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const read = Query.one(
      Waiting,
      () => sql`
        with open as materialized (
          select state, created_at from invoices
          where next_action_at is not null order by next_action_at limit ${countedMax}
        ),
        pending as materialized (
          select next_attempt_at, case when next_attempt_at <= now() then 'due'
            when next_attempt_at < 'infinity' then 'scheduled' else 'resting' end as state
          from deliveries where status = 'pending' order by next_attempt_at limit ${countedMax}
        ),
        contingency as materialized (
          (select contingency_since, transmit_before from invoices
            where state = 'accepted_contingency' and livemode order by created_at, id limit ${countedMax})
          union all
          (select contingency_since, transmit_before from invoices
            where state = 'accepted_contingency' and not livemode order by account_id, created_at, id limit ${countedMax})
        ),
        circuit as (
          select name = 'live' as live, opened_at is not null as open, trouble from authority_circuits where failing_since is not null
        ),
        troubled as (
          select live, trouble from circuit
          union all
          select name = 'live', refusal from authority_circuits
          where failing_since is null and refused_at > now() - interval '15 minutes'
        )
        select
          (select coalesce(extract(epoch from now() - min(created_at)), 0) from open)::float8 as oldest_invoice,
          (select coalesce(extract(epoch from now() - min(next_attempt_at)), 0) from pending where state = 'due')::float8
            as oldest_delivery,
          coalesce(extract(epoch from now() - (${oldestUnsettled(sql)})), 0)::float8 as oldest_unsettled_event,
          (select coalesce(jsonb_object_agg(state, count), '{}')
            from (select state, count(*) from open group by state) s) as invoices,
          (select coalesce(jsonb_object_agg(state, count), '{}')
            from (select state, count(*) from pending group by state) s) as deliveries,
          (select count(*) from contingency)::float8 as in_contingency,
          (select count(*) from contingency where transmit_before < now())::float8 as contingency_overdue,
          (select coalesce(extract(epoch from now() - min(contingency_since)), 0) from contingency)::float8
            as oldest_contingency,
          (select count(*) from (select from resolutions where held_since is not null limit ${countedMax}) h)::float8 as ranges_held,
          (select json_build_object('live_failing', count(*) filter (where live and not open),
            'live_open', count(*) filter (where live and open),
            'test_failing', count(*) filter (where not live and not open),
            'test_open', count(*) filter (where not live and open)) from circuit) as circuits,
          (select json_build_object(
            'live', coalesce(jsonb_object_agg(trouble, count) filter (where live), '{}'),
            'test', coalesce(jsonb_object_agg(trouble, count) filter (where not live), '{}'))
            from (select live, trouble, count(*) from troubled where trouble is not null group by live, trouble) t) as troubles,
          (select coalesce(jsonb_object_agg(kind, count), '{}')
            from (select kind, count(*) from incidents where ended_at is null group by kind) i) as incidents`
    )
    // Each condition reads the first row of an index. The index of deliveries begins with the endpoint, so any pending
    // delivery counts.
    const look = Query.one(
      Due,
      () => sql`
        select
          exists (
            select from workers where dead_since is not null or seen_at < now() - ${leaseSeconds} * interval '1 second'
          ) as "deadWorkers",
          exists (select from invoices where next_action_at <= now()) as documents,
          exists (select from invoices where next_action_at = 'infinity') as resting,
          exists (select from deliveries where status = 'pending') as deliveries,
          exists (select from emails where next_attempt_at <= now()) as emails,
          exists (select from enablements where status = 'running' and next_action_at <= now()) as "testSets",
          exists (select from acceptances where next_question_at <= now()) as questions,
          exists (select from audit_log where position is null) as "auditEntries"`
    )
    // The plan must use the indexes of due times and stop at `countedMax`, independent of the planner's estimates.
    const inOrder = sql`set local enable_bitmapscan = off`
    return {
      /**
       * Checks for all kinds of work in one statement. So the sweeper of an idle service sends one statement a second,
       * and not eight. If the check fails, for instance because a table is locked, returns `everyKind`.
       */
      look: Effect.suspend(look).pipe(
        Effect.catchCause((cause) =>
          Effect.as(
            Effect.logWarning("The check for due work failed; the sweeper takes all kinds of work", cause),
            everyKind
          )
        ),
        Effect.withSpan("Backlog.look")
      ),
      waiting: Effect.orDie(sql.withTransaction(Effect.andThen(inOrder, read()))),
      /** The time until the pool provides a connection. */
      turn: Effect.map(Effect.timed(Effect.orDie(Effect.scoped(sql.reserve))), ([taken]) => taken)
    }
  })
}) {
  static readonly layer = Layer.effect(Backlog, Backlog.make)
}
