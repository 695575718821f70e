import type { Line } from "../../schemas/Line.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"
import { lineExtension, price, taxTotals } from "./UblAmounts.ts"
import { attribute, element, leaf } from "./Xml.ts"

/** What a line and its quantity are called, by the kind of document. */
export const lineNames = {
  invoice: { line: "cac:InvoiceLine", quantity: "cbc:InvoicedQuantity" },
  credit_note: { line: "cac:CreditNoteLine", quantity: "cbc:CreditedQuantity" },
  debit_note: { line: "cac:DebitNoteLine", quantity: "cbc:DebitedQuantity" }
} as const

// Goods of no public list: the issuer's own standard, for which the line's number is name enough.
const ownStandard = attribute("schemeID", "999") + attribute("schemeName", "Estándar de adopción del contribuyente")

// The authority wants each line of such a contract to name it.
const contractNote = (line: Line) => leaf("cbc:Note", `Contrato de servicios AIU por concepto de: ${line.description}`)

/** The lines of a document, numbered from 1. */
export const lines = ({ currency, kind, lines: content, operation_type }: FiscalDocument): string => {
  const names = lineNames[kind]
  let xml = ""
  for (const [index, line] of content.entries()) {
    const number = String(index + 1)
    xml += element(
      names.line,
      leaf("cbc:ID", number),
      operation_type === "09" ? contractNote(line) : "",
      leaf(names.quantity, line.quantity, attribute("unitCode", line.unit_code)),
      lineExtension(line.line_extension_amount, currency),
      taxTotals(line.taxes, currency),
      element(
        "cac:Item",
        leaf("cbc:Description", line.description),
        element("cac:StandardItemIdentification", leaf("cbc:ID", number, ownStandard))
      ),
      price(line, currency)
    )
  }
  return xml
}
