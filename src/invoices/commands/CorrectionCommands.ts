import { Clock, Effect, Option } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import { ApiError, type Violation } from "../../../schemas/ApiError.ts"
import type { DocumentKey } from "../../../schemas/FiscalDocument.ts"
import type { Totals } from "../../../schemas/Line.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"
import { cents } from "../../documents/rules/Decimal.ts"
import { storedForm } from "../../documents/rules/Details.ts"
import { documentKinds, kindOf } from "../../../schemas/DocumentKinds.ts"
import { totalsOf } from "../../documents/rules/Totals.ts"
import { Backpressure } from "../Backpressure.ts"
import * as LiveReadiness from "../enablement/LiveReadiness.ts"
import { Fault } from "../../runtime/Fault.ts"
import { Notify } from "../../accounts/Notify.ts"
import { Accounts } from "../../accounts/store/Accounts.ts"
import { FileLinks } from "../store/FileLinks.ts"
import { InvoiceCommands, type LockedDocument } from "../store/InvoiceCommands.ts"
import { Invoices } from "../store/Invoices.ts"
import { documentView, Notes } from "../store/Notes.ts"
import * as Command from "../../accounts/Command.ts"
import { keptExternalId } from "../../accounts/rules/KeptExternalId.ts"
import { describe } from "./DocumentCommands.ts"
import * as NoteChecks from "./NoteChecks.ts"
import { ofRequest } from "./NoteChecks.ts"
import { ensureCorrectable, ensureCreditable } from "./NoteCommands.ts"

/**
 * The commands that correct rejected documents. A document keeps its id and number, so that no number stays unused. The
 * command makes everything else again from the request, as for a newly numbered document.
 */
