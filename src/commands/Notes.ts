import { Clock, Effect } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import type { ErrorCode } from "../../schemas/ErrorCode.ts"
import type { NoteRequest } from "../../schemas/Note.ts"
import { NationalProfile } from "../documents/NationalProfile.ts"
import { timestamp } from "../domain/documents/AuthorityTime.ts"
import { cents, decimal } from "../domain/documents/Decimal.ts"
import { documentKinds, type NoteKind } from "../domain/documents/DocumentKinds.ts"
import { statusOf } from "../domain/documents/InvoiceLifecycle.ts"
import { totalsOf } from "../domain/documents/Totals.ts"
import { Backpressure } from "../issuing/Backpressure.ts"
import { LiveReadiness } from "../issuing/LiveReadiness.ts"
import { Fault } from "../protocol/Fault.ts"
import { Resolutions } from "../store/accounts/Resolutions.ts"
import { type Corrected, Notes } from "../store/documents/Notes.ts"
import { Ids } from "../store/sql/Ids.ts"
import * as Command from "./Command.ts"

/**
 * The commands that create credit and debit notes. The invoice's row is locked, so that its credit notes never amount to more than
 * the invoice, however many processes own the account's actor. Debit notes do not add to the amount that may be credited: a debit
 * note corrects the invoice alone, and nothing corrects a debit note.
 */
export const make = Effect.gen(function* () {
  const { alone } = yield* Command.make
  const backpressure = yield* Backpressure
  const ids = yield* Ids
  const notes = yield* Notes
  const { rules } = yield* NationalProfile
  const ready = yield* LiveReadiness
  const resolutions = yield* Resolutions

  /** Locks the invoice, and creates the draft of the note that `requestOf` gives for the invoice. */
  const draft = Effect.fnUntraced(function* (
    account: AccountMode,
    kind: NoteKind,
    invoice_id: string,
    params: Params,
    requestOf: (invoice: Corrected) => Effect.Effect<NoteRequest, ApiError>
  ) {
    yield* Fault.at("before-create")
    const invoice = yield* Command.found(yield* notes.lock(account, invoice_id), "invoice", invoice_id, params.invoice)
    const request = yield* requestOf(invoice)
    const totals = totalsOf(request.lines)
    if (kind === "credit_note") yield* ensureCreditable(notes, invoice, totals.payable_amount, params)
    else yield* ensureCorrectable(invoice, params)
    yield* resolutions.ensureCounter({ ...account, id: yield* ids.resolution }, kind)
    const id = yield* kind === "credit_note" ? ids.creditNote : ids.debitNote
    const created_at = new Date(yield* Clock.currentTimeMillis)
    yield* notes.insert({ id, kind, invoice, request, totals, created_at })
    const body = {
      id,
      object: kind,
      status: "draft",
      full_number: "",
      cude: null,
      created_at: timestamp(created_at.getTime())
    }
    const answer = Command.accepted(`${documentKinds[kind].path}/${id}`, body)
    const made = { id, kind, prefix: null, totals, acquirer_number: invoice.acquirer_number }
    return {
      answer: { ...answer, document_bytes: JSON.stringify(request.lines).length },
      audit: [],
      after: ({ number }: Command.Actor) => Effect.andThen(Fault.at("after-create"), number(made))
    } satisfies Command.Done
  }, backpressure.creating)

  const CreateNote = alone("CreateNote", {
    before: (account: AccountMode) => ready.check(account),
    run: (account, { kind, request }) =>
      draft(account, kind, request.invoice_id, ofRequest, (invoice) =>
        Effect.as(Command.refuse(rules.note(request.lines, invoice.operation_type)), request)
      )
  })

  /** Creates a credit note over all lines of an invoice of which nothing has been credited. */
  const AnnulInvoice = alone("AnnulInvoice", {
    before: (account: AccountMode) => ready.check(account),
    run: (account, { id: invoice_id, request: { reason } }) =>
      draft(
        account,
        "credit_note",
        invoice_id,
        {},
        Effect.fnUntraced(function* (invoice) {
          yield* ensureCorrectable(invoice, {})
          const { amount, count } = yield* notes.credited(account, invoice_id)
          if (count > 0) return yield* exceeds(cents(invoice.totals.payable_amount) - cents(amount))
          const lines = yield* notes.lines(account, invoice_id)
          return { invoice_id, correction_code: annulment, reason, lines }
        })
      )
  })

  return { CreateNote, AnnulInvoice }
})

const ofRequest: Params = { invoice: "invoice_id", amount: "lines" }

// The code of an annulment in the catalog concepto-nota-credito.
const annulment = "2"

/** The request fields that an error about the invoice or the credited amount names; absent for a command without such fields. */
interface Params {
  readonly invoice?: string
  readonly amount?: string
}

const refuse = (code: ErrorCode, message: string, param: string | undefined) =>
  new ApiError({ code, message, ...(param === undefined ? {} : { param }) })

const ensureCorrectable = (invoice: Corrected, { invoice: param }: Params) => {
  const status = statusOf(invoice.state)
  if (status === "accepted_by_authority" || status === "accepted_contingency") return Effect.void
  const message = `Only an invoice that was accepted can be corrected; this one is ${status}.`
  return Effect.fail(refuse("invoice_not_correctable", message, param))
}

const exceeds = (left: bigint, param?: string) =>
  refuse(
    "credit_exceeds_invoice",
    `The invoice has ${decimal(left)} left to credit. Credit notes that failed, were canceled or rejected do not count.`,
    param
  )

/** Fails unless a locked invoice may be corrected and has at least `payable_amount` left to credit. */
export const ensureCreditable = Effect.fnUntraced(function* (
  notes: Notes["Service"],
  invoice: Corrected,
  payable_amount: string,
  params: Params = {}
) {
  yield* ensureCorrectable(invoice, params)
  const { amount } = yield* notes.credited(invoice, invoice.id)
  const left = cents(invoice.totals.payable_amount) - cents(amount)
  if (cents(payable_amount) > left) return yield* exceeds(left, params.amount)
})
