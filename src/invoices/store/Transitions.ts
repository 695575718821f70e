import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { AuthorityError, DocumentKey, Failure } from "../../../schemas/FiscalDocument.ts"
import type { Waiting } from "../../../schemas/AuthorityTrouble.ts"
import type { InvoiceCommand, InvoiceState } from "../rules/InvoiceLifecycle.ts"
import * as Batcher from "../../database/Batcher.ts"
import * as Input from "../../database/Input.ts"
import { keyColumns } from "../../database/Keys.ts"
import * as Query from "../../database/Query.ts"
import { emailId } from "../../database/Ids.ts"
import { eventColumns, type NewEvent, newEvents, notifiedEndpoints } from "../../webhooks/store/NewDeliveries.ts"
import type { ReadyPlace } from "../../webhooks/store/ReadyEndpoints.ts"
import { Workers } from "../../database/Workers.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"

/** A step of a document from the version that its actor has read. A null `command` only reschedules the document. */
export interface Step {
  readonly key: DocumentKey
  readonly version: number
  readonly from: InvoiceState
  readonly command: InvoiceCommand | null
  readonly to: InvoiceState
  /**
   * Milliseconds until the sweeper takes the document again. Null if no work is left. Infinity while the document waits
   * for the authority to recover, until `AuthorityCircuits.take` takes it.
   */
  readonly alarmMs: number | null
  /** Whether this process holds the document until the alarm. If the process dies, the document is due immediately. */
  readonly held?: boolean
  /** Whether the step counts an attempt. A call of the authority counts before its first byte is sent. */
  readonly attempt?: boolean
  /** Whether the document's bytes may be sent from this step on; sets `submitted_at` if it is not set. */
  readonly leaves?: boolean
  /** Whether the step signs the document first. Sign and Submit of an unsigned document are one step, two versions. */
  readonly signs?: boolean
  /** Why the document waits for the authority. Null ends the wait; if omitted, the reason stays. */
  readonly waiting?: Omit<Waiting, "since"> | null
  /** Milliseconds until the deadline to transmit a document in contingency. */
  readonly transmitWithinMs?: number | null
  readonly signed?: Uint8Array
  readonly authorityAnswer?: unknown
  readonly errors?: ReadonlyArray<AuthorityError>
  readonly notifications?: ReadonlyArray<AuthorityError>
  readonly failure?: Failure
  /** Whether Folio asks the authority for the buyer's acceptance from now on. */
  readonly asksBuyer?: boolean
  readonly event?: NewEvent
  /** Reserved places for the first attempts of the event's deliveries. */
  readonly places?: ReadonlyArray<Pick<ReadyPlace, "endpoint_id" | "inFlight">>
}

const Taken = Schema.Struct({
  id: Schema.String,
  endpoint_id: Schema.String,
  url: Schema.String,
  secret: Schema.String
})
const Moved = Schema.Struct({
  moved: Schema.Boolean,
  endpoints: Schema.Array(Schema.String),
  taken: Schema.NullOr(Schema.Array(Taken)),
  emailed: Schema.Boolean
})
/**
 * The result of a step.
 *
 * - `moved`: false if another owner moved the document first. The step then changed nothing.
 * - `endpoints`: the endpoints with a new delivery to send.
 * - `taken`: the deliveries of the step's event whose first attempts have a reserved place.
 * - `emailed`: whether the document has a new email to send.
 */
export type Moved = typeof Moved.Type

const batchMax = 300

const inFlightOf = (places: NonNullable<Step["places"]>) =>
  Object.fromEntries(places.map(({ endpoint_id, inFlight }) => [endpoint_id, inFlight]))

