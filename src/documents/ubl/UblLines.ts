import type { Line } from "../../../schemas/Line.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"
import { elementNames } from "./UblProfile.ts"
import { lineExtension, price, taxTotals } from "./UblAmounts.ts"
import { attribute, element, leaf } from "./Xml.ts"

// The items are in no public list of goods. Scheme 999 is the issuer's own standard, in which the line's number is the item's ID.
const ownStandard = attribute("schemeID", "999") + attribute("schemeName", "Estándar de adopción del contribuyente")

// The authority requires every line of a document of an AIU contract (operation 09) to name the contract.
const contractNote = (line: Line) => leaf("cbc:Note", `Contrato de servicios AIU por concepto de: ${line.description}`)

/** The lines of a document, numbered from 1. */
export const lines = ({ currency, kind, lines: content, operation_type }: FiscalDocument): string => {
  const { quantity, root } = elementNames[kind]
  const xml = content.map((line, index) => {
    const number = String(index + 1)
    return element(
      `cac:${root}Line`,
      leaf("cbc:ID", number),
      operation_type === "09" ? contractNote(line) : "",
      leaf(quantity, line.quantity, attribute("unitCode", line.unit_code)),
      lineExtension(line.line_extension_amount, currency),
      taxTotals(line.taxes, currency),
      element(
        "cac:Item",
        leaf("cbc:Description", line.description),
        element("cac:StandardItemIdentification", leaf("cbc:ID", number, ownStandard))
      ),
      price(line, currency)
    )
  })
  return xml.join("")
}
