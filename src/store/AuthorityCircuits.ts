import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccountMode } from "../../schemas/Account.ts"
import { DocumentId } from "../../schemas/Id.ts"
import type { InvoiceKey } from "./Invoices.ts"
import { reminderLeaseSeconds } from "./PoisonInvoices.ts"

/** Whether the authority answers, as far as all processes together know. By the database's clock. */
export const CircuitState = Schema.Struct({
  /** Since when no call has succeeded, and when the last one has failed, in milliseconds; null while calls succeed. */
  failing_ms: Schema.NullOr(Schema.Finite),
  failed_ms: Schema.NullOr(Schema.Finite),
  /** It has been away for so long that documents are issued without it. */
  is_open: Schema.Boolean
})
export type CircuitState = typeof CircuitState.Type

const closed: CircuitState = { failing_ms: null, failed_ms: null, is_open: false }

/** A circuit with documents that wait to be transmitted. */
const Waiting = Schema.Struct({
  name: Schema.String,
  /** Null: of all live accounts. */
  account_id: Schema.NullOr(Schema.String),
  is_failing: Schema.Boolean,
  is_probe_due: Schema.Boolean
})
export type Waiting = typeof Waiting.Type

/** The live environment is one; an account's tests have a simulated authority of their own. */
export const circuitOf = ({ account_id, livemode }: AccountMode): string => (livemode ? "live" : account_id)

// Of accounts that test, in one look.
const accountsMax = 1_000
const transmitWithinHours = 48

/**
 * The breaker of the authority's environments, as rows: it holds over restarts and for all processes. (The one of
 * `effect/persistence` keeps its state in memory or in Redis, and counts failures; here it is time that decides.)
 */
export class AuthorityCircuits extends Context.Service<
  AuthorityCircuits,
  {
    readonly read: (name: string) => Effect.Effect<CircuitState>
    /**
     * A call got no answer. Opens the circuit when none has succeeded for `openAfterMs`. Where nobody has called for `silenceMs`,
     * nothing is known of that time, and it begins anew.
     */
    readonly failed: (name: string, openAfterMs: number, silenceMs: number) => Effect.Effect<CircuitState>
    /** The authority has answered. */
    readonly succeeded: (name: string) => Effect.Effect<void>
    /** Whether the caller, and nobody else for `intervalMs`, may try whether the authority answers again. */
    readonly claimProbe: (name: string, intervalMs: number) => Effect.Effect<boolean>
    /** Where documents wait to be transmitted. */
    readonly waiting: Effect.Effect<ReadonlyArray<Waiting>>
    /**
     * The oldest of those that wait in a circuit, each given a lease before it rings. Where the authority is back, the time that
     * is left for them runs from then on.
     */
    readonly take: (circuit: Waiting, limit: number) => Effect.Effect<ReadonlyArray<InvoiceKey>>
  }
>()("folio/store/AuthorityCircuits") {
  static readonly layer = Layer.effect(
    AuthorityCircuits,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const decodeStates = Schema.decodeUnknownEffect(Schema.Array(CircuitState))
      const decodeWaiting = Schema.decodeUnknownEffect(Schema.Array(Waiting))
      const decodeKeys = Schema.decodeUnknownEffect(
        Schema.Array(Schema.Struct({ ...AccountMode.fields, id: DocumentId }))
      )
      const state = sql.literal(`
        (extract(epoch from now() - failing_since) * 1000)::float8 as failing_ms,
        (extract(epoch from now() - failed_at) * 1000)::float8 as failed_ms, opened_at is not null as is_open`)

      const read = Effect.fn("AuthorityCircuits.read")(function* (name: string) {
        const [row] = yield* sql`select ${state} from authority_circuits where name = ${name}`.pipe(
          Effect.flatMap(decodeStates)
        )
        return row ?? closed
      }, Effect.orDie)

      const failed = Effect.fn("AuthorityCircuits.failed")(function* (
        name: string,
        openAfterMs: number,
        silenceMs: number
      ) {
        const ms = sql.literal("* interval '1 millisecond'")
        const [row] = yield* sql`
          insert into authority_circuits as c (name, failing_since, failed_at) values (${name}, now(), now())
          on conflict (name) do update set failed_at = now(),
            failing_since = case when c.opened_at is null and c.failed_at < now() - ${silenceMs}::float8 ${ms} then now()
              else coalesce(c.failing_since, now()) end,
            opened_at = case when c.opened_at is null and (c.failed_at >= now() - ${silenceMs}::float8 ${ms})
              and c.failing_since <= now() - ${openAfterMs}::float8 ${ms} then now() else c.opened_at end
          returning ${state}`.pipe(Effect.flatMap(decodeStates))
        return row ?? closed
      }, Effect.orDie)

      const succeeded = Effect.fn("AuthorityCircuits.succeeded")((name: string) =>
        sql`
          update authority_circuits set failing_since = null, failed_at = null, opened_at = null, restored_at = now(), next_probe_at = now()
          where name = ${name} and failing_since is not null`.pipe(Effect.orDie, Effect.asVoid)
      )

      const claimProbe = Effect.fn("AuthorityCircuits.claimProbe")(function* (name: string, intervalMs: number) {
        const rows = yield* sql`
          update authority_circuits set next_probe_at = now() + ${intervalMs}::float8 * interval '1 millisecond'
          where name = ${name} and next_probe_at <= now() returning name`
        return rows.length > 0
      }, Effect.orDie)

      // From account to account along the index, not document by document: thousands of one account are one step.
      const waiting = sql`
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
        from place p left join authority_circuits c on c.name = p.name`.pipe(
        Effect.flatMap(decodeWaiting),
        Effect.orDie,
        Effect.withSpan("AuthorityCircuits.waiting")
      )

      const take = Effect.fn("AuthorityCircuits.take")(function* (
        { account_id, is_failing, name }: Waiting,
        limit: number
      ) {
        const own = account_id === null ? sql`livemode` : sql`account_id = ${account_id} and not livemode`
        return yield* sql`
          with oldest as (
            select account_id, livemode, id, created_at from invoices
            where state = 'accepted_contingency' and ${own} and next_action_at = 'infinity'
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
          select account_id, livemode, id from taken order by created_at, id`.pipe(Effect.flatMap(decodeKeys))
      }, Effect.orDie)

      return AuthorityCircuits.of({ read, failed, succeeded, claimProbe, waiting, take })
    })
  )
}
