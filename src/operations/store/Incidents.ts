import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccountId, IncidentId } from "../../../schemas/Id.ts"
import { IncidentDetails, IncidentKind, IncidentSeverity, IncidentState } from "../../../schemas/Incident.ts"
import type { Cause } from "../rules/Causes.ts"
import { holdDownMs, type OpenIncident, type Verdict } from "../rules/IncidentRules.ts"
import { storableText } from "../../runtime/json/Storable.ts"
import { Ids } from "../../database/Ids.ts"
import * as Input from "../../database/Input.ts"
import * as Query from "../../database/Query.ts"
import { sources } from "./Sources.ts"

const Row = Schema.Struct({
  id: IncidentId,
  kind: IncidentKind,
  subject: Schema.String,
  severity: IncidentSeverity,
  account_id: Schema.NullOr(AccountId),
  livemode: Schema.NullOr(Schema.Boolean),
  issuer: Schema.NullOr(Schema.String),
  summary: Schema.String,
  action: Schema.String,
  details: IncidentDetails,
  since: Schema.Date,
  opened_at: Schema.Date,
  ended_at: Schema.NullOr(Schema.Date)
})

const SentAlert = Schema.Struct({
  channel: Schema.String,
  state: IncidentState,
  attempts: Schema.Int,
  sent_at: Schema.NullOr(Schema.Date),
  next_attempt_at: Schema.NullOr(Schema.Date),
  error: Schema.NullOr(Schema.String)
})
const Listed = Schema.Struct({ ...Row.fields, alerts: Schema.Array(Schema.toCodecJson(SentAlert)) })
/** An incident with its alerts, sent and pending. */
export type ListedIncident = typeof Listed.Type

const DueAlert = Schema.Struct({ ...Row.fields, state: IncidentState, attempts: Schema.Int })
/** An alert about an incident that is due on a channel. `attempts` counts this attempt. */
export type DueAlert = typeof DueAlert.Type

/** The outcome of an attempt to send an alert. `retryInMs` is null if there is no retry. */
export interface Attempted {
  readonly incident_id: string
  readonly channel: string
  readonly state: IncidentState
  readonly attempts: number
  /** Null if the channel accepted the alert. */
  readonly error: string | null
  readonly retryInMs: number | null
}

/** The newest alert of a channel, and the number of its pending alerts. */
const ChannelStatus = Schema.Struct({
  channel: Schema.String,
  waiting: Schema.Int,
  sent_at: Schema.NullOr(Schema.Date),
  error: Schema.NullOr(Schema.String)
})
export type ChannelStatus = typeof ChannelStatus.Type

// Longer than the sending of an alert, so that no two processes send the same alert concurrently.
export const alertLeaseSeconds = 120
/** The maximum number of alerts that one channel sends together. */
export const alertsMax = 20
const openMax = 5_000
const listedMax = 200
const errorMax = 300

interface Put extends Cause {
  readonly id: string
}

const input = Input.make<Put>({
  id: ["text", ({ id }) => id],
  kind: ["text", ({ kind }) => kind],
  subject: ["text", ({ subject }) => subject],
  severity: ["text", ({ severity }) => severity],
  account_id: ["text", ({ account }) => account?.account_id],
  livemode: ["boolean", ({ account }) => account?.livemode],
  issuer: ["text", ({ account }) => account?.issuer],
  summary: ["text", ({ summary }) => summary],
  action: ["text", ({ action }) => action],
  details: ["json", ({ details }) => details],
  since: ["timestamptz", ({ since }) => since]
})

