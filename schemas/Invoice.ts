import { Schema } from "effect"
import { Acceptance } from "./Acceptance.ts"
import { Waiting } from "./AuthorityTrouble.ts"
import { OperationType } from "./Code.ts"
import { invoiceDetails, PaymentMeans } from "./DocumentDetails.ts"
import { EmailStatus } from "./EmailStatus.ts"
import { field } from "./Field.ts"
import { outcomeFields } from "./FiscalDocument.ts"
import { CustomerId, InvoiceId, ResolutionId } from "./Id.ts"
import { atMost, notEmpty } from "./Limits.ts"
import { Line, lineExample, Totals, totalsExample } from "./Line.ts"
import { Currency, Figure, Timestamp } from "./Money.ts"
import { createdQuery, pageQuery } from "./Page.ts"
import { Prefix } from "./Resolution.ts"
import { externalIdQuery, Metadata, metadataQuery, newExternalId, shownExternalId } from "./Text.ts"

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
  description: "Status of the document: `draft` until it reaches an outcome."
})
export type InvoiceStatus = typeof InvoiceStatus.Type

/** The progress of a document, in finer steps than its status. */
export const InvoiceStage = Schema.Literals(["queued", "numbered", "signed", "submitted", "done"])
export type InvoiceStage = typeof InvoiceStage.Type

export const linesPerInvoice = 500

/** The lines of a document to issue. */
export const Lines = Schema.Array(Line)
  .check(notEmpty("must hold at least one line"), atMost(linesPerInvoice, `must hold at most ${linesPerInvoice} lines`))
  .annotateKey({ description: "The lines of the document, 1 to 500." })

/** The request to issue an invoice. */
export class InvoiceRequest extends Schema.Opaque<InvoiceRequest>()(
  Schema.Struct({
    customer_id: field(
      Schema.String,
      "Id of the buyer: a customer of the same mode.",
      "cust_01k9z3v8c2m4n6p8q0r2s4t6v8"
    ),
    currency: field(Currency, "ISO 4217 code of the currency.", "COP"),
    exchange_rate: field(
      Schema.optionalKey(Figure),
      "Price of one unit of the foreign currency in Colombian pesos on the issue date. Required unless the currency is COP. Omit it for COP.",
      "4100.50"
    ),
    operation_type: field(OperationType, "Type of operation, as a code of the catalog tipo-operacion.", "10"),
    payment_means: PaymentMeans,
    prefix: field(
      Schema.optionalKey(Prefix),
      "Prefix of the numbering range for the invoice. If omitted, the oldest range that is usable today.",
      "FE"
    ),
    lines: Lines,
    ...invoiceDetails,
    external_id: newExternalId("invoice"),
    metadata: Schema.optionalKey(Metadata)
  }).annotate({
    identifier: "InvoiceRequest",
    description: "An invoice to create.",
    examples: [
      {
        customer_id: "cust_01k9z3v8c2m4n6p8q0r2s4t6v8",
        currency: "COP",
        operation_type: "10",
        payment_means: { code: "10", type: "1" },
        lines: [lineExample],
        metadata: { order: "1001" }
      }
    ]
  })
) {}

/** The query of invoices or notes. Documents must match all parameters. */
export const documentQuery = <By extends Schema.Struct.Fields>(
  noun: "invoice" | "note",
  kind: "inv" | "cn" | "dn",
  by: By
) => ({
  ...pageQuery(kind),
  status: field(
    Schema.optionalKey(
      Schema.Literals(invoiceStatuses).annotate({ message: `must be one of ${invoiceStatuses.join(", ")}` })
    ),
    `Filter by status of the ${noun}.`
  ),
  ...by,
  full_number: field(Schema.optionalKey(Schema.String), `Filter by full number of the ${noun}: prefix and number.`),
  ...externalIdQuery(noun),
  ...metadataQuery,
  ...createdQuery
})

export const InvoiceQuery = documentQuery("invoice", "inv", {
  customer_id: field(Schema.optionalKey(Schema.String), "Filter by the id of the customer.")
})

