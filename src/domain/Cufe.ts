import { hash } from "node:crypto"

/**
 * What an invoice code is computed from. Amounts are the decimals written in the document, identifications are without
 * check digit. `key` is the range's technical key for a CUFE and the software's PIN for a CUDE.
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
  input.line_extension_amount +
  `01${input.tax_01}` +
  `04${input.tax_04}` +
  `03${input.tax_03}` +
  input.payable_amount +
  input.supplier_nit +
  input.customer_id +
  input.key +
  input.environment

/** The invoice code, 96 hex digits: SHA-384 of the number with its prefix and the tail. A CUDE is the same with a PIN. */
export const cufe = (fullNumber: string, tail: string): string => hash("sha384", fullNumber + tail, "hex")
