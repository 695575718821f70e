import type { TaxCode, WithholdingCode } from "../../../schemas/Code.ts"
import type { Item } from "../../../schemas/Line.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"

/*
 * If the API and the authority give a code different meanings, a document has the API's meaning:
 *
 * - Tax 02 is the carbon tax, which has the authority's code 23; the authority's 02 is the departmental consumption
 *   tax.
 * - Tax ZZ is "no tax", and a document has no tax group for ZZ.
 * - Operation 11 is an export, written as an invoice of type 02 with the standard operation. The authority's 11 means
 *   mandates: an invoice with lines sold on behalf of another party.
 * - Payment means 47, 48, 49 and 71 are a credit card, a debit card, a voucher and a digital wallet. For the authority
 *   these codes are a bank transfer, a credit card, a debit card and bonds.
 */

type WrittenTax = Exclude<TaxCode, "ZZ">

/** The authority's code and name of each tax, by the API's tax code. */
export const taxSchemes: Readonly<Record<WrittenTax, { readonly id: string; readonly name: string }>> = {
  "01": { id: "01", name: "IVA" },
  "02": { id: "23", name: "INCarbono" },
  "03": { id: "03", name: "ICA" },
  "04": { id: "04", name: "INC" },
  "22": { id: "22", name: "Bolsas" },
  "23": { id: "23", name: "INCarbono" },
  "24": { id: "24", name: "INCombustibles" },
  "32": { id: "32", name: "ICL" },
  "33": { id: "33", name: "INPP" },
  "34": { id: "34", name: "IBUA" },
  "35": { id: "35", name: "ICUI" },
  "36": { id: "36", name: "ADV" }
}

/** The authority's code and name of each tax that the buyer withholds. */
export const withholdingSchemes: Readonly<Record<WithholdingCode, { readonly id: string; readonly name: string }>> = {
  "05": { id: "05", name: "ReteIVA" },
  "06": { id: "06", name: "ReteFuente" },
  "07": { id: "07", name: "ReteICA" }
}

const writtenMeans: ReadonlyMap<string, string> = new Map([
  ["47", "48"],
  ["48", "49"],
  ["49", "72"],
  ["71", "ZZZ"]
])

/** The authority's code of a means of payment, by the API's code. */
export const paymentCode = (code: string): string => writtenMeans.get(code) ?? code

/** The authority's name of each list of items, and the number of the list's agency, if there is one. */
export const itemStandards: Readonly<Record<Item["scheme"], { readonly name: string; readonly agency?: string }>> = {
  "001": { name: "UNSPSC", agency: "10" },
  "010": { name: "GTIN", agency: "9" },
  "020": { name: "Partida Arancelaria", agency: "195" },
  "999": { name: "Estándar de adopción del contribuyente" }
}

/** Whether some lines of a document are sold on behalf of another party (a mandate). */
export const isMandate = ({ lines }: Pick<FiscalDocument, "lines">): boolean =>
  lines.some(({ principal }) => principal !== undefined)

/**
 * The operation code of a document. An invoice has 09 (AIU), 11 (mandate) or 10 (standard). A note has 20 (credit) or
 * 30 (debit) if it references an invoice, and 22 or 32 if not.
 */
export const customization = (document: FiscalDocument): string => {
  const { correction, kind, operation_type } = document
  if (kind === "invoice") return operation_type === "09" ? "09" : isMandate(document) ? "11" : "10"
  const [withInvoice, withoutInvoice] = kind === "credit_note" ? ["20", "22"] : ["30", "32"]
  return correction?.invoice === null ? withoutInvoice : withInvoice
}

/**
 * The fields that the type of a document depends on. The operation may be null for a note, whose type does not depend
 * on it.
 */
type Sale = Pick<FiscalDocument, "in_contingency"> & {
  readonly operation_type: FiscalDocument["operation_type"] | null
}

/** The type code of an invoice: 01 sale, 02 export, 04 issued in contingency. */
export const invoiceTypeCode = ({ in_contingency, operation_type }: Sale): string =>
  in_contingency ? "04" : operation_type === "11" ? "02" : "01"

/**
 * The type code with which other documents refer to a document: the code of an invoice, 91 for a credit note, 92 for a
 * debit note.
 */
export const documentTypeCode = (document: Sale & Pick<FiscalDocument, "kind">): string =>
  document.kind === "invoice" ? invoiceTypeCode(document) : document.kind === "credit_note" ? "91" : "92"