/** The response to the creation of an invoice: exactly these six fields. */
export class InvoiceCreated extends Schema.Opaque<InvoiceCreated>()(
  Schema.Struct({
    id: InvoiceId,
    object: Schema.Literal("invoice"),
    status: InvoiceStatus,
    full_number: field(Schema.String, "Full number: prefix and number. Empty until the invoice is numbered.", ""),
    cufe: field(
      Schema.NullOr(Schema.String),
      "Unique code of the invoice (CUFE): 96 hexadecimal digits. Null until the invoice is numbered.",
      null
    ),
    created_at: Timestamp
  }).annotate({
    identifier: "InvoiceCreated",
    description: "The new invoice: a draft without a number.",
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

const cufeExample = "8bb918b19ba22a694f1da11c643b5e9de39adf60311cf179179e9b33381030bcd4c3c3f156c506ed5908f9276f5bd9b4"
const exampleLink = (file: "pdf" | "xml") =>
  `http://127.0.0.1:3000/v1/invoices/inv_01k9z3v8c2m4n6p8q0r2s4t6v8/${file}?account=ten_01k9z3v8c2m4n6p8q0r2s4t6v8&mode=test&expires=1795276800&signature=Zm9saW8gc2lnbnMgZXZlcnkgbGluayB0aGF0IGl0IG1`
const pdfLink = exampleLink("pdf")
const xmlLink = exampleLink("xml")
const qrLink = `https://catalogo-vpfe-hab.dian.gov.co/document/searchqr?documentkey=${cufeExample}`

export class Invoice extends Schema.Opaque<Invoice>()(
  Schema.Struct({
    ...InvoiceCreated.fields,
    livemode: field(Schema.Boolean, "Mode of the document: `true` for live, `false` for test."),
    stage: field(
      InvoiceStage,
      "Progress of the document: `queued`, `numbered`, `signed` or `submitted`, then `done` when it reaches an outcome. A document in contingency stays `submitted` until the tax authority accepts or rejects it.",
      "done"
    ),
    customer_id: CustomerId,
    currency: field(Currency, "ISO 4217 code of the currency.", "COP"),
    exchange_rate: field(
      Schema.NullOr(Figure),
      "Price of one unit of the foreign currency in Colombian pesos. Null for documents in COP.",
      null
    ),
    operation_type: OperationType,
    payment_means: PaymentMeans,
    lines: field(Schema.Array(Line), "Lines of the document, as sent in the request."),
    ...invoiceDetails,
    totals: Totals,
    resolution_id: field(
      Schema.NullOr(ResolutionId),
      "Id of the numbering range of the invoice. Null until the invoice is numbered.",
      ResolutionId.make("res_01k9z3v8c2m4n6p8q0r2s4t6v8")
    ),
    issue_date: field(
      Schema.NullOr(Schema.String),
      "Issue date in the document, as YYYY-MM-DD. Null until the document is numbered.",
      "2026-11-21"
    ),
    pdf_url: field(
      Schema.NullOr(Schema.String),
      "Link to the PDF of the document, which works without an API key for one hour. Null until the document is accepted.",
      pdfLink
    ),
    xml_url: field(
      Schema.NullOr(Schema.String),
      "Link to the signed XML of the document, which works without an API key for one hour. Null until the document is accepted.",
      xmlLink
    ),
    qr_url: field(
      Schema.NullOr(Schema.String),
      "Target of the document's QR code: a page of the tax authority. Null until the document is numbered.",
      qrLink
    ),
    ...outcomeFields,
    waiting: Schema.optionalKey(Waiting),
    contingency: Schema.NullOr(
      Schema.Struct({ type: Schema.Literal("04"), since: Timestamp, transmit_before: Schema.NullOr(Timestamp) })
    ).annotateKey({
      description:
        "Time of issue in contingency (type 04), and the deadline to transmit the document: 48 hours after the tax authority is back. The deadline is null during the outage. After the deadline the document is overdue, and Folio continues to transmit it. Folio issues a document in contingency only if it was never sent to the authority. Null for all other documents.",
      examples: [null]
    }),
    email: field(
      Schema.NullOr(Schema.Struct({ status: EmailStatus, at: Timestamp })),
      "Status of the latest email of the document. Null if Folio has sent no email.",
      null
    ),
    acceptance: Schema.optionalKey(Acceptance).annotateKey({
      description:
        "Response of the buyer to the invoice. Absent unless the invoice is accepted and on credit terms (payment type 2)."
    }),
    version: field(Schema.Int, "Version of the document, which increases with every change.", 4),
    metadata: Metadata,
    external_id: shownExternalId("document"),
    updated_at: Timestamp
  }).annotate({
    identifier: "Invoice",
    description: "An invoice.",
    examples: [
      {
        id: InvoiceId.make("inv_01k9z3v8c2m4n6p8q0r2s4t6v8"),
        object: "invoice",
        status: "accepted_by_authority",
        full_number: "SETP990000001",
        cufe: cufeExample,
        created_at: "2026-11-21T10:00:00.000-05:00",
        livemode: false,
        stage: "done",
        customer_id: CustomerId.make("cust_01k9z3v8c2m4n6p8q0r2s4t6v8"),
        currency: "COP",
        exchange_rate: null,
        operation_type: "10",
        payment_means: { code: "10", type: "1" },
        lines: [lineExample],
        totals: totalsExample,
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
        external_id: "order-1001",
        updated_at: "2026-11-21T10:00:01.000-05:00"
      }
    ]
  })
) {}

export class InvoiceSnapshot extends Schema.Opaque<InvoiceSnapshot>()(
  Schema.Struct({
    id: InvoiceId,
    object: Schema.Literal("invoice"),
    status: field(InvoiceStatus, "Status of the document at the time of the event.", "accepted_by_authority"),
    cufe: field(Schema.NullOr(Schema.String), "Unique code of the document (CUFE or CUDE).", cufeExample),
    pdf_url: field(
      Schema.NullOr(Schema.String),
      "Link to the PDF of the document, which works without an API key for seven days. Null unless the document is accepted.",
      pdfLink
    ),
    full_number: field(Schema.String, "Full number of the document: prefix and number.", "SETP990000001"),
    ...outcomeFields,
    metadata: Metadata,
    version: field(
      Schema.Int,
      "Version of the document, which increases with every change. Ignore a copy with a lower version than a copy that you have received.",
      4
    )
  }).annotate({ identifier: "InvoiceSnapshot", description: "The copy of an invoice in an event." })
) {}
