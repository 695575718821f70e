import { Clock, Effect, Option } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { ApiError } from "../../../schemas/ApiError.ts"
import type { NoteRequest } from "../../../schemas/Note.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"
import { timestamp } from "../../runtime/AuthorityTime.ts"
import { truncated, storedForm } from "../../documents/rules/Details.ts"
import { documentKinds, type NoteKind } from "../../../schemas/DocumentKinds.ts"
import { annulment } from "../../documents/rules/amounts/NoteRules.ts"
import { totalsOf } from "../../documents/rules/Totals.ts"
import { Backpressure } from "../Backpressure.ts"
import * as LiveReadiness from "../enablement/LiveReadiness.ts"
import { Fault } from "../../runtime/Fault.ts"
import { Resolutions } from "../../accounts/store/Resolutions.ts"
import { type Corrected, Notes } from "../store/Notes.ts"
import { Ids } from "../../database/Ids.ts"
import * as Command from "../../accounts/Command.ts"
import * as NoteChecks from "./NoteChecks.ts"
import { correctionRefusal, creditRefusal, exceeds, leftOf, ofRequest, type Params } from "./NoteChecks.ts"

/**
 * The commands that create credit and debit notes. Each command locks the row of the account's invoice, so that credit
 * notes never exceed the invoice, even if several processes have the account's actor.
 *
 * Debit notes do not increase the creditable amount. A debit note corrects only the invoice, and nothing corrects a
 * debit note.
 */
export const make = Effect.gen(function* () {
  const backpressure = yield* Backpressure
  const ids = yield* Ids
  const notes = yield* Notes
  const ready = yield* LiveReadiness.make
  const resolutions = yield* Resolutions
  const violationsOf = yield* NoteChecks.make
  const rangeViolations = yield* NoteChecks.makeRangeCheck
  const { localDate } = yield* NationalProfile

  /** Locks the invoice of the account until the transaction ends. */
  const lock = Effect.fnUntraced(function* (account: AccountMode, id: string, param?: string) {
    return yield* Command.found(yield* notes.lock(account, id), "invoice", id, param)
  })

  /** Creates the draft of a note to a locked invoice, or of a note without an invoice of the account. */
  const draft = Effect.fnUntraced(function* (
    account: AccountMode,
    kind: NoteKind,
    sent: NoteRequest,
    invoice: Corrected | null,
    params: Params
  ) {
    const request = storedForm(sent, localDate(yield* Clock.currentTimeMillis))
    const totals = totalsOf(request.lines, request)
    if (invoice !== null && kind === "credit_note") {
      yield* ensureCreditable(notes, invoice, totals.payable_amount, params)
    } else if (invoice !== null) yield* ensureCorrectable(invoice, params)
    yield* resolutions.ensureCounter({ ...account, id: yield* ids.resolution }, kind)
    const id = yield* kind === "credit_note" ? ids.creditNote : ids.debitNote
    const created_at = new Date(yield* Clock.currentTimeMillis)
    const inserted = yield* notes.insert({ account, id, kind, invoice, request, totals, created_at })
    const acquirer_number = yield* Command.found(inserted, "customer", request.customer_id ?? "", "customer_id")
    const body = {
      id,
      object: kind,
      status: "draft",
      full_number: "",
      cude: null,
      created_at: timestamp(created_at.getTime())
    }
    const answer = Command.accepted(`${documentKinds[kind].path}/${id}`, body)
    const made = { id, kind, prefix: request.prefix ?? null, totals, acquirer_number }
    return {
      answer: { ...answer, document_bytes: JSON.stringify(request.lines).length },
      audit: [["document.created", id]],
      drafts: [made],
      after: Fault.at("after-create")
    } satisfies Command.Done
  })

  const CreateNote = Command.alone("CreateNote", {
    before: (account: AccountMode) => Effect.andThen(backpressure.admit(account), ready.check(account)),
    run: (account, { kind, request }) =>
      backpressure.creating(
        account,
        Effect.gen(function* () {
          yield* Fault.at("before-create")
          const { invoice_id, original } = request
          const invoice = invoice_id === undefined ? null : yield* lock(account, invoice_id, ofRequest.invoice)
          const own = original === undefined ? null : Option.getOrNull(yield* notes.own(account, original))
          yield* Command.refuse([
            ...(yield* violationsOf(kind, truncated(request), { invoice, own })),
            ...(yield* rangeViolations(account, kind, request))
          ])
          return yield* draft(account, kind, request, invoice, ofRequest)
        })
      )
  })

  /** Creates a credit note over all lines of an invoice without credited amounts. */
  const AnnulInvoice = Command.alone("AnnulInvoice", {
    before: (account: AccountMode) => Effect.andThen(backpressure.admit(account), ready.check(account)),
    run: (account, { id: invoice_id, request: { reason, ...own } }) =>
      backpressure.creating(
        account,
        Effect.gen(function* () {
          yield* Fault.at("before-create")
          const invoice = yield* lock(account, invoice_id)
          yield* ensureCorrectable(invoice, {})
          const credited = yield* notes.credited(account, invoice_id)
          if (credited.count > 0) return yield* exceeds(leftOf(invoice, credited))
          yield* Command.refuse(yield* rangeViolations(account, "credit_note", {}))
          const content = yield* notes.content(account, invoice_id)
          const request = { invoice_id, correction_code: annulment, reason, ...content, ...own }
          const made = yield* draft(account, "credit_note", request, invoice, {})
          return { ...made, audit: [["document.annulled", invoice_id], ...made.audit] }
        })
      )
  })

  return { CreateNote, AnnulInvoice }
})

const failing = (refusal: ApiError | undefined) => (refusal === undefined ? Effect.void : Effect.fail(refusal))

/** Fails unless a locked invoice was accepted, by the authority or in contingency. */
export const ensureCorrectable = (invoice: Corrected, params: Params) => failing(correctionRefusal(invoice, params))

/** Fails unless a locked invoice may be corrected and has at least `payable_amount` left to credit. */
export const ensureCreditable = Effect.fnUntraced(function* (
  notes: Notes["Service"],
  invoice: Corrected,
  payable_amount: string,
  params: Params = {}
) {
  yield* ensureCorrectable(invoice, params)
  yield* failing(creditRefusal(invoice, yield* notes.credited(invoice, invoice.id), payable_amount, params))
})
