import { Schema } from "effect"
import { Violation } from "./ApiError.ts"
import { OperationType, PaymentMeansCode, PaymentType } from "./Code.ts"
import { CustomerId, InvoiceId, ResolutionId } from "./Id.ts"
import { Line, Totals } from "./Line.ts"
import { Currency, Instant, LocalDate, Timestamp } from "./Money.ts"
import { PageQuery } from "./Page.ts"
import { Metadata } from "./Text.ts"

export const invoiceStatuses = [
  "draft",
  "accepted_by_authority",
  "rejected_by_authority",
  "accepted_contingency",
  "failed",
  "canceled"
] as const

export const InvoiceStatus = Schema.Literals(invoiceStatuses).annotate({ identifier: "InvoiceStatus" })
export type InvoiceStatus = typeof InvoiceStatus.Type

/** The finer progress of a document that is still on its way. */
export const InvoiceStage = Schema.Literals(["queued", "numbered", "signed", "submitted", "done"])
export type InvoiceStage = typeof InvoiceStage.Type

export class PaymentMeans extends Schema.Opaque<PaymentMeans>()(
  Schema.Struct({
    code: PaymentMeansCode,
    type: PaymentType,
    due_date: Schema.optionalKey(LocalDate)
  }).annotate({ identifier: "PaymentMeans" })
) {}

export const linesPerInvoice = 500

/** What a client sends to issue an invoice. */
export class InvoiceRequest extends Schema.Opaque<InvoiceRequest>()(
  Schema.Struct({
    customer_id: Schema.String,
    currency: Currency,
    operation_type: OperationType,
    payment_means: PaymentMeans,
    lines: Schema.Array(Line).check(
      Schema.isMinLength(1, { message: "must hold at least one line", errorCode: "parameter_invalid_empty" }),
      Schema.isMaxLength(linesPerInvoice, {
        message: `must hold at most ${linesPerInvoice} lines`,
        errorCode: "parameter_too_long"
      })
    ),
    metadata: Schema.optionalKey(Metadata)
  }).annotate({ identifier: "InvoiceRequest" })
) {}

/** What is wrong with an invoice that somebody might issue: all that issuing it would be refused for. */
export class Validation extends Schema.Opaque<Validation>()(
  Schema.Struct({
    object: Schema.Literal("validation"),
    valid: Schema.Boolean,
    errors: Schema.Array(Violation)
  }).annotate({ identifier: "Validation" })
) {}

/** The query of invoices; all that it says must hold. */
export const InvoiceQuery = {
  ...PageQuery,
  status: Schema.optionalKey(
    Schema.Literals(invoiceStatuses).annotate({ message: `must be one of ${invoiceStatuses.join(", ")}` })
  ),
  customer_id: Schema.optionalKey(Schema.String),
  full_number: Schema.optionalKey(Schema.String),
  "created[gte]": Schema.optionalKey(Instant),
  "created[lte]": Schema.optionalKey(Instant)
}

/** The answer to creation: exactly these six fields. */
export class InvoiceCreated extends Schema.Opaque<InvoiceCreated>()(
  Schema.Struct({
    id: InvoiceId,
    object: Schema.Literal("invoice"),
    status: InvoiceStatus,
    full_number: Schema.String,
    cufe: Schema.NullOr(Schema.String),
    created_at: Timestamp
  }).annotate({ identifier: "InvoiceCreated" })
) {}

/** One rule of the authority that a document broke (`rejection`) or that it only remarks on (`notification`). */
export class AuthorityError extends Schema.Opaque<AuthorityError>()(
  Schema.Struct({
    rule: Schema.String,
    severity: Schema.Literals(["rejection", "notification"]),
    message: Schema.String,
    path: Schema.NullOr(Schema.String),
    hint: Schema.NullOr(Schema.String)
  }).annotate({ identifier: "AuthorityError" })
) {}

/** Why a document failed inside the service; the authority has not judged it. */
export class Failure extends Schema.Opaque<Failure>()(
  Schema.Struct({ code: Schema.String, message: Schema.String, retryable: Schema.Boolean }).annotate({
    identifier: "Failure"
  })
) {}

export class Invoice extends Schema.Opaque<Invoice>()(
  Schema.Struct({
    ...InvoiceCreated.fields,
    livemode: Schema.Boolean,
    stage: InvoiceStage,
    customer_id: CustomerId,
    currency: Currency,
    operation_type: OperationType,
    payment_means: PaymentMeans,
    lines: Schema.Array(Line),
    totals: Totals,
    resolution_id: Schema.NullOr(ResolutionId),
    issue_date: Schema.NullOr(Schema.String),
    pdf_url: Schema.NullOr(Schema.String),
    xml_url: Schema.NullOr(Schema.String),
    qr_url: Schema.NullOr(Schema.String),
    authority_errors: Schema.Array(AuthorityError),
    authority_notifications: Schema.Array(AuthorityError),
    failure: Schema.NullOr(Failure),
    contingency: Schema.NullOr(
      Schema.Struct({ type: Schema.Literal("04"), since: Timestamp, transmit_before: Schema.NullOr(Timestamp) })
    ),
    email: Schema.NullOr(Schema.Struct({ status: Schema.String, at: Timestamp })),
    version: Schema.Int,
    metadata: Metadata,
    updated_at: Timestamp
  }).annotate({ identifier: "Invoice" })
) {}

/** The copy of an invoice that an event carries. */
export class InvoiceSnapshot extends Schema.Opaque<InvoiceSnapshot>()(
  Schema.Struct({
    id: InvoiceId,
    object: Schema.Literal("invoice"),
    status: InvoiceStatus,
    cufe: Schema.NullOr(Schema.String),
    pdf_url: Schema.NullOr(Schema.String),
    full_number: Schema.String,
    authority_errors: Schema.Array(AuthorityError),
    authority_notifications: Schema.Array(AuthorityError),
    failure: Schema.NullOr(Failure),
    metadata: Metadata,
    version: Schema.Int
  }).annotate({ identifier: "InvoiceSnapshot" })
) {}
