import { Schema } from "effect"
import { OperationType, PaymentMeansCode, PaymentType } from "./Code.ts"
import { EmailStatus } from "./EmailStatus.ts"
import { AuthorityError, Failure } from "./FiscalDocument.ts"
import { CustomerId, InvoiceId, ResolutionId } from "./Id.ts"
import { Line, Totals } from "./Line.ts"
import { Currency, Decimal, Instant, LocalDate, Timestamp } from "./Money.ts"
import { PageQuery } from "./Page.ts"
import { Prefix } from "./Resolution.ts"
import { Metadata } from "./Text.ts"

export const invoiceStatuses = [
  "draft",
  "accepted_by_authority",
  "rejected_by_authority",
  "accepted_contingency",
  "failed",
  "canceled"
] as const

export const InvoiceStatus = Schema.Literals(invoiceStatuses).annotate({
  identifier: "InvoiceStatus",
  description: "`draft` until there is an outcome."
})
export type InvoiceStatus = typeof InvoiceStatus.Type

/** The finer progress of a document that is still on its way. */
export const InvoiceStage = Schema.Literals(["queued", "numbered", "signed", "submitted", "done"])
export type InvoiceStage = typeof InvoiceStage.Type

export class PaymentMeans extends Schema.Opaque<PaymentMeans>()(
  Schema.Struct({
    code: PaymentMeansCode,
    type: PaymentType,
    due_date: Schema.optionalKey(LocalDate)
  }).annotate({
    identifier: "PaymentMeans",
    description: "How the invoice is paid. `due_date` goes with type 2.",
    examples: [{ code: "10", type: "1" }]
  })
) {}

export const linesPerInvoice = 500

/** The lines of a document that is to be issued. */
export const Lines = Schema.Array(Line)
  .check(
    Schema.isMinLength(1, { message: "must hold at least one line", errorCode: "parameter_invalid_empty" }),
    Schema.isMaxLength(linesPerInvoice, {
      message: `must hold at most ${linesPerInvoice} lines`,
      errorCode: "parameter_too_long"
    })
  )
  .annotateKey({ description: "1 to 500 lines." })

/** What a client sends to issue an invoice. */
export class InvoiceRequest extends Schema.Opaque<InvoiceRequest>()(
  Schema.Struct({
    customer_id: Schema.String.annotateKey({
      description: "The id of a customer of the same mode.",
      examples: ["cust_01k9z3v8c2m4n6p8q0r2s4t6v8"]
    }),
    currency: Currency.annotateKey({ description: "ISO 4217.", examples: ["COP"] }),
    exchange_rate: Schema.optionalKey(Decimal).annotateKey({
      description: "Pesos (COP) for one unit of a foreign currency, on the issue date; not for COP.",
      examples: ["4100.50"]
    }),
    operation_type: OperationType.annotateKey({ description: "Code of the catalog tipo-operacion.", examples: ["10"] }),
    payment_means: PaymentMeans,
    prefix: Schema.optionalKey(Prefix).annotateKey({
      description: "Number it from a range of this prefix; left out, from the oldest range that serves.",
      examples: ["FE"]
    }),
    lines: Lines,
    metadata: Schema.optionalKey(Metadata)
  }).annotate({
    identifier: "InvoiceRequest",
    description: "An invoice to issue.",
    examples: [
      {
        customer_id: "cust_01k9z3v8c2m4n6p8q0r2s4t6v8",
        currency: "COP",
        operation_type: "10",
        payment_means: { code: "10", type: "1" },
        lines: [
          {
            description: "Consultoría",
            quantity: "1.00",
            unit_code: "94",
            unit_price: "100000.00",
            line_extension_amount: "100000.00",
            taxes: [{ code: "01", rate: "19.00", base: "100000.00", value: "19000.00" }]
          }
        ],
        metadata: { order: "1001" }
      }
    ]
  })
) {}

/** The query of invoices; all that it says must hold. */
export const InvoiceQuery = {
  ...PageQuery,
  status: Schema.optionalKey(
    Schema.Literals(invoiceStatuses).annotate({ message: `must be one of ${invoiceStatuses.join(", ")}` })
  ).annotateKey({ description: "Only invoices with this status." }),
  customer_id: Schema.optionalKey(Schema.String).annotateKey({ description: "Only invoices to this customer." }),
  full_number: Schema.optionalKey(Schema.String).annotateKey({ description: "Only the invoice with this number." }),
  "created[gte]": Schema.optionalKey(Instant).annotateKey({ description: "Not before." }),
  "created[lte]": Schema.optionalKey(Instant).annotateKey({ description: "Not after." })
}

