import { Schema } from "effect"
import { Issuer } from "../../schemas/Account.ts"
import { OperationType } from "../../schemas/Code.ts"
import { Acquirer } from "../../schemas/Customer.ts"
import { Correction, DocumentKind } from "../../schemas/FiscalDocument.ts"
import { PaymentMeans } from "../../schemas/Invoice.ts"
import { Line, Totals } from "../../schemas/Line.ts"
import { GrantedRange } from "../../schemas/Resolution.ts"

/** All that a fiscal document says. */
export class FiscalDocument extends Schema.Opaque<FiscalDocument>()(
  Schema.Struct({
    kind: DocumentKind,
    /** Issued while the authority could not be reached: an invoice of type 04. */
    in_contingency: Schema.Boolean,
    full_number: Schema.String,
    prefix: Schema.String,
    /** The CUFE of an invoice, the CUDE of a note. */
    cufe: Schema.String,
    issue_date: Schema.String,
    issue_time: Schema.String,
    /** "1" production, "2" test */
    environment: Schema.Literals(["1", "2"]),
    currency: Schema.String,
    /** Pesos for one unit of a foreign currency, with the issue date; null for pesos. */
    exchange_rate: Schema.NullOr(Schema.String),
    operation_type: OperationType,
    issuer: Issuer,
    acquirer: Acquirer,
    payment_means: PaymentMeans,
    lines: Schema.Array(Line),
    totals: Totals,
    /** Null for notes, which need no range of the authority. */
    range: Schema.NullOr(GrantedRange),
    /** Null for invoices. */
    correction: Schema.NullOr(Correction)
  })
) {}
