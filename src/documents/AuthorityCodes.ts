import type { TaxCode } from "../../schemas/Code.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"

/*
 * Where the interface and the authority do not mean the same by a code, a document says what the interface means:
 *
 * - tax 02 is the carbon tax: the authority's 23, since its 02 is the departmental consumption tax;
 * - tax ZZ is "no tax": no group of the document at all;
 * - operation 11 is an export: an invoice of type 02 and a standard operation, since the authority's 11 are mandates.
 *
 * Codes of payment means are written as they were sent: they are the authority's own, and the catalogs show its names.
 */

type WrittenTax = Exclude<TaxCode, "ZZ">

/** The taxes as the authority knows them. */
export const taxSchemes: Readonly<Record<WrittenTax, { readonly id: string; readonly name: string }>> = {
  "01": { id: "01", name: "IVA" },
  "02": { id: "23", name: "INCarbono" },
  "03": { id: "03", name: "ICA" },
  "04": { id: "04", name: "INC" }
}

/** The interface's code of a tax, by the authority's. */
export const taxCodes: ReadonlyMap<string, WrittenTax> = new Map(
  (["01", "02", "03", "04"] as const).map((code) => [taxSchemes[code].id, code])
)

/** The operation: of an invoice by its kind of sale, of a note that it names an invoice. */
export const customization = ({ kind, operation_type }: FiscalDocument): string =>
  kind === "invoice" ? (operation_type === "09" ? "09" : "10") : kind === "credit_note" ? "20" : "30"

/** Of a document's content, what its type depends on. The operation of a note is not always known, and does not matter. */
type Sale = Pick<FiscalDocument, "in_contingency"> & {
  readonly operation_type: FiscalDocument["operation_type"] | null
}

/** 01 sale, 02 export, 04 issued while the authority could not be reached. */
export const invoiceTypeCode = ({ in_contingency, operation_type }: Sale): string =>
  in_contingency ? "04" : operation_type === "11" ? "02" : "01"

export const creditNoteTypeCode = "91"

/** The type of a document, as others refer to it. */
export const documentTypeCode = (document: Sale & Pick<FiscalDocument, "kind">): string =>
  document.kind === "invoice" ? invoiceTypeCode(document) : document.kind === "credit_note" ? creditNoteTypeCode : "92"

/** What a seller abroad owes ends at its door: the only term that promises nothing the interface does not ask for. */
export const incoterm = "EXW"
