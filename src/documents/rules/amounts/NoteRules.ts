import type { Violation } from "../../../../schemas/ApiError.ts"
import type { NoteRequest } from "../../../../schemas/Note.ts"
import { findingsInItems, findingsOf } from "../../../runtime/json/Unreadable.ts"
import { violation } from "../AuthorityRules.ts"
import { peso } from "../Currencies.ts"
import type { Operation } from "./LineRules.ts"

/* The rules of the object of a note's correction. `today` is the date in the authority's zone, YYYY-MM-DD. */

/** The operation type of the invoice that a note corrects, and the kind of the note. */
export interface NoteOperation extends Operation {
  /** The currency of that invoice; omitted if the account has no such invoice. */
  readonly currency?: string | undefined
}

/** The code of an annulment in the catalog concepto-nota-credito. */
export const annulment = "2"

// The fields that a note takes from the account's invoice that it corrects.
const ofInvoice = ["customer_id", "currency", "payment_means"] as const

function* originalViolations({ original }: NoteRequest): Generator<Violation, void> {
  if (original === undefined) return
  const message = "Remove original, or send it instead of invoice_id: a note corrects one invoice."
  yield violation("original", "parameter_conflict", message, "note_of_invoice")
}

function* ownViolations(request: NoteRequest, name: (typeof ofInvoice)[number]): Generator<Violation, void> {
  if (request[name] === undefined) return
  const message = `Remove ${name}: the note takes it from the invoice of invoice_id. Only a note to an invoice of another system (original) or to a period has its own.`
  yield violation(name, "parameter_conflict", message, "note_of_invoice")
}

function* rateViolations({ exchange_rate }: NoteRequest, operation: NoteOperation): Generator<Violation, void> {
  if (exchange_rate === undefined || operation.currency !== peso) return
  const message = `Remove exchange_rate: a note in ${peso} has none.`
  yield violation("exchange_rate", "parameter_conflict", message, "exchange_rate")
}

const invoiceViolations = (request: NoteRequest, operation: NoteOperation): Generator<Violation, void> =>
  findingsOf<Violation>([
    () => originalViolations(request),
    () => findingsInItems(ofInvoice, (name) => ownViolations(request, name)),
    () => rateViolations(request, operation)
  ])

function* periodViolations({ correction_code, period }: NoteRequest, isDebitNote: boolean): Generator<Violation, void> {
  if (!isDebitNote && correction_code === annulment) {
    const message = `correction_code "${annulment}" annuls an invoice: name the invoice in invoice_id or original, or send another code.`
    yield violation("correction_code", "parameter_conflict", message, "CBF03a")
  }
  if (period !== undefined && period.start_date.slice(0, 7) !== period.end_date.slice(0, 7)) {
    const message = `end_date must be in the month of start_date, ${period.start_date.slice(0, 7)}: a note without an invoice corrects the sales of one calendar month at most. Make a note for each month.`
    // The authority has published the number of this rule for credit notes only.
    yield violation("period.end_date", "parameter_invalid", message, isDebitNote ? "calendar" : "CAE02")
  }
}

/**
 * The violations of the object of a note's correction: an invoice of the account, an invoice of another system, or the
 * sales of a period.
 */
export function* correctionViolations(
  request: NoteRequest,
  operation: NoteOperation,
  today: string
): Generator<Violation, void> {
  if (request.invoice_id !== undefined) return yield* invoiceViolations(request, operation)
  if (request.original === undefined) return yield* periodViolations(request, operation.isDebitNote)
  if (request.original.issue_date > today) {
    yield violation(
      "original.issue_date",
      "parameter_invalid",
      `issue_date must be ${today} (today) or earlier.`,
      "calendar"
    )
  }
}
