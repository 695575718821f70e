/** The authority's pages of documents, by environment: "1" production, "2" test. */
const catalogues = {
  "1": "https://catalogo-vpfe.dian.gov.co",
  "2": "https://catalogo-vpfe-hab.dian.gov.co"
} as const

/** The authority's page of a document, by its CUFE or CUDE. */
export const qrUrl = (code: string, environment: "1" | "2"): string =>
  `${catalogues[environment]}/document/searchqr?documentkey=${code}`

/** What a printed document's QR code says. Amounts are those written in the document. */
export interface QrInput {
  readonly kind: "invoice" | "credit_note" | "debit_note"
  readonly full_number: string
  /** YYYY-MM-DD */
  readonly issue_date: string
  /** HH:MM:SS-05:00 */
  readonly issue_time: string
  /** Without check digit. */
  readonly issuer_number: string
  readonly acquirer_number: string
  readonly line_extension_amount: string
  readonly tax_01: string
  /** All taxes but that of code 01. */
  readonly other_taxes: string
  readonly payable_amount: string
  /** The CUFE of an invoice, the CUDE of a note. */
  readonly code: string
  readonly environment: "1" | "2"
}

/** The text of a printed document's QR code: one `Key: value` a line, then the authority's page. */
export const qrText = (input: QrInput): string =>
  [
    `NumFac: ${input.full_number}`,
    `FecFac: ${input.issue_date}`,
    `HorFac: ${input.issue_time}`,
    `NitFac: ${input.issuer_number}`,
    `DocAdq: ${input.acquirer_number}`,
    `ValFac: ${input.line_extension_amount}`,
    `ValIva: ${input.tax_01}`,
    `ValOtroIm: ${input.other_taxes}`,
    `ValTolFac: ${input.payable_amount}`,
    `${input.kind === "invoice" ? "CUFE" : "CUDE"}: ${input.code}`,
    qrUrl(input.code, input.environment)
  ].join("\n")
