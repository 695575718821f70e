import type { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import type { Totals } from "../../../schemas/Line.ts"
import { cents, decimal } from "./Decimal.ts"
import { taxTotal } from "./Totals.ts"

/** The URL of a document on the authority's public site, by CUFE or CUDE. `environment`: "1" production, "2" test. */
export const catalogueUrl = (environment: "1" | "2", cufe: string): string =>
  `https://catalogo-vpfe${environment === "1" ? "" : "-hab"}.dian.gov.co/document/searchqr?documentkey=${cufe}`

interface Printed {
  readonly kind: DocumentKind
  readonly full_number: string
  readonly issue_date: string
  readonly issue_time: string
  readonly issuer: { readonly identification: { readonly number: string } }
  readonly acquirer: { readonly identification: { readonly number: string } }
  readonly totals: Totals
  readonly cufe: string
  readonly environment: "1" | "2"
}

/** The text of the QR code on a printed document: one `Key: value` per line, and the URL on the authority's site. */
export const qrText = (document: Printed): string => {
  const { totals } = document
  const vat = taxTotal(totals, "01")
  return [
    `NumFac: ${document.full_number}`,
    `FecFac: ${document.issue_date}`,
    `HorFac: ${document.issue_time}`,
    `NitFac: ${document.issuer.identification.number}`,
    `DocAdq: ${document.acquirer.identification.number}`,
    `ValFac: ${totals.line_extension_amount}`,
    `ValIva: ${vat}`,
    `ValOtroIm: ${decimal(cents(totals.tax_amount) - cents(vat))}`,
    `ValTolFac: ${totals.payable_amount}`,
    `${document.kind === "invoice" ? "CUFE" : "CUDE"}: ${document.cufe}`,
    catalogueUrl(document.environment, document.cufe)
  ].join("\n")
}
