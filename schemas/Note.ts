import { Schema } from "effect"
import { CreditConcept, DebitConcept } from "./Code.ts"
import { field } from "./Field.ts"
import { InvoiceId, NoteId } from "./Id.ts"
import { noteDetails, PaymentMeans } from "./DocumentDetails.ts"
import { documentQuery, Invoice, Lines } from "./Invoice.ts"
import { lineExample } from "./Line.ts"
import { Currency, Figure, LocalDate } from "./Money.ts"
import { Prefix } from "./Resolution.ts"
import { Metadata, newExternalId, text } from "./Text.ts"

const reason = field(
  text(500),
  "Reason for the correction, in words. The document shows this text.",
  "Devolución de una unidad"
)

/** A reference from a note to an invoice of another system. */
export class OriginalInvoice extends Schema.Opaque<OriginalInvoice>()(
  Schema.Struct({
    full_number: field(
      Schema.String.check(
        Schema.isPattern(/^[0-9A-Za-z]{1,20}$/u, {
          message: "must be prefix and number of the invoice together: 1 to 20 letters and digits",
          rule: "CBG03"
        })
      ),
      "Full number of the invoice: prefix and number.",
      "POS1042"
    ),
    cufe: field(
      Schema.String.check(
        Schema.isPattern(/^[0-9a-f]{96}$/u, {
          message: "must be the invoice's CUFE: 96 hexadecimal digits in small letters",
          rule: "CBG04"
        })
      ),
      "Unique code of the invoice (CUFE): 96 hexadecimal digits.",
      "8bb918b19ba22a694f1da11c643b5e9de39adf60311cf179179e9b33381030bcd4c3c3f156c506ed5908f9276f5bd9b4"
    ),
    issue_date: field(LocalDate, "Issue date of the invoice, as YYYY-MM-DD.", "2026-10-30")
  }).annotate({ identifier: "OriginalInvoice", description: "An invoice that another system issued." })
) {}

const isSent = (note: object, name: string) => Object.hasOwn(note, name)

/** The required fields of a note, by its kind of correction. Without an invoice or period, `invoice_id` is missing. */
const requiredOf = (note: object): ReadonlyArray<string> => {
  if (isSent(note, "invoice_id")) return []
  return isSent(note, "original") || isSent(note, "period") ? ["customer_id", "currency"] : ["invoice_id"]
}

const foreign = (description: string) =>
  `${description} Omit the field if you send \`invoice_id\`: the note then has the value of its invoice.`

const requestFields = {
  invoice_id: field(
    Schema.optionalKey(Schema.String),
    "Id of the accepted invoice to correct. The note takes its buyer, currency and payment means from this invoice. If you omit it, send `original` for an invoice of another system, or `period` for a note without an invoice.",
    "inv_01k9z3v8c2m4n6p8q0r2s4t6v8"
  ).annotateKey({
    messageMissingKey:
      "is required, or else original (an invoice of another system) or period (the sales of a month), with customer_id and currency"
  }),
  original: field(
    Schema.optionalKey(OriginalInvoice),
    "Invoice of another system that the note corrects. Replaces `invoice_id`."
  ),
  customer_id: field(
    Schema.optionalKey(Schema.String),
    foreign("Id of the buyer: a customer of the same mode. Required without `invoice_id`.")
  ),
  currency: field(
    Schema.optionalKey(Currency),
    foreign("ISO 4217 code of the currency. Required without `invoice_id`.")
  ),
  exchange_rate: field(
    Schema.optionalKey(Figure),
    "Price of one unit of the foreign currency in Colombian pesos on the issue date of the note. If you omit it with `invoice_id`, the note has the rate and the rate's date of its invoice."
  ),
  payment_means: field(
    Schema.optionalKey(PaymentMeans),
    foreign(
      "Means of payment or repayment. Without `invoice_id`, the default is code 1 (undefined means) and type 1 (cash)."
    )
  ),
  prefix: field(
    Schema.optionalKey(Prefix),
    "Prefix of the numbering range for the note. If omitted, the oldest registered range that can number such a note, or else the account's counter."
  ),
  reason,
  lines: Lines,
  ...noteDetails,
  period: field(
    noteDetails.period,
    "Period that the note covers. Required without `invoice_id` and `original`: the period of the corrected sales, within one calendar month."
  ),
  external_id: newExternalId("note"),
  metadata: Schema.optionalKey(Metadata)
}

const creditFields = {
  ...requestFields,
  correction_code: field(
    CreditConcept,
    "Reason for the correction, as a code of the catalog concepto-nota-credito.",
    "1"
  )
}

