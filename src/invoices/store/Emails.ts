import { Context, Effect, Layer, Metric, Option, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccountMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import { EmailSnapshot } from "../../../schemas/Email.ts"
import { EmailStatus } from "../../../schemas/EmailStatus.ts"
import { type DocumentKey, DocumentKind } from "../../../schemas/FiscalDocument.ts"
import { DocumentId, EmailId } from "../../../schemas/Id.ts"
import type { PageRequest } from "../../../schemas/Page.ts"
import { Metadata } from "../../../schemas/Text.ts"
import { type InvoiceState, states } from "../rules/InvoiceLifecycle.ts"
import * as Metrics from "../../runtime/Metrics.ts"
import * as Batcher from "../../database/Batcher.ts"
import { eventColumns, type NewEvent, newEvents, notifiedEndpoints } from "../../webhooks/store/NewDeliveries.ts"
import * as Input from "../../database/Input.ts"
import { inputOfKeys, ofKey } from "../../database/Keys.ts"
import * as Pages from "../../database/Pages.ts"
import * as Query from "../../database/Query.ts"
import { viewOf } from "../../database/View.ts"
import { Workers } from "../../database/Workers.ts"

/** A stored email with the data of its document. */
const Row = Schema.Struct({
  ...AccountMode.fields,
  id: EmailId,
  invoice_id: DocumentId,
  kind: DocumentKind,
  full_number: Schema.String,
  metadata: Metadata.pipe(Schema.catchDecoding(() => Effect.succeedSome({}))),
  /** The document's state when the email was made. */
  document_state: Schema.Literals(states),
  recipient: Schema.String,
  status: EmailStatus,
  reason: Schema.NullOr(Schema.String),
  status_at: Schema.Date,
  attempts: Schema.Int,
  next_attempt_at: Schema.NullOr(Schema.Date),
  created_at: Schema.Date
})
export type StoredEmail = typeof Row.Type

/** An email that an account requests. */
export interface NewEmail extends AccountMode {
  readonly id: EmailId
  readonly invoice_id: string
  readonly document_state: InvoiceState
  readonly recipient: string
}

/** The outcome of an email. Status `pending`: the attempt failed, and the next attempt follows after `retryInMs`. */
export interface EmailOutcome {
  readonly email: StoredEmail
  /** The statuses that may change to `status`. An email with any other status stays unchanged. */
  readonly from: ReadonlyArray<EmailStatus>
  readonly status: EmailStatus
  readonly reason: string | null
  readonly at: Date
  readonly retryInMs: number | null
  /** The events of the outcome, in order. */
  readonly events: ReadonlyArray<NewEvent>
}

const Recorded = Schema.Struct({ moved: Schema.Boolean, endpoints: Schema.Array(Schema.String) })
/**
 * The result of recording an outcome. `moved`: false if the outcome was already known or arrived too late. `endpoints`:
 * the endpoints with a new delivery to send.
 */
export type Recorded = typeof Recorded.Type

const batchMax = 300

/** The lease of a taken email: longer than an attempt, so that two processes never send an email concurrently. */
export const mailLeaseSeconds = 120

/** Maximum emails of a document. Emails stay as long as their document. */
export const emailsMax = 100

export const emailLimitReached = new ApiError({
  code: "email_limit_reached",
  message: `A document is emailed at most ${emailsMax} times, and this one was. Send its files yourself: GET …/pdf and GET …/xml give them.`
})

const input = Input.make<EmailOutcome>({
  account_id: ["text", ({ email }) => email.account_id],
  livemode: ["boolean", ({ email }) => email.livemode],
  id: ["text", ({ email }) => email.id],
  attempts: ["integer", ({ email }) => email.attempts],
  origins: ["text", ({ from }) => from.join(" ")],
  status: ["text", (outcome) => outcome.status],
  reason: ["text", (outcome) => outcome.reason],
  at: ["timestamptz", (outcome) => outcome.at],
  retry_ms: ["float8", (outcome) => outcome.retryInMs]
})

const eventInput = Input.make<{ readonly outcome: number; readonly event: NewEvent }>({
  outcome: ["integer", ({ outcome }) => outcome],
  ...eventColumns
})

/** Emails to acquirers. A document's acceptance adds its first email (`Transitions`), and requests add others. */
export class Emails extends Context.Service<Emails>()("folio/invoices/store/Emails", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const workers = yield* Workers
    const decodeRow = Schema.decodeUnknownEffect(Row)
    const isKey = Schema.is(Schema.Struct({ ...AccountMode.fields, id: DocumentId }))

    const columns = sql`
      e.account_id, e.livemode, e.id, e.invoice_id, i.kind, i.full_number, i.metadata, e.document_state, e.recipient,
      e.status, e.reason, e.status_at, e.attempts, e.next_attempt_at, e.created_at`
    const itsDocument = sql`
      join invoices i on i.account_id = e.account_id and i.livemode = e.livemode and i.id = e.invoice_id`

    const takeRow = yield* Batcher.make({
      name: "Emails.take",
      max: batchMax,
      blind: true,
      run: Effect.fnUntraced(function* (keys: ReadonlyArray<DocumentKey>) {
        const rows = yield* sql`
          with input as (select distinct account_id, livemode, id from ${inputOfKeys(sql, keys)}),
          due as (
            select d.* from input n cross join lateral (
              select account_id, livemode, id from emails
              where invoice_id = n.id and account_id = n.account_id and livemode = n.livemode
                and next_attempt_at <= now()
              order by id limit 1 for update skip locked
            ) d
          ),
          e as (
            update emails e set attempts = e.attempts + 1, worker = ${workers.id},
              next_attempt_at = now() + ${mailLeaseSeconds} * interval '1 second'
            from due where e.account_id = due.account_id and e.livemode = due.livemode and e.id = due.id
            returning e.*
          )
          select ${columns} from e ${itsDocument}`
        // If several callers take an email of the same document, only the first caller gets the row.
        const byDocument = new Map(rows.map((row) => [row["invoice_id"], row]))
        return keys.map((key) => {
          const row = byDocument.get(key.id)
          byDocument.delete(key.id)
          return row
        })
      }, Effect.orDie)
    })

    /** Takes the oldest due email of a document under a lease, and counts the attempt. */
    // Each caller decodes its own row, so that an unreadable row does not fail the other items of the batch.
    const take = Effect.fn("Emails.take")(function* (key: DocumentKey) {
      const row = yield* takeRow(key)
      if (row === undefined) return Option.none<StoredEmail>()
      const email = yield* Effect.result(decodeRow(row))
      if (Result.isSuccess(email)) return Option.some(email.success)
      yield* Effect.logError("An unreadable row of an email; the email fails", email.failure)
      yield* Metric.update(Metrics.poison("email"), 1)
      yield* sql`
        update emails set status = 'failed', status_at = now(), next_attempt_at = null, worker = null
        where ${ofKey(sql, { ...key, id: String(row["id"]) })}`
      return Option.none<StoredEmail>()
    }, Effect.orDie)

    const record = yield* Batcher.make({
      name: "Emails.record",
      max: batchMax,
      // The `object_version` of an email's event is no version of the document. It derives from the email's id and
      // the status in the event's type, so that the unique constraint on events allows each status once.
      run: Query.all(
        Recorded,
        (outcomes: ReadonlyArray<EmailOutcome>) => sql`
          with input as (select * from ${input(sql, outcomes)}),
          event_input as (
            select * from ${eventInput(
              sql,
              outcomes.flatMap(({ events }, index) => events.map((event) => ({ outcome: index + 1, event })))
            )}
          ),
          moved as (
            update emails e set status = n.status, reason = n.reason, worker = null,
              status_at = case when e.status = n.status then e.status_at else n.at end,
              next_attempt_at = now() + n.retry_ms * interval '1 millisecond'
            from (select * from input order by id, ord) n
            where e.account_id = n.account_id and e.livemode = n.livemode and e.id = n.id
              and e.status = any(string_to_array(n.origins, ' ')) and (n.retry_ms is null or e.attempts = n.attempts)
            returning n.ord, e.account_id, e.livemode, e.id, e.invoice_id
          ),
          moved_event as (
            select m.account_id, m.livemode, m.id, m.invoice_id, v.* from event_input v join moved m on m.ord = v.outcome
          ),
          ${newEvents(sql, {
            from: sql`moved_event`,
            object_id: sql`invoice_id`,
            object_version: sql`(-abs(hashtext(id || split_part(event_type, '.', -1))::bigint))::integer`
          })},
          ${notifiedEndpoints(sql)}
          select m.ord is not null as moved, array(
            select distinct unnest(t.endpoints) from event_input v join notified t on t.event_id = v.event_id where v.outcome = n.ord
          ) as endpoints
          from input n
          left join moved m on m.ord = n.ord
          order by n.ord`
      )
    })

    /** The documents with a due email. */
    const dueDocuments = Effect.fn("Emails.dueDocuments")(function* (limit: number) {
      const rows = yield* sql<DocumentKey>`
        select account_id, livemode, invoice_id as id from emails
        where next_attempt_at <= now() order by next_attempt_at limit ${limit}`
      const byId = new Map(rows.filter(isKey).map((row) => [row.id, row]))
      return [...byId.values()]
    }, Effect.orDie)

    const insertWithin = Query.first(
      Row,
      ({ account_id, document_state, id, invoice_id, livemode, recipient }: NewEmail) => sql`
        with e as (
          insert into emails (account_id, livemode, id, invoice_id, document_state, recipient)
          select ${account_id}, ${livemode}, ${id}, ${invoice_id}, ${document_state}, ${recipient}
          where (
            select count(*) from emails
            where invoice_id = ${invoice_id} and account_id = ${account_id} and livemode = ${livemode}
          ) < ${emailsMax}
          returning *
        )
        select ${columns} from e ${itsDocument}`
    )
    /** Adds an email of a locked document, in the caller's transaction and view. Fails with `email_limit_reached`. */
    const insert = Effect.fn("Emails.insert")(function* (email: NewEmail) {
      return Option.getOrUndefined(yield* insertWithin(email)) ?? (yield* emailLimitReached)
    })

    const locate = Query.first(
      Row,
      (invoice_id: string, id: string) => sql`
        select ${columns} from emails e ${itsDocument}
        where e.invoice_id = ${invoice_id} and e.id = ${id}`
    )

    // A subquery reads each column of the document, so that `Pages` can read the table without a join.
    const ofDocument = (column: string) => sql`(
      select i.${sql(column)} from invoices i
      where i.account_id = emails.account_id and i.livemode = emails.livemode and i.id = emails.invoice_id
    ) as ${sql(column)}`
    const { list } = Pages.readers(sql, {
      service: "Emails",
      table: "emails",
      columns: sql`*, ${ofDocument("kind")}, ${ofDocument("full_number")}, ${ofDocument("metadata")}`,
      row: Row
    })

    return {
      take,
      /** Stores status, events and deliveries in one statement, so that each outcome is reported whole and once. */
      record: Effect.fn("Emails.record")(record),
      dueDocuments,
      insert,
      list: (account: AccountMode, invoice_id: string, request: PageRequest) =>
        list(account, request, sql`invoice_id = ${invoice_id}`),
      /** Finds an email of any account by the two ids in its Message-ID. */
      locate: Effect.fn("Emails.locate")(locate)
    }
  })
}) {
  static readonly layer = Layer.effect(Emails, Emails.make)
}

const view = viewOf(EmailSnapshot)

/** An email as events show it. */
export const emailSnapshot = (row: StoredEmail): EmailSnapshot =>
  view({ ...row, document_id: row.invoice_id, document_type: row.kind, to: row.recipient, at: row.status_at })
