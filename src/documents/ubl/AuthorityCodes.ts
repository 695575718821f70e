import type { TaxCode } from "../../../schemas/Code.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"

/*
 * Where the API and the authority give a code different meanings, a document expresses the meaning of the API:
 *
 * - tax 02 is the carbon tax, which has the authority's code 23; the authority's 02 is the departmental consumption tax;
 * - tax ZZ is "no tax", and a document has no tax group for ZZ;
 * - operation 11 is an export, written as an invoice of type 02 with the standard operation; the authority's 11 means mandates.
 *
 * Codes of payment means are written as the client sent them: the codes are the authority's own, and the catalogs show the
 * authority's names.
 */

type WrittenTax = Exclude<TaxCode, "ZZ">

/** The authority's code and name of each tax, by the API's tax code. */
export const taxSchemes: Readonly<Record<WrittenTax, { readonly id: string; readonly name: string }>> = {
  "01": { id: "01", name: "IVA" },
  "02": { id: "23", name: "INCarbono" },
  "03": { id: "03", name: "ICA" },
  "04": { id: "04", name: "INC" }
}

/** The API's tax code, by the authority's tax code. */
export const taxCodes: ReadonlyMap<string, WrittenTax> = new Map(
  (["01", "02", "03", "04"] as const).map((code) => [taxSchemes[code].id, code])
)

/** The operation code: 09 (AIU) or 10 (standard) of an invoice; 20 (credit) or 30 (debit) of a note that references an invoice. */
export const customization = ({ kind, operation_type }: FiscalDocument): string =>
  kind === "invoice" ? (operation_type === "09" ? "09" : "10") : kind === "credit_note" ? "20" : "30"

/** The fields that the type of a document depends on. The operation may be null for a note, whose type does not depend on it. */
type Sale = Pick<FiscalDocument, "in_contingency"> & {
  readonly operation_type: FiscalDocument["operation_type"] | null
}

/** The type code of an invoice: 01 sale, 02 export, 04 issued while the authority could not be reached. */
export const invoiceTypeCode = ({ in_contingency, operation_type }: Sale): string =>
  in_contingency ? "04" : operation_type === "11" ? "02" : "01"

/** The type code by which other documents refer to a document: that of an invoice, 91 for a credit note, 92 for a debit note. */
export const documentTypeCode = (document: Sale & Pick<FiscalDocument, "kind">): string =>
  document.kind === "invoice" ? invoiceTypeCode(document) : document.kind === "credit_note" ? "91" : "92"

/**
 * The Incoterm of every export. Under EXW the seller's obligations end at the seller's premises: the only term that promises
 * nothing that the API does not ask for.
 */
export const incoterm = "EXW"