const debitFields = {
  ...requestFields,
  correction_code: field(DebitConcept, "Reason for the correction, as a code of the catalog concepto-nota-debito.", "1")
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
 * The request to credit an invoice, or sales of a period, in whole or in part. The credit notes of an invoice of the
 * account never exceed the invoice in total.
 */
export class CreditNoteRequest extends Schema.Opaque<CreditNoteRequest>()(
  Schema.Struct(creditFields).annotate({
    needs: requiredOf,
    identifier: "CreditNoteRequest",
    description:
      "A credit note to create. It corrects an invoice of the account (`invoice_id`), an invoice of another system (`original`), or the sales of a `period`.",
    examples: [ofInvoice, ofOriginal, ofPeriod]
  })
) {}

/** The request to charge more than an invoice did. A debit note does not increase the amount that you can credit. */
export class DebitNoteRequest extends Schema.Opaque<DebitNoteRequest>()(
  Schema.Struct(debitFields).annotate({
    needs: requiredOf,
    identifier: "DebitNoteRequest",
    description:
      "A debit note to create. It corrects an invoice of the account (`invoice_id`), an invoice of another system (`original`), or the sales of a `period`.",
    examples: [ofInvoice, ofOriginal, ofPeriod]
  })
) {}

/** The fields that the requests for credit notes and debit notes share. */
export const NoteRequest = Schema.Struct({ ...requestFields, correction_code: Schema.String })
export type NoteRequest = typeof NoteRequest.Type

/** The request to annul an invoice: credits all lines of an invoice without earlier credit notes. */
export class AnnulRequest extends Schema.Opaque<AnnulRequest>()(
  Schema.Struct({ reason, external_id: newExternalId("note") }).annotate({
    identifier: "AnnulRequest",
    description: "The reason for the annulment, in words."
  })
) {}

export const noteQuery = (kind: "cn" | "dn") =>
  documentQuery("note", kind, {
    invoice_id: field(Schema.optionalKey(Schema.String), "Filter by the id of the corrected invoice.")
  })

// Drops the fields that a note does not share with an invoice: the unique code has another name, and the authority
// grants no range for notes.
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
    "Identifier of the note: cn_ or dn_ and 26 characters. Identifiers sort by creation time.",
    NoteId.make(example)
  )

const cude = field(
  cufe,
  "Unique code of the note (CUDE): 96 hexadecimal digits. Null until the note is numbered.",
  "907e4444decc9e59c160a2fb3b6659b33dc5b632a5008922b9a62f83f757b1c448e47f5867f2b50dbdb96f48c7681168"
)

const numbered = {
  status,
  full_number: field(full_number, "Full number: prefix and number. Empty until the note is numbered.", "NC1")
}

const corrects = {
  invoice_id: field(
    Schema.NullOr(InvoiceId),
    "Id of the invoice that the note corrects. Null if the note corrects an invoice of another system or the sales of a period."
  ),
  original: field(
    Schema.optionalKey(OriginalInvoice),
    "Invoice of another system that the note corrects. Absent for all other notes."
  ),
  correction_code: field(
    Schema.String,
    "Reason for the correction, as a code of the catalog concepto-nota-credito or concepto-nota-debito.",
    "1"
  ),
  reason: field(Schema.String, "Reason for the correction, in words.", "Devolución de una unidad")
}

const credit = { id: noteId("cn_01k9z3v8c2m4n6p8q0r2s4t6v8"), object: Schema.Literal("credit_note") }
const debit = { id: noteId("dn_01k9z3v8c2m4n6p8q0r2s4t6v8"), object: Schema.Literal("debit_note") }

/** The response to the creation of a credit note: exactly these six fields. */
export class CreditNoteCreated extends Schema.Opaque<CreditNoteCreated>()(
  Schema.Struct({ ...credit, ...numbered, cude, created_at }).annotate({
    identifier: "CreditNoteCreated",
    description: "The new draft, without a number."
  })
) {}

/** The response to the creation of a debit note: exactly these six fields. */
export class DebitNoteCreated extends Schema.Opaque<DebitNoteCreated>()(
  Schema.Struct({ ...debit, ...numbered, cude, created_at }).annotate({
    identifier: "DebitNoteCreated",
    description: "The new draft, without a number."
  })
) {}

export class CreditNote extends Schema.Opaque<CreditNote>()(
  Schema.Struct({ ...credit, ...numbered, cude, created_at, ...corrects, ...shared }).annotate({
    identifier: "CreditNote",
    description: "A credit note."
  })
) {}

export class DebitNote extends Schema.Opaque<DebitNote>()(
  Schema.Struct({ ...debit, ...numbered, cude, created_at, ...corrects, ...shared }).annotate({
    identifier: "DebitNote",
    description: "A debit note."
  })
) {}
