import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import { AuthorityError, type DocumentKey } from "../../../schemas/FiscalDocument.ts"
import type { InvoiceRequest } from "../../../schemas/Invoice.ts"
import type { Totals } from "../../../schemas/Line.ts"
import type { NoteRequest } from "../../../schemas/Note.ts"
import { detailsOf } from "../../domain/documents/Details.ts"
import { states } from "../../domain/documents/InvoiceLifecycle.ts"
import { standardOperation, undefinedMeans } from "./Notes.ts"
import { ofAccount, ofKey } from "../sql/Keys.ts"
import * as Query from "../sql/Query.ts"

const Standing = Schema.Struct({
  state: Schema.Literals(states),
  version: Schema.Int,
  prefix: Schema.NullOr(Schema.String),
  full_number: Schema.NullOr(Schema.String),
  currency: Schema.String,
  authority_errors: Schema.Array(AuthorityError).pipe(Schema.catchDecoding(() => Effect.succeedSome([])))
})
/** The facts of a document that decide whether the document can be corrected. */
export type CorrectionStanding = typeof Standing.Type

/** What a corrected document begins anew with. The code follows when the document is dated (`Redating`). */
export interface Renewal {
  readonly key: DocumentKey
  /** YYYY-MM-DD, in the authority's zone */
  readonly issue_date: string
  readonly issue_time: string
  /** The version of the account's issuer that issues the document from now on. */
  readonly issuer_version: number
  readonly totals: Totals
}

// What a document says. An invoice has its content from the request and the buyer, a note from the request and the invoice that the
// note corrects. A column that is added to `invoices` for the content of documents is added here, and in both sources below.
const contentColumns = [
  "customer_id",
  "currency",
  "exchange_rate",
  "own_rate",
  "operation_type",
  "payment_means",
  "lines",
  "details",
  "totals",
  "acquirer",
  "metadata",
  "invoice_id",
  "original",
  "correction_code",
  "reason"
] as const
type Content = Readonly<Record<(typeof contentColumns)[number], Statement.Fragment>>

// The tell to the document's actor after the commit can be lost; the sweeper then takes up the document after this time.
const correctAlarmSeconds = 5

const givenUp =
  "The document was corrected before this e-mail was sent. The corrected document has an e-mail of its own."

/**
 * Corrections of documents that the authority has rejected. Every method but `codes` runs in the caller's transaction and account
 * view. The database takes new content, date, code and issuer of a numbered document in this step alone (`guard_invoice`), and only
 * when what was rejected is kept in `rejected_documents`.
 */
