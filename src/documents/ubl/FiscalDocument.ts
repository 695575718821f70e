import { Schema } from "effect"
import { Issuer } from "../../../schemas/Account.ts"
import { OperationType } from "../../../schemas/Code.ts"
import { Acquirer } from "../../../schemas/Customer.ts"
import { invoiceDetails, PaymentMeans } from "../../../schemas/DocumentDetails.ts"
import { Correction, DocumentKind } from "../../../schemas/FiscalDocument.ts"
import { Line, Totals } from "../../../schemas/Line.ts"
import { GrantedRange } from "../../../schemas/Resolution.ts"

/**
 * The complete content of a fiscal document: an invoice, a credit note or a debit note. Amounts and rates are decimal
 * text, such as "119000.00"; dates are YYYY-MM-DD.
 */
export class FiscalDocument extends Schema.Opaque<FiscalDocument>()(
  Schema.Struct({
    kind: DocumentKind,
    /** Whether the document is an invoice of type 04, issued in contingency. */
    in_contingency: Schema.Boolean,
    full_number: Schema.String,
    prefix: Schema.String,
    /**
     * The reason, for the print-out, why the document has no legal validity; omitted if the document is valid or may
     * become valid.
     */
    invalid: Schema.optionalKey(Schema.Literals(["rejected", "failed"])),
    /** The CUFE of an invoice, the CUDE of a note. */
    cufe: Schema.String,
    issue_date: Schema.String,
    issue_time: Schema.String,
    /** "1" production, "2" test */
    environment: Schema.Literals(["1", "2"]),
    currency: Schema.String,
    /** The price in pesos of one unit of a foreign `currency`; null for documents in pesos. */
    exchange_rate: Schema.NullOr(Schema.String),
    /** The date of `exchange_rate` if it differs from the issue date: a note may carry the rate of its invoice. */
    exchange_rate_date: Schema.optionalKey(Schema.String),
    operation_type: OperationType,
    issuer: Issuer,
    acquirer: Acquirer,
    payment_means: PaymentMeans,
    lines: Schema.Array(Line),
    ...invoiceDetails,
    totals: Totals,
    /** Null for notes, which need no range of the authority. */
    range: Schema.NullOr(GrantedRange),
    /** Null for invoices. */
    correction: Schema.NullOr(Correction)
  })
) {}
