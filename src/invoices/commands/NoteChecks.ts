import { Clock, Effect, Option } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import { ApiError, type Violation } from "../../../schemas/ApiError.ts"
import type { ErrorCode } from "../../../schemas/ErrorCode.ts"
import type { InvoiceId } from "../../../schemas/Id.ts"
import type { NoteRequest } from "../../../schemas/Note.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"
import { cents, decimal } from "../../documents/rules/Decimal.ts"
import { ifReadable } from "../../runtime/json/Unreadable.ts"
import { truncated } from "../../documents/rules/Details.ts"
import type { Ground } from "../../documents/rules/Grounds.ts"
import type { NoteKind } from "../../../schemas/DocumentKinds.ts"
import type { NoteOperation } from "../../documents/rules/amounts/NoteRules.ts"
import { statusOf } from "../rules/InvoiceLifecycle.ts"
import { totalsOf } from "../../documents/rules/Totals.ts"
import { Customers, unknownCustomer } from "../../accounts/store/Customers.ts"
import { prefixViolations, Resolutions } from "../../accounts/store/Resolutions.ts"
import * as Command from "../../accounts/Command.ts"
import { type Corrected, type Credited, Notes, standardOperation } from "../store/Notes.ts"

/**
 * The invoices in a request for a note: the account's invoice that the note corrects, and an invoice in `original` that
 * is in fact the account's own.
 */
interface Named {
  readonly invoice: Corrected | null
  readonly own: InvoiceId | null
}

const operationOf = (kind: NoteKind, named: Named): NoteOperation => ({
  get operation_type() {
    return named.invoice?.operation_type ?? standardOperation
  },
  isDebitNote: kind === "debit_note",
  get currency() {
    return named.invoice?.currency
  }
})

/** The checks of a note's content, before it is created or corrected. */
export const make = Effect.map(NationalProfile, ({ localDate, rules }) =>
  /** The violations of a request, except for its range and for the amount already credited to its invoice. */
  Effect.fnUntraced(function* (kind: NoteKind, request: NoteRequest, named: Named) {
    const today = localDate(yield* Clock.currentTimeMillis)
    return [
      ...(named.own === null ? [] : [ownInvoice(named.own)]),
      ...rules.note(request, operationOf(kind, named), today)
    ]
  })
)

/** The check of the range from which a new note gets its number. */
export const makeRangeCheck = Effect.gen(function* () {
  const { localDate } = yield* NationalProfile
  const resolutions = yield* Resolutions
  return Effect.fnUntraced(function* (account: AccountMode, kind: NoteKind, request: { readonly prefix?: string }) {
    const today = localDate(yield* Clock.currentTimeMillis)
    return yield* prefixViolations(resolutions, account, request, today, kind)
  })
})

/**
 * Validates a request for a note without storing it. The request may not fit its schema. Returns all violations except
 * for range violations.
 */
export const makeValidation = Effect.gen(function* () {
  const customers = yield* Customers
  const notes = yield* Notes
  const violationsOf = yield* make

  const strangers = Effect.fnUntraced(function* (account: AccountMode, request: NoteRequest, isFound: boolean) {
    const { invoice_id } = request
    if (invoice_id !== undefined) {
      return isFound ? [] : [violationOf(ApiError.missing("invoice", invoice_id, "invoice_id"), "account_object")]
    }
    const { customer_id } = request
    return customer_id === undefined ? [] : yield* unknownCustomer(customers, account, customer_id)
  })

  return Effect.fnUntraced(function* (account: AccountMode, kind: NoteKind, request: NoteRequest) {
    const found = yield* notes.look(account, {
      invoice_id: ifReadable(() => request.invoice_id),
      original: ifReadable(() => request.original && { ...request.original })
    })
    const invoice = Option.getOrNull(found.invoice)
    const named: Named = {
      // If the invoice's id is unreadable, the corrected invoice is unknown.
      get invoice() {
        return request.invoice_id === undefined ? null : invoice
      },
      own: Option.getOrNull(Option.map(found.own, ({ id }) => id))
    }
    const errors = [
      ...(yield* Command.ofReadable(strangers(account, request, invoice !== null))),
      ...(yield* violationsOf(kind, request, named))
    ]
    if (errors.length > 0 || invoice === null) return errors
    const credited = Option.getOrElse(found.credited, () => nothing)
    const left = Effect.sync(() => {
      const { payable_amount } = totalsOf(request.lines, request)
      const refusal =
        kind === "credit_note"
          ? creditRefusal(invoice, credited, payable_amount, ofRequest)
          : correctionRefusal(invoice, ofRequest)
      return refusal === undefined ? [] : [violationOf(refusal, "correctable")]
    })
    return yield* Command.ofReadable(left)
  })
})

/** The warnings in the validation of a request for a note. */
export const makeWarnings = Effect.gen(function* () {
  const notes = yield* Notes
  const { localDate, rules } = yield* NationalProfile

  return Effect.fnUntraced(function* (account: AccountMode, kind: NoteKind, sent: NoteRequest) {
    if (rules.noteWarnings === undefined) return []
    const request = truncated(sent)
    const invoice = Option.getOrNull((yield* notes.look(account, request)).invoice)
    const today = localDate(yield* Clock.currentTimeMillis)
    return rules.noteWarnings(request, operationOf(kind, { invoice, own: null }), today)
  })
})

const nothing: Credited = { count: 0, amount: "0.00" }

const violationOf = ({ code, message, param = "body" }: ApiError, ground: Ground): Violation =>
  violation(param, code, message, ground)

const ownInvoice = (id: InvoiceId): Violation =>
  violation(
    "original",
    "parameter_conflict",
    `original is an invoice of this account: send "invoice_id": "${id}" instead of original, customer_id and currency.`,
    "note_of_invoice"
  )

/**
 * The request fields in an error about the invoice or the credited amount. Absent for a command without these fields.
 */
export interface Params {
  readonly invoice?: string
  readonly amount?: string
}

export const ofRequest: Params = { invoice: "invoice_id", amount: "lines" }

const refuse = (code: ErrorCode, message: string, param: string | undefined) =>
  new ApiError({ code, message, ...(param === undefined ? {} : { param }) })

/** The error for a correction of an invoice that was not accepted. */
export const correctionRefusal = (invoice: Corrected, { invoice: param }: Params): ApiError | undefined => {
  const status = statusOf(invoice.state)
  return status === "accepted_by_authority" || status === "accepted_contingency"
    ? undefined
    : refuse(
        "invoice_not_correctable",
        `Only an invoice that was accepted can be corrected; this one is ${status}.`,
        param
      )
}

export const exceeds = (left: bigint, param?: string) =>
  refuse(
    "credit_exceeds_invoice",
    `The invoice has ${decimal(left)} left to credit. Credit notes that failed, were canceled or rejected do not count.`,
    param
  )

/** The amount in cents that credit notes can still credit on an invoice. */
export const leftOf = (invoice: Corrected, credited: Credited): bigint =>
  cents(invoice.totals.payable_amount) - cents(credited.amount)

/**
 * The error for a credit of an invoice that cannot be corrected, or that has less than `payable_amount` left to credit.
 */
export const creditRefusal = (
  invoice: Corrected,
  credited: Credited,
  payable_amount: string,
  params: Params
): ApiError | undefined => {
  const left = leftOf(invoice, credited)
  return correctionRefusal(invoice, params) ?? (cents(payable_amount) > left ? exceeds(left, params.amount) : undefined)
}
