import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { EventId } from "../../schemas/Id.ts"
import type { EventType } from "../../schemas/Event.ts"
import type { AuthorityError, Failure } from "../../schemas/FiscalDocument.ts"
import type { InvoiceCommand, InvoiceState } from "../domain/InvoiceLifecycle.ts"
import * as Batcher from "./Batcher.ts"
import { emailId } from "./Ids.ts"
import { endpointsToTell, newDeliveries } from "./NewDeliveries.ts"
import type { InvoiceKey } from "./Invoices.ts"
import { Workers } from "./Workers.ts"

/** A step of a document from the version that its actor has read. `command` null reschedules it without a change of state. */
export interface Step {
  readonly key: InvoiceKey
  readonly version: number
  readonly from: InvoiceState
  readonly command: InvoiceCommand | null
  readonly to: InvoiceState
  /** When the sweeper looks again, from now; null when there is nothing left to do. */
  /** Infinity: it rests until it is looked for. */
  readonly alarmMs: number | null
  /** This process is at work on it until then; should it die, the sweeper looks at once. */
  readonly held?: boolean
  /** Counts an attempt to reach the authority, before its first byte leaves. */
  readonly attempt?: boolean
  /** Its bytes may leave from now on, if they have not left before. */
  readonly leaves?: boolean
  /** From now, the time that is left to transmit what was issued in contingency. */
  readonly transmitWithinMs?: number | null
  readonly signed?: Uint8Array
  readonly authorityAnswer?: unknown
  readonly errors?: ReadonlyArray<AuthorityError>
  readonly notifications?: ReadonlyArray<AuthorityError>
  readonly failure?: Failure
  readonly event?: { readonly id: EventId; readonly type: EventType; readonly body: string; readonly created_at: Date }
}

/**
 * What a step did. `moved` false: another owner was faster, and nothing was changed. `endpoints` have a delivery to make.
 * `emailed`: there is an e-mail to send.
 */
export interface Moved {
  readonly moved: boolean
  readonly endpoints: ReadonlyArray<string>
  readonly emailed: boolean
}

const batchMax = 300

const Result = Schema.Struct({ moved: Schema.Boolean, endpoints: Schema.Array(Schema.String), emailed: Schema.Boolean })

/**
 * Moves documents along their lifecycle: a compare-and-set on state and version, with the signed bytes, the event and its
 * deliveries in the same statement, and the e-mail to the acquirer of what is accepted. Whoever comes second changes nothing. Rows are locked in the order of their ids, so that
 * two owners of the same ones wait for each other, and never both at once.
 */
export class Transitions extends Context.Service<
  Transitions,
  { readonly move: (step: Step) => Effect.Effect<Moved> }
