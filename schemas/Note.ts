import { Schema } from "effect"
import { CreditConcept, DebitConcept } from "./Code.ts"
import { field } from "./Field.ts"
import { InvoiceId, NoteId } from "./Id.ts"
import { documentQuery, Invoice, Lines } from "./Invoice.ts"
import { Metadata, text } from "./Text.ts"

const reason = field(
  text(500),
  "Why the invoice is corrected, in words; the document carries this text.",
  "Devolución de una unidad"
)

const requestFields = {
  invoice_id: field(
    Schema.String,
    "The id of the accepted invoice to correct. The note takes its buyer, currency and payment from that invoice.",
    "inv_01k9z3v8c2m4n6p8q0r2s4t6v8"
  ),
  reason,
  lines: Lines,
  metadata: Schema.optionalKey(Metadata)
}

/** The request to credit a part of an invoice. All credit notes of an invoice together amount to no more than the invoice. */
export class CreditNoteRequest extends Schema.Opaque<CreditNoteRequest>()(
  Schema.Struct({
    ...requestFields,
    correction_code: field(
      CreditConcept,
      "Why the invoice is corrected, as a code of the catalog concepto-nota-credito.",
      "1"
    )
  }).annotate({ identifier: "CreditNoteRequest", description: "A credit note to create." })
) {}

/** The request to charge more than an invoice did. A debit note does not raise the amount that may be credited. */
export class DebitNoteRequest extends Schema.Opaque<DebitNoteRequest>()(
  Schema.Struct({
    ...requestFields,
    correction_code: field(
      DebitConcept,
      "Why the invoice is corrected, as a code of the catalog concepto-nota-debito.",
      "1"
    )
  }).annotate({ identifier: "DebitNoteRequest", description: "A debit note to create." })
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

export const NoteQuery = documentQuery("note", {
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
  invoice_id: field(InvoiceId, "The id of the invoice that the note corrects."),
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