const input = Input.make<Step>({
  ...keyColumns,
  version: ["integer", (step) => step.version],
  from_state: ["text", (step) => step.from],
  command: ["text", (step) => step.command],
  to_state: ["text", (step) => step.to],
  alarm_ms: ["float8", (step) => step.alarmMs],
  held: ["boolean", ({ held = false }) => held],
  attempt: ["boolean", ({ attempt = false }) => attempt],
  leaves: ["boolean", ({ leaves = false }) => leaves],
  signs: ["boolean", ({ signs = false }) => signs],
  transmit_ms: ["float8", (step) => step.transmitWithinMs],
  sets_waiting: ["boolean", ({ waiting }) => waiting !== undefined],
  waiting: ["json", ({ waiting }) => waiting],
  signed: ["bytea", (step) => step.signed],
  authority_answer: ["json", (step) => step.authorityAnswer],
  errors: ["json", (step) => step.errors],
  notifications: ["json", (step) => step.notifications],
  failure: ["json", (step) => step.failure],
  places: ["json", ({ places = [] }) => (places.length === 0 ? undefined : inFlightOf(places))],
  ...eventColumns
})

/**
 * The part `counted` of a statement: counts the documents in the rows of `from` that end on `day` (YYYY-MM-DD), each by
 * its new state `outcome`. It locks its rows in order and after the documents, so that two statements cannot deadlock.
 */
export const countedUsage = (
  sql: SqlClient.SqlClient,
  { day, from, outcome }: { readonly day: string } & Readonly<Record<"from" | "outcome", Statement.Fragment>>
) => sql`
  counted as (
    insert into daily_usage (account_id, livemode, day, kind, outcome, documents)
    select account_id, livemode, ${day}::date, kind, ${outcome}, count(*) from ${from}
    group by account_id, livemode, kind, ${outcome} order by account_id, livemode, kind, ${outcome}
    on conflict (account_id, livemode, day, kind, outcome)
    do update set documents = daily_usage.documents + excluded.documents
  )`

const ends = ({ alarmMs, command }: Step) => command !== null && alarmMs === null

/**
 * Moves documents along their lifecycle by a compare-and-set on state and version. A step from an outdated version
 * changes nothing. The same statement stores the signed bytes, the event and its deliveries. For an accepted document,
 * it also stores the email to the acquirer and the question about the buyer's acceptance. It counts the documents that
 * end. The statement locks rows in id order, so that two owners of the same documents cannot deadlock.
 */
