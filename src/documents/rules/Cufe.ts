import { hash } from "node:crypto"
import type { Totals } from "../../../schemas/Line.ts"
import { truncated } from "./Decimal.ts"
import { taxTotal } from "./Totals.ts"

/**
 * The input of a CUFE or CUDE. Amounts are the document's, truncated and not rounded to two fraction digits;
 * identifications have no check digit. `key`: the technical key of the range for a CUFE, the PIN of the software for a
 * CUDE.
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
 * The part of the hashed text after the full number. It is known before the number, so that the database can hash both
 * in the statement that assigns the number. The order of the taxes (01, 04, 03) is the authority's.
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

/** The same tail as `cufeTail`, from the totals of a document. */
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

/**
 * The CUFE of an invoice: SHA-384 over full number and tail, 96 hex digits. A CUDE has the software's PIN in the tail.
 */
export const cufe = (fullNumber: string, tail: string): string => hash("sha384", fullNumber + tail, "hex")

/**
 * The proof that this software issued a document: SHA-384 over the software's id and PIN and the full number, 96 hex
 * digits.
 */
export const softwareSecurityCode = (softwareId: string, pin: string, fullNumber: string): string =>
  hash("sha384", softwareId + pin + fullNumber, "hex")

/**
 * The input of the CUDE of a response (ApplicationResponse) or event about a document. Identifications have no check
 * digit.
 */
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

/** The CUDE of a response (ApplicationResponse) or event about a document: SHA-384, 96 hex digits. */
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