export const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const backpressure = yield* Backpressure
  const commands = yield* InvoiceCommands
  const invoices = yield* Invoices
  const links = yield* FileLinks
  const notes = yield* Notes
  const noteViolations = yield* NoteChecks.make
  const notify = yield* Notify
  const { issueTime, localDate, processedBefore, rules } = yield* NationalProfile
  const ready = yield* LiveReadiness.make

  /**
   * Locks the document. Fails unless the authority has rejected the document. Also fails if the reason was an already
   * processed number.
   */
  const lock = Effect.fnUntraced(function* (key: DocumentKey) {
    const locked = yield* Command.found(yield* commands.lock(key), nounOf(key), key.id)
    if (locked.state !== "rejected_by_authority") return yield* notRejected(key, locked)
    const isKnown = locked.authority_errors.some(({ rule }) => rule === processedBefore)
    return isKnown ? yield* numberKnown(key, locked) : locked
  })

  const renewalOf = Effect.fnUntraced(function* (key: DocumentKey, totals: Totals) {
    const now = yield* Clock.currentTimeMillis
    const { issuer_version } = yield* accounts.get(key)
    return { key, issue_date: localDate(now), issue_time: issueTime(now), issuer_version, totals }
  })

  const done = Effect.fnUntraced(function* (key: DocumentKey) {
    const row = yield* Command.found(yield* invoices.find(key, key.id), nounOf(key), key.id)
    const shown = documentView(row, (yield* links.inAnswers)(row))
    return {
      answer: Command.accepted(`${documentKinds[kindOf(key.id)].path}/${key.id}`, shown),
      audit: [["document.corrected", key.id]],
      after: Effect.andThen(Fault.at("after-correct"), notify.proceed(key))
    } satisfies Command.Done
  })

  /** The violations of a prefix that differs from the kept number, and of another external id. */
  const keptViolations = Effect.fnUntraced(function* (
    key: DocumentKey,
    { external_id, prefix }: { readonly external_id?: string; readonly prefix?: string }
  ): Effect.fn.Return<ReadonlyArray<Violation>> {
    if (prefix === undefined && external_id === undefined) return []
    const row = Option.getOrUndefined(yield* invoices.find(key, key.id))
    if (row === undefined) return []
    const other = keptExternalId(nounOf(key), row, external_id)
    if (prefix === undefined || row.prefix === null || row.prefix === prefix) return other
    const message = `prefix must be ${JSON.stringify(row.prefix)} or be omitted: a corrected ${nounOf(key)} keeps its number, ${row.full_number}.`
    return [violation("prefix", "parameter_invalid", message, "kept_number"), ...other]
  })

  /**
   * Fails while notes that correct the invoice have no outcome, because the notes name its code. Also fails if the new
   * total would be less than the credited amount. Only an invoice in contingency can have notes and a later rejection.
   */
  const ensureCovers = Effect.fnUntraced(function* (
    key: DocumentKey,
    { currency }: LockedDocument,
    request: { readonly currency: string },
    totals: Totals
  ) {
    const open = yield* commands.noteUnderWay(key, key.id)
    if (Option.isSome(open)) return yield* notesUnderWay(open.value)
    const { amount, count } = yield* notes.credited(key, key.id)
    if (count === 0) return
    if (request.currency !== currency) {
      const message = `currency must stay ${currency}: credit notes of ${amount} ${currency} correct this invoice.`
      return yield* Command.refuse([violation("currency", "parameter_invalid", message, "note_of_invoice")])
    }
    if (cents(totals.payable_amount) < cents(amount)) return yield* creditedMore(amount)
  })

  const CorrectInvoice = Command.alone("CorrectInvoice", {
    before: function* (account, { id, request }) {
      yield* ready.check(account)
      yield* Command.refuse([
        ...rules.invoice(request, localDate(yield* Clock.currentTimeMillis)),
        ...(yield* keptViolations({ ...account, id }, request))
      ])
    },
    run: (account, { id, request: sent }) =>
      backpressure.creating(
        account,
        Effect.gen(function* () {
          const key = { ...account, id }
          yield* Fault.at("before-correct")
          const locked = yield* lock(key)
          const request = storedForm(sent, localDate(yield* Clock.currentTimeMillis))
          const totals = totalsOf(request.lines, request)
          yield* ensureCovers(key, locked, request, totals)
          const corrected = yield* commands.correct(yield* renewalOf(key, totals), request)
          if (!corrected) return yield* ApiError.missing("customer", request.customer_id, "customer_id")
          return yield* done(key)
        })
      )
  })

  const CorrectNote = Command.alone("CorrectNote", {
    before: (account: AccountMode) => ready.check(account),
    run: (account, { id, request: sent }) =>
      backpressure.creating(
        account,
        Effect.gen(function* () {
          const key = { ...account, id }
          yield* Fault.at("before-correct")
          yield* lock(key)
          // Locks the note before its invoice, as for a retry. The invoice may differ from the previous one, because
          // the rejected note may have named the wrong invoice. The amount of a rejected note counts as credited to no
          // invoice.
          const { prefix: _prefix, ...request } = storedForm(sent, localDate(yield* Clock.currentTimeMillis))
          const { customer_id = "", invoice_id, original } = request
          const kind = kindOf(id) === "credit_note" ? "credit_note" : "debit_note"
          const found = invoice_id === undefined ? null : yield* notes.lock(account, invoice_id)
          const invoice = found && (yield* Command.found(found, "invoice", invoice_id ?? "", ofRequest.invoice))
          const own = original === undefined ? null : Option.getOrNull(yield* notes.own(account, original))
          yield* Command.refuse([
            ...(yield* noteViolations(kind, request, { invoice, own })),
            ...(yield* keptViolations(key, sent))
          ])
          const totals = totalsOf(request.lines, request)
          if (invoice !== null && kind === "credit_note") {
            yield* ensureCreditable(notes, invoice, totals.payable_amount, ofRequest)
          } else if (invoice !== null) yield* ensureCorrectable(invoice, ofRequest)
          const corrected = yield* commands.correct(yield* renewalOf(key, totals), request)
          if (!corrected) return yield* ApiError.missing("customer", customer_id, "customer_id")
          return yield* done(key)
        })
      )
  })

  return { CorrectInvoice, CorrectNote }
})

const nounOf = ({ id }: DocumentKey) => documentKinds[kindOf(id)].noun

const notRejected = (key: DocumentKey, { state }: LockedDocument) =>
  new ApiError({
    code: "invoice_not_rejected",
    message: `Only ${aOf(key)} that the authority rejected can be corrected in its place; this one is ${describe(state)}. Correct an accepted document with a note, and retry a failed document.`
  })

const numberKnown = (key: DocumentKey, { full_number }: LockedDocument) =>
  new ApiError({
    code: "invoice_number_processed",
    message: `The authority has already processed a document with the number ${full_number}, and never replaces it. Look the number up in the authority's portal. If necessary, correct that document by a note. Then issue this ${nounOf(key)} again as a new document.`
  })

const notesUnderWay = (id: string) =>
  new ApiError({
    code: "invoice_has_open_notes",
    message: `The note ${id} corrects this invoice, names its code and has no outcome yet. Correct the invoice once the note has one.`
  })

const creditedMore = (amount: string) =>
  new ApiError({
    code: "credit_exceeds_invoice",
    message: `Credit notes of ${amount} correct this invoice, so its total must be at least that amount.`,
    param: "lines"
  })

const aOf = (key: DocumentKey) => `${nounOf(key) === "invoice" ? "an" : "a"} ${nounOf(key)}`
