import { Schema } from "effect"
import { CreditConcept, DebitConcept } from "./Code.ts"
import { field } from "./Field.ts"
import { InvoiceId, NoteId } from "./Id.ts"
import { noteDetails, PaymentMeans } from "./DocumentDetails.ts"
import { documentQuery, Invoice, Lines } from "./Invoice.ts"
import { lineExample } from "./Line.ts"
import { Currency, Figure, LocalDate } from "./Money.ts"
import { Prefix } from "./Resolution.ts"
import { Metadata, text } from "./Text.ts"

const reason = field(
  text(500),
  "Why the invoice is corrected, in words; the document carries this text.",
  "Devolución de una unidad"
)

/** An invoice of another system, as a note names it. */
export class OriginalInvoice extends Schema.Opaque<OriginalInvoice>()(
  Schema.Struct({
    full_number: field(
      Schema.String.check(
        Schema.isPattern(/^[0-9A-Za-z]{1,20}$/u, {
          message: "must be prefix and number of the invoice together: 1 to 20 letters and digits",
          rule: "CBG03"
        })
      ),
      "The full number of the invoice, prefix and number together.",
      "POS1042"
    ),
    cufe: field(
      Schema.String.check(
        Schema.isPattern(/^[0-9a-f]{96}$/u, {
          message: "must be the invoice's CUFE: 96 hexadecimal digits in small letters",
          rule: "CBG04"
        })
      ),
      "The unique code of the invoice (CUFE), 96 hexadecimal digits.",
      "8bb918b19ba22a694f1da11c643b5e9de39adf60311cf179179e9b33381030bcd4c3c3f156c506ed5908f9276f5bd9b4"
    ),
    issue_date: field(LocalDate, "The date of issue of the invoice, as YYYY-MM-DD.", "2026-10-30")
  }).annotate({ identifier: "OriginalInvoice", description: "An invoice that another system issued." })
) {}

const isSent = (note: object, name: string) => Object.hasOwn(note, name)

/** The fields that a request must have for what it corrects. Without an invoice and a period, the invoice's id is missing. */
const requiredOf = (note: object): ReadonlyArray<string> => {
  if (isSent(note, "invoice_id")) return []
  return isSent(note, "original") || isSent(note, "period") ? ["customer_id", "currency"] : ["invoice_id"]
}

const foreign = (description: string) =>
  `${description} Not sent with \`invoice_id\`: the note takes it from the invoice.`

const requestFields = {
  invoice_id: field(
    Schema.optionalKey(Schema.String),
    "The id of the accepted invoice to correct. The note takes its buyer, currency and payment from that invoice. Without it, the note names an invoice of another system (`original`) or none (`period` alone).",
    "inv_01k9z3v8c2m4n6p8q0r2s4t6v8"
  ).annotateKey({
    messageMissingKey:
      "is required, or else original (an invoice of another system) or period (the sales of a month), with customer_id and currency"
  }),
  original: field(
    Schema.optionalKey(OriginalInvoice),
    "The invoice of another system that the note corrects, in place of `invoice_id`."
  ),
  customer_id: field(
    Schema.optionalKey(Schema.String),
    foreign("The id of the buyer, a customer of the same mode. Required without `invoice_id`.")
  ),
  currency: field(
    Schema.optionalKey(Currency),
    foreign("The currency, as its ISO 4217 code. Required without `invoice_id`.")
  ),
  exchange_rate: field(
    Schema.optionalKey(Figure),
    "The price in Colombian pesos of one unit of the foreign currency on the issue date of the note. Left out with `invoice_id`, the note has the rate of its invoice, of that invoice's date."
  ),
  payment_means: field(
    Schema.optionalKey(PaymentMeans),
    foreign(
      "How the amount is paid or paid back; left out without `invoice_id`, means that are not defined (1), at once."
    )
  ),
  prefix: field(
    Schema.optionalKey(Prefix),
    "The prefix of the range to number the note from; left out, the oldest registered range of such notes that gives numbers, or else the counter of the account."
  ),
  reason,
  lines: Lines,
  ...noteDetails,
  period: field(
    noteDetails.period,
    "The period that the note is for. A note without `invoice_id` and `original` names the period of the sales that it corrects, within one calendar month."
  ),
  metadata: Schema.optionalKey(Metadata)
}

const creditFields = {
  ...requestFields,
  correction_code: field(
    CreditConcept,
    "Why the invoice is corrected, as a code of the catalog concepto-nota-credito.",
    "1"
  )
}

const debitFields = {
  ...requestFields,
  correction_code: field(
    DebitConcept,
    "Why the invoice is corrected, as a code of the catalog concepto-nota-debito.",
    "1"
  )
}

const ofInvoice = {
  invoice_id: "inv_01k9z3v8c2m4n6p8q0r2s4t6v8",
  reason: "Devolución de una unidad",
  correction_code: "1",
  lines: [lineExample]
} as const

const ofOriginal = {
  original: {
    full_number: "POS1042",
    cufe: "8bb918b19ba22a694f1da11c643b5e9de39adf60311cf179179e9b33381030bcd4c3c3f156c506ed5908f9276f5bd9b4",
    issue_date: "2026-10-30"
  },
  customer_id: "cust_01k9z3v8c2m4n6p8q0r2s4t6v8",
  currency: "COP",
  reason: "Devolución de una unidad",
  correction_code: "1",
  lines: [lineExample]
} as const

