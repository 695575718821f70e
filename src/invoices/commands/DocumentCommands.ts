import { Clock, Effect, Option, Result } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { DocumentKey } from "../../../schemas/FiscalDocument.ts"
import type { InvoiceCreated } from "../../../schemas/Invoice.ts"
import { timestamp } from "../../runtime/AuthorityTime.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"
import { storedForm } from "../../documents/rules/Details.ts"
import { documentKinds, kindOf } from "../../../schemas/DocumentKinds.ts"
import { stageOf, statusOf, transition } from "../rules/InvoiceLifecycle.ts"
import { totalsOf } from "../../documents/rules/Totals.ts"
import { Backpressure } from "../Backpressure.ts"
import * as LiveReadiness from "../enablement/LiveReadiness.ts"
import { Fault } from "../../runtime/Fault.ts"
import { Notify } from "../../accounts/Notify.ts"
import { Customers, unknownCustomer } from "../../accounts/store/Customers.ts"
import { prefixViolations, Resolutions } from "../../accounts/store/Resolutions.ts"
import { FileLinks } from "../store/FileLinks.ts"
import { InvoiceCommands, type LockedDocument } from "../store/InvoiceCommands.ts"
import { InvoiceCreation } from "../store/InvoiceCreation.ts"
import { Invoices } from "../store/Invoices.ts"
import { documentView, Notes } from "../store/Notes.ts"
import { Ids } from "../../database/Ids.ts"
import * as Command from "../../accounts/Command.ts"
import { ensureCorrectable, ensureCreditable } from "./NoteCommands.ts"

/**
 * The commands that create invoices, and that cancel and retry documents. Cancel and retry depend on the document's
 * locked row.
 */
