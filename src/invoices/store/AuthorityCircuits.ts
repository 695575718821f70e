import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccountMode } from "../../../schemas/Account.ts"
import { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import { DocumentId } from "../../../schemas/Id.ts"
import * as Query from "../../database/Query.ts"
import { reminderLeaseSeconds } from "./Vitals.ts"

/** The state of one circuit of the authority, which all processes share. Times are by the database's clock. */
export const CircuitState = Schema.Struct({
  /** Milliseconds since the first failure after the last successful call; null while calls succeed. */
  failing_ms: Schema.NullOr(Schema.Finite),
  /** Milliseconds since the last failure; null while calls succeed. */
  failed_ms: Schema.NullOr(Schema.Finite),
  /** Milliseconds for which the authority has caused every failure; null if it did not cause the newest failure. */
  at_fault_ms: Schema.NullOr(Schema.Finite),
  /** Whether the outage has lasted so long that Folio issues documents in contingency. */
  is_open: Schema.Boolean,
  /** The first two accounts whose calls failed. */
  accounts: Schema.Array(Schema.String),
  /** Whether a call failed for a cause that all accounts share. */
  of_all: Schema.Boolean,
  /** The newest failure. */
  trouble: Schema.NullOr(AuthorityTrouble),
  message: Schema.NullOr(Schema.String),
  trouble_since: Schema.NullOr(Schema.Date),
  /** Why the authority rejected the newest call that it rejected because of the sender. */
  refusal: Schema.NullOr(AuthorityTrouble),
  /** The start of the rejections with this reason. */
  refusal_since: Schema.NullOr(Schema.Date),
  /** Milliseconds since the newest rejection. */
  refused_ms: Schema.NullOr(Schema.Finite)
})
export type CircuitState = typeof CircuitState.Type

/** The state of a circuit whose calls succeed. */
export const closedCircuit: CircuitState = {
  failing_ms: null,
  failed_ms: null,
  at_fault_ms: null,
  is_open: false,
  accounts: [],
  of_all: false,
  trouble: null,
  message: null,
  trouble_since: null,
  refusal: null,
  refusal_since: null,
  refused_ms: null
}

// An older failure does not describe the current state, unless Folio still issues documents in contingency.
const recentMs = 15 * 60_000

/**
 * The current trouble of a circuit: its calls fail, or else the authority rejects some calls. Null without a recent
 * trouble.
 */
export const troubleIn = (state: CircuitState) => {
  const { failed_ms, is_open, message, refusal, refusal_since, refused_ms, trouble, trouble_since } = state
  if (trouble !== null && trouble_since !== null && failed_ms !== null && (failed_ms <= recentMs || is_open)) {
    return { trouble, message: message ?? "", since: trouble_since, is_open }
  }
  return refusal === null || refusal_since === null || refused_ms === null || refused_ms > recentMs
    ? null
    : { trouble: refusal, message: "the authority rejects some calls", since: refusal_since, is_open: false }
}

/** A failed call of the authority. */
export interface FailedCall {
  readonly account_id: string
  readonly trouble: AuthorityTrouble
  readonly message: string
  /** Whether the authority caused the failure. */
  readonly is_authoritys: boolean
  /** Whether all accounts share the cause, such as a refused connection. */
  readonly of_all: boolean
}

/** A circuit with documents that wait for the authority to recover. */
const Waiting = Schema.Struct({
  name: Schema.String,
  /** Null for the live circuit, which all live accounts share. */
  account_id: Schema.NullOr(Schema.String),
  is_failing: Schema.Boolean,
  is_open: Schema.Boolean,
  is_probe_due: Schema.Boolean
})
export type Waiting = typeof Waiting.Type

const age = (column: string) => `(extract(epoch from now() - ${column}) * 1000)::float8`

/** The name of a circuit: all live accounts share one, and each account's test mode has its own simulated authority. */
export const circuitOf = ({ account_id, livemode }: AccountMode): string => (livemode ? "live" : account_id)

// Maximum circuits of test accounts in one result of `waiting`.
const accountsMax = 1_000
const transmitWithinHours = 48
// The probe is one of this many oldest documents of each state: of a random account, the document with the oldest
// attempt. So an account whose documents never get a response does not block the other accounts. A document that was
// never sent is the probe only if no other document waits.
const probedAmong = 1_000

/** The documents to take from a circuit: the oldest of every state, only unsent documents, or the probe. */
export type Share = "all" | "signed" | "probe"
const restingStates = ["submitted", "accepted_contingency", "signed"] as const

/**
 * The circuit breakers of the authority's environments, stored as rows, which survive restarts and which all processes
 * share. The breaker of `effect/persistence` keeps its state in memory or in Redis and counts failures. This breaker
 * opens by time.
 */
export class AuthorityCircuits extends Context.Service<AuthorityCircuits>()("folio/invoices/store/AuthorityCircuits", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(`
      ${age("failing_since")} as failing_ms, ${age("failed_at")} as failed_ms, ${age("at_fault_since")} as at_fault_ms,
      opened_at is not null as is_open, accounts, of_all, trouble, message, trouble_since,
      refusal, refusal_since, ${age("refused_at")} as refused_ms`)

    const find = Query.first(
      CircuitState,
      (name: string) => sql`select ${columns} from authority_circuits where name = ${name}`
    )

    const ms = sql.literal("* interval '1 millisecond'")
    const failed = Query.one(
      CircuitState,
      (name: string, call: FailedCall, openAfterMs: number, silenceMs: number) => sql`
        insert into authority_circuits as c
          (name, failing_since, failed_at, at_fault_since, accounts, of_all, trouble, message, trouble_since)
        values (${name}, now(), now(), case when ${call.is_authoritys}::boolean then now() end, array[${call.account_id}::text],
          ${call.of_all}::boolean, ${call.trouble}::text, ${call.message}::text, now())
        on conflict (name) do update set
          (failing_since, failed_at, at_fault_since, opened_at, accounts, of_all, trouble, message, trouble_since) = (
            select case when is_new then now() else c.failing_since end, now(),
              case when excluded.at_fault_since is null then null when is_new then now()
                else coalesce(c.at_fault_since, now()) end,
              case when excluded.at_fault_since is null or is_new then null
                when c.at_fault_since <= now() - ${openAfterMs}::float8 ${ms} then coalesce(c.opened_at, now())
                else c.opened_at end,
              case when is_new then excluded.accounts
                when cardinality(c.accounts) >= 2 or c.accounts @> excluded.accounts then c.accounts
                else c.accounts || excluded.accounts end,
              excluded.of_all or (c.of_all and not is_new), excluded.trouble, excluded.message,
              case when c.trouble = excluded.trouble and not is_new then c.trouble_since else now() end
            from (
              select c.failing_since is null
                or (c.opened_at is null and c.failed_at < now() - ${silenceMs}::float8 ${ms}) as is_new
            ) period
          )
        returning ${columns}`
    )

    /** Records a response of the authority, which closes the circuit and proves that the clock is right. */
    const succeeded = Effect.fn("AuthorityCircuits.succeeded")((name: string) =>
      sql`
        update authority_circuits set failing_since = null, failed_at = null, at_fault_since = null, opened_at = null,
          accounts = '{}', of_all = false, trouble = null, message = null, trouble_since = null, next_probe_at = now(),
          restored_at = case when failing_since is null then restored_at else now() end,
          refusal = case when refusal <> 'clock_off' then refusal end
        where name = ${name} and (failing_since is not null or refusal = 'clock_off')`.pipe(Effect.orDie, Effect.asVoid)
    )

    const refused = Effect.fn("AuthorityCircuits.refused")((name: string, trouble: AuthorityTrouble) =>
      sql`
        insert into authority_circuits as c (name, refusal, refusal_since, refused_at) values (${name}, ${trouble}, now(), now())
        on conflict (name) do update set refusal = excluded.refusal, refused_at = now(),
          refusal_since = case when c.refusal = excluded.refusal and c.refused_at > now() - ${recentMs}::float8 ${ms}
            then c.refusal_since else now() end`.pipe(Effect.orDie, Effect.asVoid)
    )

    /** Claims a probe of the authority: true for one caller in each `intervalMs`. */
    const claimProbe = Effect.fn("AuthorityCircuits.claimProbe")((name: string, intervalMs: number) =>
      Query.isAny(sql`
        update authority_circuits set next_probe_at = now() + ${intervalMs}::float8 ${ms}
        where name = ${name} and next_probe_at <= now() returning name`)
    )

    // Skips along the index from account to account, so that thousands of documents of one account cost one step.
    const waiting = Query.all(
      Waiting,
      () => sql`
        with recursive account as (
          (select account_id from invoices where next_action_at = 'infinity' and not livemode order by account_id limit 1)
          union all
          select (
            select i.account_id from invoices i
            where i.next_action_at = 'infinity' and not i.livemode and i.account_id > a.account_id
            order by i.account_id limit 1
          ) from account a where a.account_id is not null
        ),
        place as (
          select 'live' as name, null as account_id
          where exists (select from invoices where next_action_at = 'infinity' and livemode)
          union all
          (select account_id, account_id from account where account_id is not null limit ${accountsMax})
        )
        select p.name, p.account_id, c.failing_since is not null as is_failing, c.opened_at is not null as is_open,
          coalesce(c.next_probe_at <= now(), true) as is_probe_due
        from place p left join authority_circuits c on c.name = p.name`
    )

    // While the circuit is open, Folio issues unsent documents in contingency, so an unsent document is no probe.
    const fitting = ({ is_open }: Waiting, share: Share) => {
      if (share === "signed") return sql`and submitted_at is null`
      return share === "probe" && is_open ? sql`and (state <> 'signed' or submitted_at is not null)` : sql``
    }

    /** The oldest documents of a state that wait for the authority to recover, at most `limit`. */
    const resting = (circuit: Waiting, state: (typeof restingStates)[number], share: Share, limit: number) => sql`
      (select account_id, livemode, id, created_at, updated_at, ${restingStates.indexOf(state)}::integer as rank from invoices
      where next_action_at = 'infinity' and state = ${state}
        and ${circuit.account_id === null ? sql`livemode` : sql`account_id = ${circuit.account_id} and not livemode`}
        ${fitting(circuit, share)}
      order by created_at, id limit ${limit})`

    const sharesOf = (circuit: Waiting, share: Share, limit: number) => {
      const states = share === "signed" ? restingStates.slice(2) : restingStates
      const each = states.map((state) => resting(circuit, state, share, share === "probe" ? probedAmong : limit))
      const order =
        share === "probe" ? sql`rank = 2, md5(account_id || now()::text), updated_at, id` : sql`rank, created_at, id`
      return sql`
        select * from (${sql.join(" union all ", false)(each)}) s
        order by ${order} limit ${share === "probe" ? 1 : limit}`
    }

    const take = Query.all(
      Schema.Struct({ ...AccountMode.fields, id: DocumentId }),
      (circuit: Waiting, share: Share, limit: number) => sql`
        with share as (${sharesOf(circuit, share, limit)}),
        free as (
          select i.account_id, i.livemode, i.id, s.rank from invoices i join share s using (account_id, livemode, id)
          where i.next_action_at = 'infinity' order by i.id for update of i skip locked
        ),
        taken as (
          update invoices i set next_action_at = now() + ${reminderLeaseSeconds} * interval '1 second',
            transmit_before = case when ${circuit.is_failing} or i.state <> 'accepted_contingency' then i.transmit_before
              else coalesce(i.transmit_before,
                greatest(i.contingency_since, (select restored_at from authority_circuits where name = ${circuit.name}))
                + ${transmitWithinHours} * interval '1 hour') end
          from free f where i.account_id = f.account_id and i.livemode = f.livemode and i.id = f.id
          returning i.account_id, i.livemode, i.id, i.created_at, f.rank
        )
        select account_id, livemode, id from taken order by rank, created_at, id`
    )

    return {
      read: Effect.fn("AuthorityCircuits.read")((name: string) =>
        find(name).pipe(Effect.map(Option.getOrElse(() => closedCircuit)))
      ),
      /**
       * Records a call without a response. Opens the circuit when, for `openAfterMs`, no call has succeeded and the
       * authority has caused every failure. A failure that the authority did not cause closes the circuit. After
       * `silenceMs` without a failure, `openAfterMs` starts again, because the authority's state is unknown in between.
       */
      failed: Effect.fn("AuthorityCircuits.failed")(failed),
      succeeded,
      /** Makes every circuit whose calls fail due for a probe now. */
      tryNow: sql`update authority_circuits set next_probe_at = now() where failing_since is not null`.pipe(
        Effect.orDie,
        Effect.asVoid,
        Effect.withSpan("AuthorityCircuits.tryNow")
      ),
      /** Records a rejection because of the sender. The circuit stays as it is: the authority may respond to others. */
      refused,
      claimProbe,
      /** The circuits with documents that wait for the authority to recover. */
      waiting: Effect.withSpan(waiting(), "AuthorityCircuits.waiting"),
      /**
       * Takes waiting documents of a circuit, at most `limit`, each under a lease. The 48 hours to transmit a document
       * in contingency start when the authority recovers.
       */
      take: Effect.fn("AuthorityCircuits.take")(take)
    }
  })
}) {
  static readonly layer = Layer.effect(AuthorityCircuits, AuthorityCircuits.make)
}