const { original: _original, ...ofNone } = ofOriginal
const ofPeriod = { ...ofNone, period: { start_date: "2026-10-01", end_date: "2026-10-31" } }

/**
 * The request to credit a part of an invoice, or of sales of a period. All credit notes of an invoice of the account together amount to
 * no more than the invoice.
 */
export class CreditNoteRequest extends Schema.Opaque<CreditNoteRequest>()(
  Schema.Struct(creditFields).annotate({
    needs: requiredOf,
    identifier: "CreditNoteRequest",
    description:
      "A credit note to create: to an invoice of the account (`invoice_id`), to one of another system (`original`), or to the sales of a period.",
    examples: [ofInvoice, ofOriginal, ofPeriod]
  })
) {}

/** The request to charge more than an invoice did. A debit note does not raise the amount that may be credited. */
export class DebitNoteRequest extends Schema.Opaque<DebitNoteRequest>()(
  Schema.Struct(debitFields).annotate({
    needs: requiredOf,
    identifier: "DebitNoteRequest",
    description:
      "A debit note to create: to an invoice of the account (`invoice_id`), to one of another system (`original`), or to the sales of a period.",
    examples: [ofInvoice, ofOriginal, ofPeriod]
  })
) {}

/** The fields that the requests for credit notes and debit notes share. */
export const NoteRequest = Schema.Struct({ ...requestFields, correction_code: Schema.String })
export type NoteRequest = typeof NoteRequest.Type

/** The request to annul an invoice, which credits all lines of an invoice of which nothing has been credited. */
export class AnnulRequest extends Schema.Opaque<AnnulRequest>()(
  Schema.Struct({ reason }).annotate({
    identifier: "AnnulRequest",
    description: "Why the invoice is annulled, in words."
  })
) {}

export const noteQuery = (kind: "cn" | "dn") =>
  documentQuery("note", kind, {
    invoice_id: field(Schema.optionalKey(Schema.String), "Only notes that correct the invoice with this id.")
  })

// The fields of an invoice that a note does not share: the unique code of a note has another name, and the number of a note is from
// no range of the authority.
const {
  created_at,
  cufe,
  full_number,
  id: _id,
  object: _object,
  operation_type: _operation,
  resolution_id: _resolution,
  status,
  ...shared
} = Invoice.fields

const noteId = (example: string) =>
  field(
    NoteId,
    "An id: cn_ of a credit note, dn_ of a debit note, and 26 characters, which sort by creation.",
    NoteId.make(example)
  )

const cude = field(
  cufe,
  "The unique code of the note (CUDE), 96 hexadecimal digits; null until the note is numbered.",
  "907e4444decc9e59c160a2fb3b6659b33dc5b632a5008922b9a62f83f757b1c448e47f5867f2b50dbdb96f48c7681168"
)

const numbered = {
  status,
  full_number: field(
    full_number,
    "The full number, prefix and number together; empty until the note is numbered.",
    "NC1"
  )
}

const corrects = {
  invoice_id: field(
    Schema.NullOr(InvoiceId),
    "The id of the invoice that the note corrects; null for a note to an invoice of another system, or to the sales of a period."
  ),
  original: field(
    Schema.optionalKey(OriginalInvoice),
    "The invoice of another system that the note corrects; absent for any other note."
  ),
  correction_code: field(
    Schema.String,
    "Why the note corrects the invoice, as a code of the catalog concepto-nota-credito or concepto-nota-debito.",
    "1"
  ),
  reason: field(Schema.String, "Why the note corrects the invoice, in words.", "Devolución de una unidad")
}

const credit = { id: noteId("cn_01k9z3v8c2m4n6p8q0r2s4t6v8"), object: Schema.Literal("credit_note") }
const debit = { id: noteId("dn_01k9z3v8c2m4n6p8q0r2s4t6v8"), object: Schema.Literal("debit_note") }

/** The answer to the creation of a credit note: exactly these six fields. */
export class CreditNoteCreated extends Schema.Opaque<CreditNoteCreated>()(
  Schema.Struct({ ...credit, ...numbered, cude, created_at }).annotate({
    identifier: "CreditNoteCreated",
    description: "The stored draft. It has no number yet."
  })
) {}

/** The answer to the creation of a debit note: exactly these six fields. */
export class DebitNoteCreated extends Schema.Opaque<DebitNoteCreated>()(
  Schema.Struct({ ...debit, ...numbered, cude, created_at }).annotate({
    identifier: "DebitNoteCreated",
    description: "The stored draft. It has no number yet."
  })
) {}

export class CreditNote extends Schema.Opaque<CreditNote>()(
  Schema.Struct({ ...credit, ...numbered, cude, created_at, ...corrects, ...shared }).annotate({
    identifier: "CreditNote",
    description: "A credit note, with all that is known of it."
  })
) {}

export class DebitNote extends Schema.Opaque<DebitNote>()(
  Schema.Struct({ ...debit, ...numbered, cude, created_at, ...corrects, ...shared }).annotate({
    identifier: "DebitNote",
    description: "A debit note, with all that is known of it."
  })
) {}