/** The current faults, the incidents that Folio has opened, and the alerts of each incident by channel. */
export class Incidents extends Context.Service<Incidents>()("folio/operations/store/Incidents", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ids = yield* Ids

    const Open = Schema.Struct({
      id: Schema.String,
      kind: IncidentKind,
      subject: Schema.String,
      summary: Schema.String,
      gone_ms: Schema.NullOr(Schema.Finite)
    })
    const open = Query.all(
      Open,
      () => sql`
        select id, kind, subject, summary, (extract(epoch from now() - gone_since) * 1000)::float8 as gone_ms
        from incidents where ended_at is null order by opened_at, id limit ${openMax}`
    )

    const put = (causes: ReadonlyArray<Put>) => sql`
      insert into incidents (id, kind, subject, severity, account_id, livemode, issuer, summary, action, details, since)
      select id, kind, subject, severity, account_id, livemode, issuer, summary, action, details::jsonb, coalesce(since, now())
      from ${input(sql, causes)}
      on conflict (kind, subject) where ended_at is null do update
        set severity = excluded.severity, summary = excluded.summary, action = excluded.action, details = excluded.details`
    const gone = (some: ReadonlyArray<string>) => sql`
      update incidents set gone_since = now() where id = any(${some}::text[]) and ended_at is null and gone_since is null`
    const back = (some: ReadonlyArray<string>) => sql`
      update incidents set gone_since = null where id = any(${some}::text[]) and ended_at is null`
    // A channel that reported the beginning also reports the end.
    const end = (some: ReadonlyArray<string>) => sql`
      with ended as (
        update incidents set ended_at = now()
        where id = any(${some}::text[]) and ended_at is null and gone_since <= now() - ${holdDownMs} * interval '1 millisecond'
        returning id
      )
      insert into incident_alerts (incident_id, channel, state)
      select t.incident_id, t.channel, 'ended' from ended e
      join incident_alerts t on t.incident_id = e.id and t.state = 'opened' on conflict do nothing`
    const toSend = (channels: ReadonlyArray<string>) => sql`
      insert into incident_alerts (incident_id, channel, state)
      select i.id, c.channel, 'opened' from incidents i cross join unnest(${channels}::text[]) as c (channel)
      where i.ended_at is null and not exists (
        select from incident_alerts t where t.incident_id = i.id and t.channel = c.channel and t.state = 'opened'
      )
      on conflict do nothing`

    /**
     * Stores the changes of a verdict and creates the due alerts of each channel, in one transaction. If two processes
     * open the same incident concurrently, it is opened once.
     */
    const record = Effect.fn("Incidents.record")(function* (verdict: Verdict, channels: ReadonlyArray<string>) {
      const causes = yield* Effect.forEach(verdict.put, (cause) =>
        Effect.map(ids.incident, (id): Put => ({ ...cause, id, summary: storableText(cause.summary, 1_000) }))
      )
      const steps = [
        ...(causes.length > 0 ? [put(causes)] : []),
        ...(verdict.back.length > 0 ? [back(verdict.back)] : []),
        ...(verdict.gone.length > 0 ? [gone(verdict.gone)] : []),
        ...(verdict.end.length > 0 ? [end(verdict.end)] : []),
        ...(channels.length > 0 ? [toSend(channels)] : [])
      ]
      if (steps.length > 0) yield* sql.withTransaction(Effect.all(steps, { discard: true }))
    }, Effect.orDie)

    const columns = sql.literal(
      Object.keys(Row.fields)
        .map((name) => `i.${name}`)
        .join(", ")
    )

    // The most severe first. The alert about the end waits until the alert about the beginning was sent or has finally
    // failed.
    const take = Query.all(
      DueAlert,
      (channel: string) => sql`
        with due as (
          select t.incident_id, t.state from incident_alerts t join incidents i on i.id = t.incident_id
          where t.channel = ${channel} and t.next_attempt_at <= now() and (t.state = 'opened' or not exists (
            select from incident_alerts o where o.incident_id = t.incident_id and o.channel = t.channel
              and o.state = 'opened' and o.next_attempt_at is not null
          ))
          order by array_position(array['critical', 'warning', 'info'], i.severity), i.opened_at, i.id limit ${alertsMax}
          for update of t skip locked
        ),
        taken as (
          update incident_alerts t
          set attempts = attempts + 1, next_attempt_at = now() + ${alertLeaseSeconds} * interval '1 second'
          from due where t.incident_id = due.incident_id and t.state = due.state and t.channel = ${channel}
          returning t.incident_id, t.state, t.attempts
        )
        select ${columns}, taken.state, taken.attempts from taken join incidents i on i.id = taken.incident_id
        order by i.opened_at, i.id`
    )

    /** Stores the outcome of an attempt. Ignores a failure if a later attempt has begun. */
    const recordAttempt = Effect.fn("Incidents.recordAttempt")(
      ({ attempts, channel, error, incident_id, retryInMs, state }: Attempted) => sql`
        update incident_alerts set sent_at = case when ${error === null}::boolean then now() end,
          error = ${error === null ? null : storableText(error, errorMax)}::text,
          next_attempt_at = now() + ${retryInMs}::float8 * interval '1 millisecond'
        where incident_id = ${incident_id} and channel = ${channel} and state = ${state} and sent_at is null
          and (attempts = ${attempts} or ${error === null}::boolean)`,
      Effect.orDie,
      Effect.asVoid
    )

    const list = Query.all(
      Listed,
      () => sql`
        select ${columns}, (
          select coalesce(json_agg(json_build_object('channel', channel, 'state', state, 'attempts', attempts,
            'sent_at', to_json(sent_at), 'next_attempt_at', to_json(next_attempt_at), 'error', error)
            order by created_at, state desc, channel), '[]')
          from incident_alerts t where t.incident_id = i.id
        ) as alerts
        from incidents i order by ended_at is not null, coalesce(ended_at, opened_at) desc limit ${listedMax}`
    )

    const channels = Query.all(
      ChannelStatus,
      () => sql`
        select distinct on (channel) channel, sent_at, error,
          (count(*) filter (where next_attempt_at is not null) over (partition by channel))::integer as waiting
        from incident_alerts where attempts > 0
        order by channel, coalesce(sent_at, created_at) desc`
    )

    return {
      /** Queries for all current faults. */
      sources: yield* sources,
      /** Open incidents, at most 5,000. */
      open: Effect.withSpan(open(), "Incidents.open") as Effect.Effect<ReadonlyArray<OpenIncident>>,
      record,
      /** Takes at most 20 due alerts of a channel under a lease, and counts the attempt. */
      take: Effect.fn("Incidents.take")(take),
      recordAttempt,
      /** At most 200 incidents: open incidents first, and then ended incidents, the latest end first. */
      list: Effect.withSpan(list(), "Incidents.list"),
      /**
       * For each channel with an attempted alert: the number of pending alerts, and the outcome of the newest alert.
       */
      channels: Effect.withSpan(channels(), "Incidents.channels")
    }
  })
}) {
  static readonly layer = Layer.effect(Incidents, Incidents.make)
}
