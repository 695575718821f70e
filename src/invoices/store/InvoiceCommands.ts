import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import { type DocumentKey, Failure } from "../../../schemas/FiscalDocument.ts"
import type { InvoiceRequest } from "../../../schemas/Invoice.ts"
import type { Totals } from "../../../schemas/Line.ts"
import type { NoteRequest } from "../../../schemas/Note.ts"
import { detailsOf } from "../../documents/rules/Details.ts"
import { type InvoiceState, states } from "../rules/InvoiceLifecycle.ts"
import { sourceOf } from "./Notes.ts"
import { countedUsage } from "./Transitions.ts"
import { Remarks } from "./Vitals.ts"
import { ofAccount, ofKey } from "../../database/Keys.ts"
import * as Query from "../../database/Query.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"

const LockedDocument = Schema.Struct({
  state: Schema.Literals(states),
  has_number: Schema.Boolean,
  is_issued: Schema.Boolean,
  failure: Schema.NullOr(Failure),
  full_number: Schema.NullOr(Schema.String),
  currency: Schema.String,
  authority_errors: Remarks
})
/** The facts of a document that determine whether a command is allowed. */
export type LockedDocument = typeof LockedDocument.Type

/** The new date, issuer version and totals of a corrected document. `Redating` adds the code later. */
export interface Renewal {
  readonly key: DocumentKey
  /** YYYY-MM-DD, in the authority's zone */
  readonly issue_date: string
  readonly issue_time: string
  /** The issuer version that issues the document from now on. */
  readonly issuer_version: number
  readonly totals: Totals
}

// If the message to the document's actor after the commit is lost, the sweeper takes the document after this time.
const alarmSeconds = 5

const givenUp = "The document was corrected before this email was sent. The corrected document has an email of its own."

/**
 * Commands of clients to their documents. All methods except `codes` run in the caller's transaction and account view.
 * Only a correction changes the content, date, code and issuer of a numbered document (`guard_invoice`). The database
 * rejects a correction unless `rejected_documents` keeps the rejected version.
 */
export class InvoiceCommands extends Context.Service<InvoiceCommands>()("folio/invoices/store/InvoiceCommands", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { localDate } = yield* NationalProfile
    const lock = Query.first(
      LockedDocument,
      (key: DocumentKey) => sql`
        select state, number is not null as has_number, is_issued(i), failure, full_number, currency, authority_errors
        from invoices i where ${ofKey(sql, key)} for update`
    )

    const move = Effect.fnUntraced(function* (
      key: DocumentKey,
      from: LockedDocument,
      command: "Cancel" | "Retry",
      to: InvoiceState
    ) {
      const alarm = command === "Retry" ? sql`now() + ${alarmSeconds} * interval '1 second'` : sql`null`
      const day = localDate(yield* Clock.currentTimeMillis)
      const counted = sql`, ${countedUsage(sql, { day, from: sql`moved`, outcome: sql`state` })}`
      yield* sql`
        with moved as (
          update invoices set state = ${to}, version = version + 1, attempts = 0, next_action_at = ${alarm},
            worker = null, failure = null, updated_at = now()
          where ${ofKey(sql, key)}
          returning account_id, livemode, id, version, kind, state
        )
        ${command === "Cancel" ? counted : sql``}
        insert into transitions (account_id, livemode, invoice_id, version, command, from_state, to_state, at)
        select account_id, livemode, id, version, ${command}, ${from.state}, ${to}, now() from moved`
    }, Effect.orDie)

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

    // A single statement moves the bytes, replaces the content and logs the step. It returns no row if the source has
    // none. If you add a content column to `invoices`, add the column here, too.
    const correct = (
      { issue_date, issue_time, issuer_version, key, totals }: Renewal,
      request: InvoiceRequest | NoteRequest
    ) => {
      const sent: Partial<NoteRequest> = request
      const isNote = sent.correction_code !== undefined
      return Query.isAny(sql`
        with source as (${sourceOf(sql, key, sent, sent.invoice_id ?? null)}),
        former as (
          delete from invoice_documents d using source
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
            next_action_at = now() + ${alarmSeconds} * interval '1 second', worker = null, failure = null,
            cufe = null, issue_date = ${issue_date}::date, issue_time = ${issue_time},
            issuer_version = ${issuer_version}, submitted_at = null, contingency_since = null, transmit_before = null,
            of_type_04 = false, authority_errors = '[]', authority_notifications = '[]', updated_at = now(),
            customer_id = n.customer_id, currency = n.currency, exchange_rate = n.exchange_rate,
            operation_type = n.operation_type, payment_means = n.payment_means, acquirer = n.acquirer,
            invoice_id = n.invoice_id, own_rate = ${isNote && request.exchange_rate !== undefined},
            lines = ${json(request.lines)}, details = ${json(detailsOf(request))}, totals = ${json(totals)},
            metadata = ${json(request.metadata ?? {})}, original = ${json(sent.original ?? null)},
            correction_code = ${sent.correction_code ?? null}, reason = ${sent.reason ?? null}
          from source n
          where i.account_id = ${key.account_id} and i.livemode = ${key.livemode} and i.id = ${key.id}
            and i.state = 'rejected_by_authority'
          returning i.account_id, i.livemode, i.id, i.version
        )
        insert into transitions (account_id, livemode, invoice_id, version, command, from_state, to_state, at)
        select account_id, livemode, id, version, 'Correct', 'rejected_by_authority', 'numbered', now() from moved
        returning version`)
    }

    return {
      /** Locks the document, so that no other transaction changes its state. */
      lock: Effect.fn("InvoiceCommands.lock")(lock),
      /** Moves a locked document to the state `to` and records the transition. */
      move: Effect.fn("InvoiceCommands.move")(move),
      /** A note that corrects this invoice and has no outcome yet; none if all of the invoice's notes have one. */
      noteUnderWay: Effect.fn("InvoiceCommands.noteUnderWay")((account: AccountMode, invoice_id: string) =>
        noteUnderWay(account, invoice_id).pipe(Effect.map(Option.map(({ id }) => id)))
      ),
      /**
       * Corrects a locked, rejected document. Buyer, currency and payment are from the invoice that the document
       * corrects, which the caller has locked, or else from the request. If the customer of the request does not exist,
       * changes nothing and returns false.
       */
      correct: Effect.fn("InvoiceCommands.correct")(correct),
      /** The codes of a document's rejected versions; empty for a document that was never corrected. */
      codes: Effect.fn("InvoiceCommands.codes")((key: DocumentKey) =>
        Effect.map(codes(key), (rows) => rows.map(({ cufe }) => cufe))
      )
    }
  })
}) {
  static readonly layer = Layer.effect(InvoiceCommands, InvoiceCommands.make)
}