export class Correction extends Context.Service<Correction>()("folio/store/Correction", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const lock = Query.first(
      Standing,
      (key: DocumentKey) => sql`
        select state, version, prefix, full_number, currency, authority_errors
        from invoices where ${ofKey(sql, key)} for update`
    )

    const noteUnderWay = Query.first(
      Schema.Struct({ id: Schema.String }),
      (account: AccountMode, invoice_id: string) => sql`
        select id from invoices
        where ${ofAccount(sql, account)} and invoice_id = ${invoice_id} and next_action_at is not null order by id limit 1`
    )

    const codes = Query.all(
      Schema.Struct({ cufe: Schema.String }),
      (key: DocumentKey) => sql`
        select cufe from rejected_documents where ${ofAccount(sql, key)} and invoice_id = ${key.id}`
    )

    const json = (value: unknown) => sql`${value === null ? null : JSON.stringify(value)}::jsonb`
    const names = sql.literal(contentColumns.map((name) => `${name} = n.${name}`).join(", "))
    const select = (content: Content, from: Statement.Fragment) => sql`
      select ${sql.csv(contentColumns.map((name) => sql`${content[name]} as ${sql(name)}`))} from ${from}`

    // One statement: the bytes move, the content is replaced and the step is logged together. Gives no row when the source has none.
    const write = ({ issue_date, issue_time, issuer_version, key }: Renewal, source: Statement.Fragment) =>
      Query.isAny(sql`
        with content as (${source}),
        former as (
          delete from invoice_documents d using content
          where d.account_id = ${key.account_id} and d.livemode = ${key.livemode} and d.invoice_id = ${key.id}
          returning d.signed, d.authority_answer
        ),
        kept as (
          insert into rejected_documents (account_id, livemode, invoice_id, version, cufe, issue_date, issue_time,
            issuer_version, submitted_at, contingency_since, authority_errors, authority_notifications,
            authority_answer, signed)
          select i.account_id, i.livemode, i.id, i.version, i.cufe, i.issue_date, i.issue_time, i.issuer_version,
            i.submitted_at, i.contingency_since, i.authority_errors, i.authority_notifications, f.authority_answer, f.signed
          from former f, invoices i where ${ofKey(sql, key)}
        ),
        waiting as (
          update emails set status = 'failed', reason = ${givenUp}, status_at = now(), next_attempt_at = null,
            worker = null
          where ${ofAccount(sql, key)} and invoice_id = ${key.id} and status = 'pending'
        ),
        moved as (
          update invoices i set state = 'numbered', version = i.version + 1, attempts = 0,
            next_action_at = now() + ${correctAlarmSeconds} * interval '1 second', worker = null, failure = null,
            cufe = null, issue_date = ${issue_date}::date, issue_time = ${issue_time},
            issuer_version = ${issuer_version}, submitted_at = null, contingency_since = null, transmit_before = null,
            of_type_04 = false, authority_errors = '[]', authority_notifications = '[]', updated_at = now(), ${names}
          from content n
          where i.account_id = ${key.account_id} and i.livemode = ${key.livemode} and i.id = ${key.id}
            and i.state = 'rejected_by_authority'
          returning i.account_id, i.livemode, i.id, i.version
        )
        insert into transitions (account_id, livemode, invoice_id, version, command, from_state, to_state, at)
        select account_id, livemode, id, version, 'Correct', 'rejected_by_authority', 'numbered', now() from moved
        returning version`)

    const ofInvoice = (renewal: Renewal, request: InvoiceRequest) =>
      write(
        renewal,
        select(
          {
            customer_id: sql`c.id`,
            currency: sql`${request.currency}::text`,
            exchange_rate: sql`${request.exchange_rate ?? null}::text`,
            own_rate: sql`false`,
            operation_type: sql`${request.operation_type}::text`,
            payment_means: json(request.payment_means),
            lines: json(request.lines),
            details: json(detailsOf(request)),
            totals: json(renewal.totals),
            acquirer: sql`c.acquirer`,
            metadata: json(request.metadata ?? {}),
            invoice_id: sql`null::text`,
            original: sql`null::jsonb`,
            correction_code: sql`null::text`,
            reason: sql`null::text`
          },
          sql`customers c where ${ofKey(sql, { ...renewal.key, id: request.customer_id })}`
        )
      )

    /** What a note has from the invoice of the account that it corrects, or else from a customer and its own request. */
    const ofSource = ({ key }: Renewal, request: NoteRequest) => {
      const {
        currency = "",
        customer_id = "",
        exchange_rate = null,
        invoice_id,
        payment_means = undefinedMeans
      } = request
      return invoice_id === undefined
        ? {
            content: {
              customer_id: sql`c.id`,
              currency: sql`${currency}::text`,
              exchange_rate: sql`${exchange_rate}::text`,
              operation_type: sql`${standardOperation}::text`,
              payment_means: json(payment_means),
              invoice_id: sql`null::text`
            },
            from: sql`customers c where ${ofKey(sql, { ...key, id: customer_id })}`
          }
        : {
            content: {
              customer_id: sql`c.customer_id`,
              currency: sql`c.currency`,
              exchange_rate: sql`coalesce(${exchange_rate}::text, c.exchange_rate)`,
              operation_type: sql`c.operation_type`,
              payment_means: sql`c.payment_means`,
              invoice_id: sql`c.id`
            },
            from: sql`invoices c where ${ofKey(sql, { ...key, id: invoice_id })}`
          }
    }

    const ofNote = (renewal: Renewal, request: NoteRequest) => {
      const { content, from } = ofSource(renewal, request)
      return write(
        renewal,
        select(
          {
            ...content,
            own_rate: sql`${request.exchange_rate !== undefined}::boolean`,
            lines: json(request.lines),
            details: json(detailsOf(request)),
            totals: json(renewal.totals),
            acquirer: sql`c.acquirer`,
            metadata: json(request.metadata ?? {}),
            original: json(request.original ?? null),
            correction_code: sql`${request.correction_code}::text`,
            reason: sql`${request.reason}::text`
          },
          from
        )
      )
    }

    return {
      /** Locks the document, so that nothing else changes its state until the transaction ends. */
      lock: Effect.fn("Correction.lock")(lock),
      /** A note that corrects this invoice and that the authority may still judge; none if all of its notes have an outcome. */
      noteUnderWay: Effect.fn("Correction.noteUnderWay")((account: AccountMode, invoice_id: string) =>
        Effect.map(
          noteUnderWay(account, invoice_id),
          Option.map(({ id }) => id)
        )
      ),
      /** Corrects a locked invoice that was rejected; gives false, and changes nothing, when the customer does not exist. */
      ofInvoice: Effect.fn("Correction.ofInvoice")(ofInvoice),
      /**
       * Corrects a locked note that was rejected, with buyer, currency and payment of the invoice, which is locked as well, or of the
       * request; gives false, and changes nothing, when the customer of the request does not exist.
       */
      ofNote: Effect.fn("Correction.ofNote")(ofNote),
      /** The codes under which the authority has rejected a document; empty for a document that was never corrected. */
      codes: Effect.fn("Correction.codes")((key: DocumentKey) =>
        Effect.map(codes(key), (rows) => rows.map(({ cufe }) => cufe))
      )
    }
  })
}) {
  static readonly layer = Layer.effect(Correction, Correction.make)
}
