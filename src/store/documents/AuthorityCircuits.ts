import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccountMode } from "../../../schemas/Account.ts"
import { DocumentId } from "../../../schemas/Id.ts"
import * as Query from "../sql/Query.ts"
import { reminderLeaseSeconds } from "./Vitals.ts"

/** The state of one circuit of the authority, which all processes share. Times are by the database's clock. */
export const CircuitState = Schema.Struct({
  /** Milliseconds for which no call has succeeded, and (`failed_ms`) since the last failure; null while calls succeed. */
  failing_ms: Schema.NullOr(Schema.Finite),
  failed_ms: Schema.NullOr(Schema.Finite),
  /** Whether the authority has given no answer for so long that documents are issued in contingency. */
  is_open: Schema.Boolean
})
export type CircuitState = typeof CircuitState.Type

const closed: CircuitState = { failing_ms: null, failed_ms: null, is_open: false }

/** A circuit with documents that wait to be transmitted. */
const Waiting = Schema.Struct({
  name: Schema.String,
  /** Null for the live circuit, which all live accounts share. */
  account_id: Schema.NullOr(Schema.String),
  is_failing: Schema.Boolean,
  is_probe_due: Schema.Boolean
})
export type Waiting = typeof Waiting.Type

/** The name of a circuit: all live accounts share one, and each account's test mode has its own simulated authority. */
export const circuitOf = ({ account_id, livemode }: AccountMode): string => (livemode ? "live" : account_id)

// Maximum circuits of test accounts in one result of `waiting`.
const accountsMax = 1_000
const transmitWithinHours = 48

/**
 * The circuit breakers of the authority's environments, stored as rows that survive restarts and are shared by all processes.
 * (The breaker of `effect/persistence` keeps its state in memory or in Redis and counts failures; this breaker decides by time.)
 */
export class AuthorityCircuits extends Context.Service<AuthorityCircuits>()("folio/store/AuthorityCircuits", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const state = sql.literal(`
      (extract(epoch from now() - failing_since) * 1000)::float8 as failing_ms,
      (extract(epoch from now() - failed_at) * 1000)::float8 as failed_ms, opened_at is not null as is_open`)

    const find = Query.first(
      CircuitState,
      (name: string) => sql`select ${state} from authority_circuits where name = ${name}`
    )

    const ms = sql.literal("* interval '1 millisecond'")
    const failed = Query.one(
      CircuitState,
      (name: string, openAfterMs: number, silenceMs: number) => sql`
        insert into authority_circuits as c (name, failing_since, failed_at) values (${name}, now(), now())
        on conflict (name) do update set failed_at = now(),
          failing_since = case when c.opened_at is null and c.failed_at < now() - ${silenceMs}::float8 ${ms} then now()
            else coalesce(c.failing_since, now()) end,
          opened_at = case when c.opened_at is null and (c.failed_at >= now() - ${silenceMs}::float8 ${ms})
            and c.failing_since <= now() - ${openAfterMs}::float8 ${ms} then now() else c.opened_at end
        returning ${state}`
    )

    /** Records that the authority has answered, which closes the circuit. */
    const succeeded = Effect.fn("AuthorityCircuits.succeeded")((name: string) =>
      sql`
        update authority_circuits set failing_since = null, failed_at = null, opened_at = null, restored_at = now(), next_probe_at = now()
        where name = ${name} and failing_since is not null`.pipe(Effect.orDie, Effect.asVoid)
    )

    /** Claims a probe: true for one caller in each `intervalMs`, which may call the authority to see whether it answers again. */
    const claimProbe = Effect.fn("AuthorityCircuits.claimProbe")((name: string, intervalMs: number) =>
      Query.isAny(sql`
        update authority_circuits set next_probe_at = now() + ${intervalMs}::float8 ${ms}
        where name = ${name} and next_probe_at <= now() returning name`)
    )

    // Skips from account to account along the index, so that thousands of documents of one account cost one step.
    const waiting = Query.all(
      Waiting,
      () => sql`
        with recursive account as (
          (select account_id from invoices where state = 'accepted_contingency' and not livemode order by account_id limit 1)
          union all
          select (
            select i.account_id from invoices i
            where i.state = 'accepted_contingency' and not i.livemode and i.account_id > a.account_id
            order by i.account_id limit 1
          ) from account a where a.account_id is not null
        ),
        place as (
          select 'live' as name, null as account_id
          where exists (select from invoices where state = 'accepted_contingency' and livemode)
          union all
          (select account_id, account_id from account where account_id is not null limit ${accountsMax})
        )
        select p.name, p.account_id, c.failing_since is not null as is_failing,
          coalesce(c.next_probe_at <= now(), true) as is_probe_due
        from place p left join authority_circuits c on c.name = p.name`
    )

    const take = Query.all(
      Schema.Struct({ ...AccountMode.fields, id: DocumentId }),
      ({ account_id, is_failing, name }: Waiting, limit: number) => sql`
        with oldest as (
          select account_id, livemode, id, created_at from invoices
          where state = 'accepted_contingency'
            and ${account_id === null ? sql`livemode` : sql`account_id = ${account_id} and not livemode`} and next_action_at = 'infinity'
          order by created_at, id limit ${limit} for update skip locked
        ),
        taken as (
          update invoices i set next_action_at = now() + ${reminderLeaseSeconds} * interval '1 second',
            transmit_before = case when ${is_failing} then i.transmit_before else coalesce(i.transmit_before,
              greatest(i.contingency_since, (select restored_at from authority_circuits where name = ${name}))
                + ${transmitWithinHours} * interval '1 hour') end
          from oldest o where i.account_id = o.account_id and i.livemode = o.livemode and i.id = o.id
          returning i.account_id, i.livemode, i.id, i.created_at
        )
        select account_id, livemode, id from taken order by created_at, id`
    )

    return {
      read: Effect.fn("AuthorityCircuits.read")((name: string) =>
        Effect.map(
          find(name),
          Option.getOrElse(() => closed)
        )
      ),
      /**
       * Records a call without an answer. Opens the circuit when no call has succeeded for `openAfterMs`. After `silenceMs` without a
       * recorded failure that time starts again, because the state of the authority in between is unknown.
       */
      failed: Effect.fn("AuthorityCircuits.failed")(failed),
      succeeded,
      claimProbe,
      /** The circuits with documents that wait to be transmitted. */
      waiting: Effect.withSpan(waiting(), "AuthorityCircuits.waiting"),
      /**
       * Takes the oldest waiting documents of a circuit, at most `limit`, each under a lease. When calls succeed again, the 48 hours
       * to transmit a document run from the moment the authority came back.
       */
      take: Effect.fn("AuthorityCircuits.take")(take)
    }
  })
}) {
  static readonly layer = Layer.effect(AuthorityCircuits, AuthorityCircuits.make)
}