/** The answer to creation: exactly these six fields. */
export class InvoiceCreated extends Schema.Opaque<InvoiceCreated>()(
  Schema.Struct({
    id: InvoiceId,
    object: Schema.Literal("invoice"),
    status: InvoiceStatus,
    full_number: Schema.String.annotateKey({
      description: "Prefix and number; empty until the invoice has its number.",
      examples: [""]
    }),
    cufe: Schema.NullOr(Schema.String).annotateKey({
      description: "The unique code; null until the invoice has its number.",
      examples: [null]
    }),
    created_at: Timestamp
  }).annotate({
    identifier: "InvoiceCreated",
    description: "The answer to creation: a draft that has no number yet.",
    examples: [
      {
        id: InvoiceId.make("inv_01k9z3v8c2m4n6p8q0r2s4t6v8"),
        object: "invoice",
        status: "draft",
        full_number: "",
        cufe: null,
        created_at: "2026-11-21T10:00:00.000-05:00"
      }
    ]
  })
) {}

const exampleLink = (file: "pdf" | "xml") =>
  `http://127.0.0.1:3000/v1/invoices/inv_01k9z3v8c2m4n6p8q0r2s4t6v8/${file}?account=ten_01k9z3v8c2m4n6p8q0r2s4t6v8&mode=test&expires=1795276800&signature=Zm9saW8gc2lnbnMgZXZlcnkgbGluayB0aGF0IGl0IG1`
const pdfLink = exampleLink("pdf")
const xmlLink = exampleLink("xml")
const qrLink =
  "https://catalogo-vpfe-hab.dian.gov.co/document/searchqr?documentkey=8bb918b19ba22a694f1da11c643b5e9de39adf60311cf179179e9b33381030bcd4c3c3f156c506ed5908f9276f5bd9b4"