export const make = Effect.gen(function* () {
  const backpressure = yield* Backpressure
  const commands = yield* InvoiceCommands
  const customers = yield* Customers
  const creation = yield* InvoiceCreation
  const ids = yield* Ids
  const invoices = yield* Invoices
  const links = yield* FileLinks
  const notes = yield* Notes
  const notify = yield* Notify
  const profile = yield* NationalProfile
  const named = profile.rules.named("invoice")
  const ready = yield* LiveReadiness.make
  const resolutions = yield* Resolutions

  const CreateInvoice = Command.batched("CreateInvoice", {
    before: function* (account, { request }, actor) {
      yield* backpressure.admit(account)
      yield* ready.check(account)
      const at = new Date(yield* Clock.currentTimeMillis)
      const today = profile.localDate(at.getTime())
      const hasRange = yield* actor.hasRange("invoice", request.prefix ?? null)
      const violations = [
        ...profile.rules.invoice(request, today),
        ...(hasRange ? [] : yield* prefixViolations(resolutions, account, request, today)).map(named)
      ]
      // The statement that creates the invoice finds the customer. For a request with other violations, this look-up
      // reports an unknown customer.
      if (violations.length > 0) {
        const unknown = yield* unknownCustomer(customers, account, request.customer_id)
        yield* Command.refuse([...violations, ...unknown])
      }
      return at
    },
    run: function* (account, { context, request: sent }, claim, created_at) {
      const request = storedForm(sent, profile.localDate(created_at.getTime()))
      const create = Effect.gen(function* () {
        const id = yield* ids.invoice
        const totals = totalsOf(request.lines, request)
        const body: InvoiceCreated = {
          id,
          object: "invoice",
          status: "draft",
          full_number: "",
          cufe: null,
          created_at: timestamp(created_at.getTime())
        }
        const answer = Command.accepted(`/v1/invoices/${id}`, body)
        yield* Fault.at("before-create")
        const { acquirer, outcome } = yield* creation.create({
          account,
          claim,
          by: context,
          id,
          request,
          totals,
          answer,
          created_at
        })
        yield* Fault.at("after-create")
        if (Option.isNone(acquirer)) return { outcome }
        const acquirer_number = acquirer.value.identification.number
        const draft = { id, kind: "invoice", prefix: request.prefix ?? null, totals, acquirer_number } as const
        return { outcome, drafts: [draft] }
      })
      return yield* backpressure.creating(account, create)
    }
  })

  /** Runs a lifecycle command on a locked document. Returns the document's new state and view. */
  const move = Effect.fnUntraced(function* (
    key: DocumentKey,
    command: "Cancel" | "Retry",
    refusal: (locked: LockedDocument) => ApiError | undefined,
    also: Effect.Effect<void, ApiError> = Effect.void
  ) {
    const locked = yield* Command.found(yield* commands.lock(key), nounOf(key), key.id)
    const to = transition(locked.state, command, { hasNumber: locked.has_number, isIssued: locked.is_issued })
    const refused = refusal(locked)
    if (Result.isFailure(to) || refused !== undefined) return yield* refused ?? refuse(key, command, locked)
    yield* also
    yield* commands.move(key, locked, command, to.success)
    const row = yield* Command.found(yield* invoices.find(key, key.id), nounOf(key), key.id)
    return { to: to.success, shown: documentView(row, (yield* links.inAnswers)(row)) }
  })

  /**
   * Fails during a correction of the note's invoice, because the note names the code of its invoice. A failed credit
   * note may have returned its amount to its invoice. For such a note, also fails unless the invoice has that amount
   * left to credit.
   */
  const noteAgain = Effect.fnUntraced(function* (key: DocumentKey) {
    const note = yield* Command.found(yield* notes.find(key, key.id), nounOf(key), key.id)
    if (note.invoice_id === null) return
    const invoice = yield* notes.lock(key, note.invoice_id)
    if (Option.isNone(invoice)) return
    const status = statusOf(invoice.value.state)
    if (status === "draft" || status === "failed") yield* ensureCorrectable(invoice.value, {})
    if (kindOf(key.id) === "credit_note" && !note.is_credited)
      yield* ensureCreditable(notes, invoice.value, note.totals.payable_amount)
  })

  const CancelInvoice = Command.alone("CancelInvoice", {
    run: function* (account, { id }) {
      const { shown } = yield* move({ ...account, id }, "Cancel", () => undefined)
      return { answer: Command.ok(shown), audit: [["document.canceled", id]] }
    }
  })

  const RetryInvoice = Command.alone("RetryInvoice", {
    before: (account: AccountMode) => ready.check(account),
    run: function* (account, { id }) {
      const key = { ...account, id }
      const { shown, to } = yield* move(
        key,
        "Retry",
        (locked) => (locked.failure?.retryable === false ? refuse(key, "Retry", locked) : undefined),
        kindOf(id) === "invoice" ? Effect.void : noteAgain(key)
      )
      return {
        answer: Command.accepted(`${documentKinds[kindOf(id)].path}/${id}`, shown),
        audit: [["document.retried", id]],
        after: to === "queued" ? notify.numberDrafts(key) : notify.proceed(key)
      }
    }
  })

  return { CreateInvoice, CancelInvoice, RetryInvoice }
})

const nounOf = ({ id }: DocumentKey) => documentKinds[kindOf(id)].noun

const refuse = (key: DocumentKey, command: "Cancel" | "Retry", { failure, state }: LockedDocument) => {
  if (command === "Cancel") {
    return new ApiError({
      code: "invoice_not_cancelable",
      message: `Only a draft without a number can be canceled; this ${nounOf(key)} is ${describe(state)}. Annul an accepted invoice with a credit note.`
    })
  }
  const why = failure?.retryable === false ? `failed for a permanent reason (${failure.code})` : `is ${describe(state)}`
  return new ApiError({
    code: "invoice_not_retryable",
    message: `Only a failed ${nounOf(key)} whose failure is retryable can be retried; this one ${why}.`
  })
}

/** A document's state in an error message. */
export const describe = (state: LockedDocument["state"]) =>
  statusOf(state) === "draft" ? `a draft at the stage ${stageOf(state)}` : statusOf(state)
