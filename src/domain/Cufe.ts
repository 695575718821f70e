import { hash } from "node:crypto"
import type { Totals } from "../../schemas/Line.ts"
import { truncated } from "./Decimal.ts"
import { taxTotal } from "./Totals.ts"

/**
 * What an invoice code is computed from. Amounts are the decimals written in the document, of which two fraction digits
 * count and none is rounded; identifications are without check digit. `key` is the range's technical key for a CUFE and the
 * software's PIN for a CUDE.
 */
export interface CufeInput {
  /** YYYY-MM-DD */
  readonly issue_date: string
  /** HH:MM:SS-05:00 */
  readonly issue_time: string
  readonly line_extension_amount: string
  readonly tax_01: string
  readonly tax_04: string
  readonly tax_03: string
  readonly payable_amount: string
  readonly supplier_nit: string
  readonly customer_id: string
  readonly key: string
  /** "1" production, "2" test */
  readonly environment: "1" | "2"
}

/**
 * The hashed text after the document's number. It is known before the number is, so that the database can hash both in
 * the statement that assigns the number. The order of the taxes (01, 04, 03) is the authority's.
 */
export const cufeTail = (input: CufeInput): string =>
  input.issue_date +
  input.issue_time +
  truncated(input.line_extension_amount) +
  `01${truncated(input.tax_01)}` +
  `04${truncated(input.tax_04)}` +
  `03${truncated(input.tax_03)}` +
  truncated(input.payable_amount) +
  input.supplier_nit +
  input.customer_id +
  input.key +
  input.environment

/** The same of a document whose taxes are summed up. */
export const documentTail = ({
  livemode,
  totals,
  ...rest
}: Pick<CufeInput, "issue_date" | "issue_time" | "supplier_nit" | "customer_id" | "key"> & {
  readonly livemode: boolean
  readonly totals: Totals
}): string =>
  cufeTail({
    ...rest,
    line_extension_amount: totals.line_extension_amount,
    tax_01: taxTotal(totals, "01"),
    tax_04: taxTotal(totals, "04"),
    tax_03: taxTotal(totals, "03"),
    payable_amount: totals.payable_amount,
    environment: livemode ? "1" : "2"
  })

/** The invoice code, 96 hex digits: SHA-384 of the number with its prefix and the tail. A CUDE is the same with a PIN. */
export const cufe = (fullNumber: string, tail: string): string => hash("sha384", fullNumber + tail, "hex")

/** What shows that a document was made by this program: 96 hex digits over its id, its PIN and the document's number. */
export const softwareSecurityCode = (softwareId: string, pin: string, fullNumber: string): string =>
  hash("sha384", softwareId + pin + fullNumber, "hex")

/** What the code of an answer or event about a document is computed from. Identifications are without check digit. */
export interface EventCodeInput {
  readonly id: string
  /** YYYY-MM-DD */
  readonly issue_date: string
  /** HH:MM:SS-05:00 */
  readonly issue_time: string
  readonly sender_nit: string
  readonly receiver_nit: string
  readonly response_code: string
  readonly document: { readonly full_number: string; readonly type_code: string }
  /** The sender's software PIN. */
  readonly pin: string
}

/** The CUDE of an answer or event about a document: 96 hex digits. */
export const eventCode = (input: EventCodeInput): string =>
  hash(
    "sha384",
    input.id +
      input.issue_date +
      input.issue_time +
      input.sender_nit +
      input.receiver_nit +
      input.response_code +
      input.document.full_number +
      input.document.type_code +
      input.pin,
    "hex"
  )