export class Invoice extends Schema.Opaque<Invoice>()(
  Schema.Struct({
    ...InvoiceCreated.fields,
    livemode: Schema.Boolean.annotateKey({ description: "Made with a live key." }),
    stage: InvoiceStage.annotateKey({
      description: "The finer progress of a document on its way.",
      examples: ["done"]
    }),
    customer_id: CustomerId,
    currency: Currency.annotateKey({ description: "ISO 4217.", examples: ["COP"] }),
    exchange_rate: Schema.NullOr(Decimal).annotateKey({
      description: "Pesos for one unit of a foreign currency; null for COP.",
      examples: [null]
    }),
    operation_type: OperationType,
    payment_means: PaymentMeans,
    lines: Schema.Array(Line).annotateKey({ description: "As they were sent." }),
    totals: Totals,
    resolution_id: Schema.NullOr(ResolutionId).annotateKey({
      description: "The range its number is from.",
      examples: [ResolutionId.make("res_01k9z3v8c2m4n6p8q0r2s4t6v8")]
    }),
    issue_date: Schema.NullOr(Schema.String).annotateKey({
      description: "The date in the document; null until it has its number.",
      examples: ["2026-11-21"]
    }),
    pdf_url: Schema.NullOr(Schema.String).annotateKey({
      description: "The printed document: a link that opens it for an hour without a key. Null until it is accepted.",
      examples: [pdfLink]
    }),
    xml_url: Schema.NullOr(Schema.String).annotateKey({
      description: "The signed document: a link that opens it for an hour without a key. Null until it is accepted.",
      examples: [xmlLink]
    }),
    qr_url: Schema.NullOr(Schema.String).annotateKey({
      description: "The page of the authority that the QR code leads to; null until it has its CUFE.",
      examples: [qrLink]
    }),
    authority_errors: Schema.Array(AuthorityError).annotateKey({ description: "Why it was rejected.", examples: [[]] }),
    authority_notifications: Schema.Array(AuthorityError).annotateKey({
      description: "What the authority only remarks on.",
      examples: [[]]
    }),
    failure: Schema.NullOr(Failure).annotateKey({ description: "Why it failed inside the service.", examples: [null] }),
    contingency: Schema.NullOr(
      Schema.Struct({ type: Schema.Literal("04"), since: Timestamp, transmit_before: Schema.NullOr(Timestamp) })
    ).annotateKey({
      description:
        "Since when it is issued in contingency (type 04), and until when it must be transmitted: 48 hours after the authority is back, and null until then. A document that is not accepted or rejected by then is overdue, and is tried further.",
      examples: [null]
    }),
    email: Schema.NullOr(Schema.Struct({ status: EmailStatus, at: Timestamp })).annotateKey({
      description: "What became of the latest e-mail to the customer; null where none was sent.",
      examples: [null]
    }),
    version: Schema.Int.annotateKey({ description: "Grows with every change.", examples: [4] }),
    metadata: Metadata,
    updated_at: Timestamp
  }).annotate({
    identifier: "Invoice",
    description: "An invoice, with all that is known of it.",
    examples: [
      {
        id: InvoiceId.make("inv_01k9z3v8c2m4n6p8q0r2s4t6v8"),
        object: "invoice",
        status: "accepted_by_authority",
        full_number: "SETP990000001",
        cufe: "8bb918b19ba22a694f1da11c643b5e9de39adf60311cf179179e9b33381030bcd4c3c3f156c506ed5908f9276f5bd9b4",
        created_at: "2026-11-21T10:00:00.000-05:00",
        livemode: false,
        stage: "done",
        customer_id: CustomerId.make("cust_01k9z3v8c2m4n6p8q0r2s4t6v8"),
        currency: "COP",
        exchange_rate: null,
        operation_type: "10",
        payment_means: { code: "10", type: "1" },
        lines: [
          {
            description: "Consultoría",
            quantity: "1.00",
            unit_code: "94",
            unit_price: "100000.00",
            line_extension_amount: "100000.00",
            taxes: [{ code: "01", rate: "19.00", base: "100000.00", value: "19000.00" }]
          }
        ],
        totals: {
          line_extension_amount: "100000.00",
          tax_amount: "19000.00",
          payable_amount: "119000.00",
          taxes: [{ code: "01", rate: "19.00", base: "100000.00", value: "19000.00" }]
        },
        resolution_id: ResolutionId.make("res_01k9z3v8c2m4n6p8q0r2s4t6v8"),
        issue_date: "2026-11-21",
        pdf_url: pdfLink,
        xml_url: xmlLink,
        qr_url: qrLink,
        authority_errors: [],
        authority_notifications: [],
        failure: null,
        contingency: null,
        email: null,
        version: 4,
        metadata: { order: "1001" },
        updated_at: "2026-11-21T10:00:01.000-05:00"
      }
    ]
  })
) {}

/** The copy of an invoice that an event carries. */
export class InvoiceSnapshot extends Schema.Opaque<InvoiceSnapshot>()(
  Schema.Struct({
    id: InvoiceId,
    object: Schema.Literal("invoice"),
    status: InvoiceStatus,
    cufe: Schema.NullOr(Schema.String).annotateKey({
      description: "The unique code.",
      examples: ["8bb918b19ba22a694f1da11c643b5e9de39adf60311cf179179e9b33381030bcd4c3c3f156c506ed5908f9276f5bd9b4"]
    }),
    pdf_url: Schema.NullOr(Schema.String).annotateKey({
      description:
        "The printed document: a link that opens it for seven days without a key. Null unless it is accepted.",
      examples: [pdfLink]
    }),
    full_number: Schema.String.annotateKey({ description: "Prefix and number.", examples: ["SETP990000001"] }),
    authority_errors: Schema.Array(AuthorityError).annotateKey({ description: "Why it was rejected.", examples: [[]] }),
    authority_notifications: Schema.Array(AuthorityError).annotateKey({
      description: "What the authority only remarks on.",
      examples: [[]]
    }),
    failure: Schema.NullOr(Failure).annotateKey({ description: "Why it failed inside the service.", examples: [null] }),
    metadata: Metadata,
    version: Schema.Int.annotateKey({
      description: "Drop a copy whose version is below one you have seen.",
      examples: [4]
    })
  }).annotate({ identifier: "InvoiceSnapshot", description: "The copy of an invoice that an event carries." })
) {}
