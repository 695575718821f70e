import { Schema } from "effect"
import { CreditConcept, DebitConcept } from "./Code.ts"
import { InvoiceId, NoteId } from "./Id.ts"
import { Invoice, invoiceStatuses, Lines } from "./Invoice.ts"
import { Instant } from "./Money.ts"
import { PageQuery } from "./Page.ts"
import { Metadata, text } from "./Text.ts"

const reason = text(500).annotateKey({
  description: "Why, in words, as the document says it.",
  examples: ["Devolución de una unidad"]
})

const requestFields = {
  invoice_id: Schema.String.annotateKey({
    description: "The invoice that it corrects: one that was accepted. Buyer, currency and payment are that invoice's.",
    examples: ["inv_01k9z3v8c2m4n6p8q0r2s4t6v8"]
  }),
  reason,
  lines: Lines,
  metadata: Schema.optionalKey(Metadata)
}

/** What a client sends to credit a part of an invoice. All credit notes of one come to no more than the invoice. */
export class CreditNoteRequest extends Schema.Opaque<CreditNoteRequest>()(
  Schema.Struct({
    ...requestFields,
    correction_code: CreditConcept.annotateKey({
      description: "Code of the catalog concepto-nota-credito.",
      examples: ["1"]
    })
  }).annotate({ identifier: "CreditNoteRequest", description: "A credit note to issue." })
) {}

/** What a client sends to charge more than an invoice did. It does not add to what may be credited. */
export class DebitNoteRequest extends Schema.Opaque<DebitNoteRequest>()(
  Schema.Struct({
    ...requestFields,
    correction_code: DebitConcept.annotateKey({
      description: "Code of the catalog concepto-nota-debito.",
      examples: ["1"]
    })
  }).annotate({ identifier: "DebitNoteRequest", description: "A debit note to issue." })
) {}

/** Of either kind. */
export const NoteRequest = Schema.Struct({ ...requestFields, correction_code: Schema.String })
export type NoteRequest = typeof NoteRequest.Type

/** Credits all lines of an invoice of which nothing has been credited. */
export class AnnulRequest extends Schema.Opaque<AnnulRequest>()(
  Schema.Struct({ reason }).annotate({ identifier: "AnnulRequest", description: "Why an invoice is annulled." })
) {}

/** The query of notes; all that it says must hold. */
export const NoteQuery = {
  ...PageQuery,
  status: Schema.optionalKey(
    Schema.Literals(invoiceStatuses).annotate({ message: `must be one of ${invoiceStatuses.join(", ")}` })
  ).annotateKey({ description: "Only notes with this status." }),
  invoice_id: Schema.optionalKey(Schema.String).annotateKey({ description: "Only notes that correct this invoice." }),
  full_number: Schema.optionalKey(Schema.String).annotateKey({ description: "Only the note with this number." }),
  "created[gte]": Schema.optionalKey(Instant).annotateKey({ description: "Not before." }),
  "created[lte]": Schema.optionalKey(Instant).annotateKey({ description: "Not after." })
}

// What an invoice has and a note has not: its code has another name, and it is from no range of the authority.
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
  NoteId.annotateKey({
    description: "An id: cn_ of a credit note, dn_ of a debit note, and 26 characters, which sort by creation.",
    examples: [NoteId.make(example)]
  })

const cude = cufe.annotateKey({
  description: "The unique code; null until the note has its number.",
  examples: ["907e4444decc9e59c160a2fb3b6659b33dc5b632a5008922b9a62f83f757b1c448e47f5867f2b50dbdb96f48c7681168"]
})

const numbered = {
  status,
  full_number: full_number.annotateKey({
    description: "Prefix and number; empty until the note has its number.",
    examples: ["NC1"]
  })
}

const corrects = {
  invoice_id: InvoiceId.annotateKey({
    description: "The invoice that it corrects.",
    examples: [InvoiceId.make("inv_01k9z3v8c2m4n6p8q0r2s4t6v8")]
  }),
  correction_code: Schema.String.annotateKey({
    description: "Code of the catalog concepto-nota-credito or concepto-nota-debito.",
    examples: ["1"]
  }),
  reason: Schema.String.annotateKey({ description: "Why, in words.", examples: ["Devolución de una unidad"] })
}

const credit = { id: noteId("cn_01k9z3v8c2m4n6p8q0r2s4t6v8"), object: Schema.Literal("credit_note") }
const debit = { id: noteId("dn_01k9z3v8c2m4n6p8q0r2s4t6v8"), object: Schema.Literal("debit_note") }

/** The answer to creation: exactly these six fields. */
export class CreditNoteCreated extends Schema.Opaque<CreditNoteCreated>()(
  Schema.Struct({ ...credit, ...numbered, cude, created_at }).annotate({
    identifier: "CreditNoteCreated",
    description: "The answer to creation: a draft that has no number yet."
  })
) {}

/** The answer to creation: exactly these six fields. */
export class DebitNoteCreated extends Schema.Opaque<DebitNoteCreated>()(
  Schema.Struct({ ...debit, ...numbered, cude, created_at }).annotate({
    identifier: "DebitNoteCreated",
    description: "The answer to creation: a draft that has no number yet."
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