export class Transitions extends Context.Service<Transitions>()("folio/invoices/store/Transitions", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const workers = yield* Workers
    const { localDate } = yield* NationalProfile

    // Omits each part that no step needs: PostgreSQL opens its table, indexes and constraints even without rows.
    const none = sql``
    const document = sql`
          document as (
            insert into invoice_documents (account_id, livemode, invoice_id, signed, created_at)
            select account_id, livemode, id, signed, now() from done where signed is not null
            on conflict (account_id, livemode, invoice_id) do update set signed = excluded.signed
          ),`
    const answer = sql`
          answer as (
            update invoice_documents o set authority_answer = d.authority_answer::jsonb from done d
            where d.authority_answer is not null and o.account_id = d.account_id and o.livemode = d.livemode
              and o.invoice_id = d.id
          ),`
    const email = sql`
          email as (
            insert into emails (account_id, livemode, id, invoice_id, document_state, recipient)
            select account_id, livemode, ${emailId(sql, sql`event_id`)}, id, to_state, recipient
            from done where recipient is not null
          ),`
    const questions = (ids: ReadonlyArray<string>) => sql`
          question as (
            insert into acceptances (account_id, livemode, id)
            select account_id, livemode, id from done where id = any(${ids}::text[]) on conflict do nothing
          ),`
    const events = sql`
          ${newEvents(sql, { from: sql`done`, object_id: sql`id`, object_version: sql`new_version`, worker: workers.id })},
          ${notifiedEndpoints(sql)},`

    const usage = (day: string) => {
      const from = sql`(select * from done where command is not null and alarm_ms is null) ended`
      return sql`
          ${countedUsage(sql, { day, from, outcome: sql`to_state` })},`
    }

    /** The optional parts of the statement. */
    const besides = (steps: ReadonlyArray<Step>, day: string) => {
      const some = (needs: (step: Step) => boolean, part: Statement.Fragment) => (steps.some(needs) ? part : none)
      const asking = steps.flatMap(({ asksBuyer, key }) => (asksBuyer === true ? [key.id] : []))
      return sql`
          ${some(ends, usage(day))}
          ${some(({ signed }) => signed !== undefined, document)}
          ${some(({ authorityAnswer }) => authorityAnswer !== undefined, answer)}
          ${some(({ command }) => command === "Accept" || command === "EnterContingency", email)}
          ${asking.length > 0 ? questions(asking) : none}
          ${some(({ event }) => event !== undefined, events)}`
    }

    const move = yield* Batcher.make({
      name: "Transitions.move",
      max: batchMax,
      blind: true,
      run: Query.all(
        Moved,
        Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
          const hasEvents = steps.some(({ event }) => event !== undefined)
          const today = localDate(yield* Clock.currentTimeMillis)
          return yield* sql`
          with input as (select * from ${input(sql, steps)}),
          moved as (
            update invoices i set state = n.to_state, version = i.version + 1 + n.signs::integer, attempts = i.attempts + n.attempt::integer,
              next_action_at = case when n.alarm_ms = 'Infinity' then 'infinity'
                else now() + n.alarm_ms * interval '1 millisecond' end,
              worker = case when n.held then ${workers.id}::text end,
              submitted_at = case when n.command = 'Return' then null when n.leaves then coalesce(i.submitted_at, now())
                else i.submitted_at end,
              waiting = case when n.sets_waiting then n.waiting::jsonb else i.waiting end,
              waiting_since = case when not n.sets_waiting then i.waiting_since when n.waiting is null then null
                when i.waiting ->> 'code' = n.waiting::jsonb ->> 'code' then i.waiting_since else now() end,
              contingency_since = case when n.command = 'EnterContingency' then now() else i.contingency_since end,
              of_type_04 = case when n.command = 'EnterContingency' then true else i.of_type_04 end,
              transmit_before = coalesce(now() + n.transmit_ms * interval '1 millisecond', i.transmit_before),
              authority_errors = coalesce(n.errors::jsonb, i.authority_errors),
              authority_notifications = coalesce(n.notifications::jsonb, i.authority_notifications),
              failure = n.failure::jsonb, updated_at = now()
            from (select * from input order by id) n
            where i.account_id = n.account_id and i.livemode = n.livemode and i.id = n.id
              and i.version = n.version and i.state = n.from_state
            returning n.ord, i.version as new_version, i.kind,
              case when n.command in ('Accept', 'EnterContingency') then i.acquirer ->> 'email' end as recipient
          ),
          done as (select n.*, m.new_version, m.recipient, m.kind from moved m join input n on n.ord = m.ord),
          ${besides(steps, today)}
          log as (
            insert into transitions (account_id, livemode, invoice_id, version, command, from_state, to_state, at)
            select account_id, livemode, id, new_version - 1, 'Sign', from_state, 'signed', now() from done where signs
            union all
            select account_id, livemode, id, new_version, command, case when signs then 'signed' else from_state end, to_state, now()
            from done where command is not null
          )
          select m.ord is not null as moved, m.recipient is not null as emailed,
            ${hasEvents ? sql`coalesce(t.endpoints, '{}') as endpoints, t.taken` : sql`'{}'::text[] as endpoints, null as taken`}
          from input n
          left join moved m on m.ord = n.ord
          ${hasEvents ? sql`left join notified t on t.event_id = n.event_id` : none}
          order by n.ord`
        })
      )
    })

    return { move: (step: Step): Effect.Effect<Moved> => move(step), moveAll: move.all }
  })
}) {
  static readonly layer = Layer.effect(Transitions, Transitions.make)
}