>()("folio/store/Transitions") {
  static readonly layer = Layer.effect(
    Transitions,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const workers = yield* Workers
      const decode = Schema.decodeUnknownEffect(Schema.Array(Result))

      const move = yield* Batcher.make({
        name: "Transitions.move",
        max: batchMax,
        blind: true,
        run: Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
          // The driver cannot tell the type of an array of nulls: absent values travel as '' or as -1.
          const json = (f: (step: Step) => unknown) =>
            steps.map((step) => {
              const value = f(step)
              return value === undefined ? "" : JSON.stringify(value)
            })
          return yield* sql`
            with input as (
              select * from unnest(
                ${steps.map((step) => step.key.account_id)}::text[],
                ${steps.map((step) => step.key.livemode)}::boolean[],
                ${steps.map((step) => step.key.id)}::text[],
                ${steps.map((step) => step.version)}::integer[],
                ${steps.map((step) => step.from)}::text[],
                ${steps.map((step) => step.command ?? "")}::text[],
                ${steps.map((step) => step.to)}::text[],
                ${steps.map((step) => step.alarmMs ?? -1)}::float8[],
                ${steps.map((step) => step.held === true)}::boolean[],
                ${steps.map((step) => (step.attempt === true ? 1 : 0))}::integer[],
                ${steps.map((step) => step.leaves === true)}::boolean[],
                ${steps.map((step) => step.transmitWithinMs ?? -1)}::float8[],
                ${steps.map((step) => step.signed ?? noBytes)}::bytea[],
                ${json((step) => step.authorityAnswer)}::text[],
                ${json((step) => step.errors)}::text[],
                ${json((step) => step.notifications)}::text[],
                ${json((step) => step.failure)}::text[],
                ${steps.map((step) => step.event?.id ?? "")}::text[],
                ${steps.map((step) => step.event?.type ?? "")}::text[],
                ${steps.map((step) => step.event?.body ?? "")}::text[],
                ${steps.map((step) => step.event?.created_at ?? epoch)}::timestamptz[]
              ) with ordinality as n (account_id, livemode, id, version, from_state, command, to_state, alarm_ms, held,
                attempt, leaves, transmit_ms, signed, authority_answer, errors, notifications, failure, event_id, event_type, event_body, event_at, ord)
            ),
            moved as (
              update invoices i set state = n.to_state, version = i.version + 1, attempts = i.attempts + n.attempt,
                next_action_at = case when n.alarm_ms = 'Infinity' then 'infinity'
                  when n.alarm_ms >= 0 then now() + n.alarm_ms * interval '1 millisecond' end,
                worker = case when n.held then ${workers.id}::text end,
                submitted_at = case when n.leaves then coalesce(i.submitted_at, now()) else i.submitted_at end,
                contingency_since = case when n.command = 'EnterContingency' then now() else i.contingency_since end,
                of_type_04 = i.of_type_04 or n.command = 'EnterContingency' and i.submitted_at is null,
                transmit_before = case when n.transmit_ms >= 0 then now() + n.transmit_ms * interval '1 millisecond'
                  else i.transmit_before end,
                authority_errors = coalesce(nullif(n.errors, '')::jsonb, i.authority_errors),
                authority_notifications = coalesce(nullif(n.notifications, '')::jsonb, i.authority_notifications),
                failure = nullif(n.failure, '')::jsonb, updated_at = now()
              from (select * from input order by id) n
              where i.account_id = n.account_id and i.livemode = n.livemode and i.id = n.id
                and i.version = n.version and i.state = n.from_state
              returning n.ord, i.version as new_version,
                case when n.command in ('Accept', 'EnterContingency') then i.acquirer ->> 'email' end as recipient
            ),
            done as (select n.*, m.new_version, m.recipient from moved m join input n on n.ord = m.ord),
            document as (
              insert into invoice_documents (account_id, livemode, invoice_id, signed, created_at)
              select account_id, livemode, id, signed, now() from done where length(signed) > 0
              on conflict (account_id, livemode, invoice_id) do update set signed = excluded.signed
            ),
            answer as (
              update invoice_documents o set authority_answer = d.authority_answer::jsonb from done d
              where d.authority_answer <> '' and o.account_id = d.account_id and o.livemode = d.livemode
                and o.invoice_id = d.id
            ),
            log as (
              insert into transitions (account_id, livemode, invoice_id, version, command, from_state, to_state, at)
              select account_id, livemode, id, new_version, command, from_state, to_state, now()
              from done where command <> ''
            ),
            email as (
              insert into emails (account_id, livemode, id, invoice_id, document_state, recipient)
              select account_id, livemode, ${emailId(sql, sql`event_id`)}, id, to_state, recipient
              from done where recipient <> ''
            ),
            event as (
              insert into events (account_id, livemode, id, type, object_id, object_version, body, created_at)
              select account_id, livemode, event_id, event_type, id, new_version, event_body, event_at
              from done where event_id <> '' order by ord
              returning account_id, livemode, id, seq, type, object_id, created_at
            ),
            delivery as (${newDeliveries(sql)})
            select m.ord is not null as moved,
              ${endpointsToTell(sql)} as endpoints,
              coalesce(m.recipient, '') <> '' as emailed
            from input n left join moved m on m.ord = n.ord order by n.ord`.pipe(Effect.flatMap(decode))
        }, Effect.orDie)
      })

      return Transitions.of({ move })
    })
  )
}

const noBytes = new Uint8Array(0)
const epoch = new Date(0)
