import { Context, Effect, Layer, Metric, Option, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import { DocumentId, type EmailSnapshot } from "../../schemas/Email.ts"
import { EmailStatus } from "../../schemas/EmailStatus.ts"
import type { EventType } from "../../schemas/Event.ts"
import { DocumentKind } from "../../schemas/FiscalDocument.ts"
import { EmailId, type EventId } from "../../schemas/Id.ts"
import type { PageRequest } from "../../schemas/Page.ts"
import { Metadata } from "../../schemas/Text.ts"
import { timestamp } from "../domain/AuthorityTime.ts"
import { type InvoiceState, states } from "../domain/InvoiceLifecycle.ts"
import * as Metrics from "../protocol/Metrics.ts"
import * as Batcher from "./Batcher.ts"
import { endpointsToTell, newDeliveries } from "./NewDeliveries.ts"
import * as Pages from "./Pages.ts"
import { Workers } from "./Workers.ts"

/** An e-mail as it is stored, with what it tells of its document. */
const Row = Schema.Struct({
  ...AccountMode.fields,
  id: EmailId,
  invoice_id: DocumentId,
  kind: DocumentKind,
  full_number: Schema.String,
  metadata: Metadata.pipe(Schema.catchDecoding(() => Effect.succeedSome({}))),
  /** The document's when the e-mail was made. */
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

/** Names a document as its actor's address does. */
export interface DocumentKey extends AccountMode {
  readonly id: string
}

/** An e-mail that somebody asks for. */
export interface NewEmail extends AccountMode {
  readonly id: EmailId
  readonly invoice_id: string
  readonly document_state: InvoiceState
  readonly recipient: string
}

/** What became of an e-mail, or `pending`: the attempt was for nothing, and the next one comes after `retryInMs`. */
export interface EmailOutcome {
  readonly email: StoredEmail
  /** The statuses from which it leads on; from any other it changes nothing. */
  readonly from: ReadonlyArray<EmailStatus>
  readonly status: EmailStatus
  readonly reason: string | null
  readonly at: Date
  readonly retryInMs: number | null
  readonly event: {
    readonly id: EventId
    readonly type: EventType
    readonly body: string
    readonly created_at: Date
  } | null
}

/** `moved` false: it was known already, or comes too late. `endpoints` have a delivery to make. */
export interface Recorded {
  readonly moved: boolean
  readonly endpoints: ReadonlyArray<string>
}

const batchMax = 300

/** Longer than an attempt may take: until then nobody else sends the same. */
export const mailLeaseSeconds = 120

/** How often a document may be e-mailed: its e-mails are kept for as long as it is. */
export const emailsMax = 100

export const emailLimitReached = new ApiError({
  code: "email_limit_reached",
  message: `A document is e-mailed at most ${emailsMax} times, and this one was. Send its files yourself: GET …/pdf and GET …/xml give them.`
})

const RecordedRow = Schema.Struct({ moved: Schema.Boolean, endpoints: Schema.Array(Schema.String) })

/** E-mails to acquirers. What accepts a document makes the first of them (`Transitions`); an account asks for others. */
export class Emails extends Context.Service<
  Emails,
  {
    /** The oldest e-mail of a document that is due, under a lease and with this attempt counted. */
    readonly take: (key: DocumentKey) => Effect.Effect<Option.Option<StoredEmail>>
    /** Status, event and deliveries in one statement: each thing that becomes of an e-mail is told once. */
    readonly record: (outcome: EmailOutcome) => Effect.Effect<Recorded>
    /** Documents that have an e-mail due. */
    readonly dueDocuments: (limit: number) => Effect.Effect<ReadonlyArray<DocumentKey>>
    /**
     * Part of the caller's transaction, in the account's view, which has locked the document. Fails with
     * `email_limit_reached`.
     */
    readonly insert: (email: NewEmail) => Effect.Effect<StoredEmail, ApiError>
    readonly list: (
      of: AccountMode,
      invoice_id: string,
      page: PageRequest
    ) => Effect.Effect<Pages.Rows<StoredEmail>, ApiError>
    /** By what its Message-ID says, whosever it is. */
    readonly locate: (invoice_id: string, id: string) => Effect.Effect<Option.Option<StoredEmail>>
  }
>()("folio/store/Emails") {
  static readonly layer = Layer.effect(
    Emails,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const workers = yield* Workers
      const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
      const decodeRow = Schema.decodeUnknownEffect(Row)
      const decode = Schema.decodeUnknownEffect(Schema.Array(RecordedRow))
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
            with input as (
              select distinct * from unnest(
                ${keys.map((key) => key.account_id)}::text[],
                ${keys.map((key) => key.livemode)}::boolean[],
                ${keys.map((key) => key.id)}::text[]
              ) as n (account_id, livemode, id)
            ),
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
          // One for whoever asked first.
          const byDocument = new Map(rows.map((row) => [row["invoice_id"], row]))
          return keys.map((key) => {
            const row = byDocument.get(key.id)
            byDocument.delete(key.id)
            return row
          })
        }, Effect.orDie)
      })

      // Each reads its own row: one that cannot be read is nobody else's failure.
      const take = Effect.fn("Emails.take")(function* (key: DocumentKey) {
        const row = yield* takeRow(key)
        if (row === undefined) return Option.none<StoredEmail>()
        const email = yield* Effect.result(decodeRow(row))
        if (Result.isSuccess(email)) return Option.some(email.success)
        yield* Effect.logError("The row of an e-mail cannot be read; it is given up", email.failure)
        yield* Metric.update(Metrics.poison("email"), 1)
        yield* sql`
          update emails set status = 'failed', status_at = now(), next_attempt_at = null, worker = null
          where account_id = ${key.account_id} and livemode = ${key.livemode} and id = ${String(row["id"])}`
        return Option.none<StoredEmail>()
      }, Effect.orDie)

      const record = yield* Batcher.make({
        name: "Emails.record",
        max: batchMax,
        run: Effect.fnUntraced(function* (outcomes: ReadonlyArray<EmailOutcome>) {
          // The version of such an event is no version of its document: it is made of what it tells, so that the database
          // itself lets each thing be told once.
          return yield* sql`
            with input as (
              select * from unnest(
                ${outcomes.map(({ email }) => email.account_id)}::text[],
                ${outcomes.map(({ email }) => email.livemode)}::boolean[],
                ${outcomes.map(({ email }) => email.id)}::text[],
                ${outcomes.map(({ email }) => email.attempts)}::integer[],
                ${outcomes.map(({ from }) => from.join(" "))}::text[],
                ${outcomes.map(({ status }) => status)}::text[],
                ${outcomes.map(({ reason }) => reason ?? "")}::text[],
                ${outcomes.map(({ at }) => at)}::timestamptz[],
                ${outcomes.map(({ retryInMs }) => retryInMs ?? -1)}::float8[],
                ${outcomes.map(({ event }) => event?.id ?? "")}::text[],
                ${outcomes.map(({ event }) => event?.type ?? "")}::text[],
                ${outcomes.map(({ event }) => event?.body ?? "")}::text[],
                ${outcomes.map(({ at, event }) => event?.created_at ?? at)}::timestamptz[]
              ) with ordinality as n (account_id, livemode, id, attempts, origins, status, reason, at, retry_ms, event_id,
                event_type, event_body, event_at, ord)
            ),
            moved as (
              update emails e set status = n.status, reason = nullif(n.reason, ''), worker = null,
                status_at = case when e.status = n.status then e.status_at else n.at end,
                next_attempt_at = case when n.retry_ms >= 0 then now() + n.retry_ms * interval '1 millisecond' end
              from (select * from input order by id, ord) n
              where e.account_id = n.account_id and e.livemode = n.livemode and e.id = n.id
                and e.status = any(string_to_array(n.origins, ' ')) and (n.retry_ms < 0 or e.attempts = n.attempts)
              returning n.*, e.invoice_id
            ),
            event as (
              insert into events (account_id, livemode, id, type, object_id, object_version, body, created_at)
              select account_id, livemode, event_id, event_type, invoice_id, (-abs(hashtext(id || status)::bigint))::integer,
                event_body, event_at
              from moved where event_id <> '' order by ord
              returning account_id, livemode, id, seq, type, object_id, created_at
            ),
            delivery as (${newDeliveries(sql)})
            select m.ord is not null as moved,
              ${endpointsToTell(sql)} as endpoints
            from input n left join moved m on m.ord = n.ord order by n.ord`.pipe(Effect.flatMap(decode))
        }, Effect.orDie)
      })

      const dueDocuments = Effect.fn("Emails.dueDocuments")(function* (limit: number) {
        const rows = yield* sql<DocumentKey>`
          select account_id, livemode, invoice_id as id from emails
          where next_attempt_at <= now() order by next_attempt_at limit ${limit}`
        const byId = new Map(rows.filter(isKey).map((row) => [row.id, row]))
        return [...byId.values()]
      }, Effect.orDie)

      const insert: Emails["Service"]["insert"] = Effect.fn("Emails.insert")(function* (email) {
        const { account_id, document_state, id, invoice_id, livemode, recipient } = email
        const [row] = yield* sql`
          with e as (
            insert into emails (account_id, livemode, id, invoice_id, document_state, recipient)
            select ${account_id}, ${livemode}, ${id}, ${invoice_id}, ${document_state}, ${recipient}
            where (
              select count(*) from emails
              where invoice_id = ${invoice_id} and account_id = ${account_id} and livemode = ${livemode}
            ) < ${emailsMax}
            returning *
          )
          select ${columns} from e ${itsDocument}`.pipe(Effect.flatMap(decodeRows), Effect.orDie)
        return row ?? (yield* emailLimitReached)
      })

      const locate: Emails["Service"]["locate"] = Effect.fn("Emails.locate")(function* (invoice_id, id) {
        const rows = yield* sql`
          select ${columns} from emails e ${itsDocument}
          where e.invoice_id = ${invoice_id} and e.id = ${id}`.pipe(Effect.flatMap(decodeRows))
        return Option.fromUndefinedOr(rows[0])
      }, Effect.orDie)

      // A page is of one document: what it tells is looked up for each row, so that the page is read like any other.
      const told = (column: string) => sql`(
        select i.${sql(column)} from invoices i
        where i.account_id = emails.account_id and i.livemode = emails.livemode and i.id = emails.invoice_id
      ) as ${sql(column)}`
      const page = Pages.make(sql, {
        table: "emails",
        columns: sql`*, ${told("kind")}, ${told("full_number")}, ${told("metadata")}`,
        row: Row
      })

      return Emails.of({
        take,
        record: Effect.fn("Emails.record")(record),
        dueDocuments,
        insert,
        list: (of, invoice_id, request) => page(of, request, sql`invoice_id = ${invoice_id}`),
        locate
      })
    })
  )
}

/** An e-mail as events show it. */
export const emailSnapshot = (row: StoredEmail): EmailSnapshot => ({
  id: row.id,
  object: "email",
  livemode: row.livemode,
  document_id: row.invoice_id,
  document_type: row.kind,
  full_number: row.full_number,
  to: row.recipient,
  status: row.status,
  at: timestamp(row.status_at.getTime()),
  reason: row.reason,
  metadata: row.metadata
})
