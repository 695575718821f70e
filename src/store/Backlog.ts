import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** Counts go no further than this: what matters of a longer queue is that it is long. */
export const countedMax = 10_000

const Row = Schema.Struct({
  oldest_invoice: Schema.Finite,
  oldest_delivery: Schema.Finite,
  invoices: Schema.Record(Schema.String, Schema.Finite),
  deliveries: Schema.Record(Schema.String, Schema.Finite),
  in_contingency: Schema.Finite,
  contingency_overdue: Schema.Finite,
  oldest_contingency: Schema.Finite,
  circuits: Schema.Struct({
    live_failing: Schema.Finite,
    live_open: Schema.Finite,
    test_failing: Schema.Finite,
    test_open: Schema.Finite
  })
})

/** What waits in the whole database. Ages in seconds; 0 when nothing waits. */
export interface Waiting {
  readonly oldest_invoice: number
  readonly oldest_delivery: number
  /** Open invoices by state. */
  readonly invoices: Readonly<Record<string, number>>
  /** Pending deliveries: `due`, `scheduled`, `resting`. */
  readonly deliveries: Readonly<Record<string, number>>
  readonly in_contingency: number
  readonly contingency_overdue: number
  readonly oldest_contingency: number
  /** Of the authority: no call succeeds (`failing`), or documents are issued without it (`open`). */
  readonly circuits: Readonly<Record<`${"live" | "test"}_${"failing" | "open"}`, number>>
}

export class Backlog extends Context.Service<Backlog, { readonly waiting: Effect.Effect<Waiting> }>()(
  "folio/store/Backlog"
) {
  static readonly layer = Layer.effect(
    Backlog,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const decode = Schema.decodeUnknownEffect(Schema.Tuple([Row]))
      const read = sql`
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
        circuit as (select name = 'live' as live, opened_at is not null as open from authority_circuits where failing_since is not null)
        select
          (select coalesce(extract(epoch from now() - min(created_at)), 0) from open)::float8 as oldest_invoice,
          (select coalesce(extract(epoch from now() - min(next_attempt_at)), 0) from pending where state = 'due')::float8
            as oldest_delivery,
          (select coalesce(jsonb_object_agg(state, count), '{}')
            from (select state, count(*) from open group by state) s) as invoices,
          (select coalesce(jsonb_object_agg(state, count), '{}')
            from (select state, count(*) from pending group by state) s) as deliveries,
          (select count(*) from contingency)::float8 as in_contingency,
          (select count(*) from contingency where transmit_before < now())::float8 as contingency_overdue,
          (select coalesce(extract(epoch from now() - min(contingency_since)), 0) from contingency)::float8
            as oldest_contingency,
          (select json_build_object('live_failing', count(*) filter (where live and not open),
            'live_open', count(*) filter (where live and open),
            'test_failing', count(*) filter (where not live and not open),
            'test_open', count(*) filter (where not live and open)) from circuit) as circuits`
      return Backlog.of({
        // By the indexes of what is due, as far as it is counted, whatever the planner believes.
        waiting: sql.withTransaction(Effect.andThen(sql`set local enable_bitmapscan = off`, read)).pipe(
          Effect.flatMap(decode),
          Effect.map(([row]) => row),
          Effect.orDie
        )
      })
    })
  )
}
