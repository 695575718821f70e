import type { Item, Line, Principal, Tax } from "../../../schemas/Line.ts"
import { cents, millionths } from "../rules/Decimal.ts"
import { isMandate, itemStandards } from "./AuthorityCodes.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"
import { lineAllowances } from "./UblAllowances.ts"
import { amount, lineExtension, price, taxTotals } from "./UblAmounts.ts"
import { companyId } from "./UblParties.ts"
import { elementNames } from "./UblProfile.ts"
import { invoicePeriod } from "./UblReferences.ts"
import { attribute, element, leaf, optional } from "./Xml.ts"

/** The ID of an item in a list, with the attributes in the order of canonical XML. */
const listedId = (code: string, scheme: Item["scheme"]): string => {
  const { agency, name } = itemStandards[scheme]
  const keeper = agency === undefined ? "" : attribute("schemeAgencyID", agency)
  return leaf("cbc:ID", code, keeper + attribute("schemeID", scheme) + attribute("schemeName", name))
}

/**
 * The item of a line. An item outside all lists has the line's number as its code, in the issuer's own scheme (999).
 */
const itemCodes = (item: Item | undefined, number: string): string => {
  const { code, scheme } = item ?? { code: number, scheme: "999" }
  return (
    (item?.scheme === "999" ? element("cac:SellersItemIdentification", leaf("cbc:ID", code)) : "") +
    element("cac:StandardItemIdentification", listedId(code, scheme))
  )
}

/** The principal of a line, as the authority's group for mandates. */
const onBehalfOf = ({ identification, legal_name }: Principal): string =>
  element(
    "cac:InformationContentProviderParty",
    element(
      "cac:PowerOfAttorney",
      element(
        "cac:AgentParty",
        element("cac:PartyIdentification", companyId("cbc:ID", identification)),
        element("cac:PartyName", leaf("cbc:Name", legal_name))
      )
    )
  )

const contract = "Contrato de servicios AIU por concepto de: "

/** The facts, in addition to a line itself, that its XML depends on. */
interface Sale {
  readonly currency: string
  /** Whether each line must state if it is sold on behalf of a principal, as in an invoice with mandates. */
  readonly isMandate: boolean
  /**
   * The lines that name the object of an AIU contract: the `named` one, `all` if none names it, `none` without a
   * contract.
   */
  readonly contract: "named" | "all" | "none"
}

const saleOf = (document: FiscalDocument): Sale => {
  const { currency, kind, lines, operation_type } = document
  const isNamed = lines.some(({ aiu_contract }) => aiu_contract !== undefined)
  return {
    currency,
    isMandate: kind === "invoice" && isMandate(document),
    contract: operation_type !== "09" ? "none" : isNamed ? "named" : "all"
  }
}

/**
 * The object of an AIU contract (operation 09). The authority requires it in the line of the administration. If no line
 * names the object, the description of each line replaces it.
 */
const contractNote = (sale: Sale, line: Line): string => {
  if (sale.contract === "none") return ""
  const object = sale.contract === "named" ? line.aiu_contract : line.description
  return object === undefined ? "" : leaf("cbc:Note", contract + object)
}

const notes = ({ notes: some = [], special_base }: Line): string =>
  optional("cbc:Note", special_base) + some.map((note) => leaf("cbc:Note", note)).join("")

const commercial = "01"

/**
 * The reference price of a line without an amount. For a free item, it is the price in the request. For a line whose
 * discounts leave nothing, it is the price before the discounts.
 */
const referencePrice = (line: Line, currency: string): string => {
  const { line_extension_amount, reference_price, unit_price } = line
  const isEmpty = line_extension_amount === "0.00" && millionths(unit_price) !== 0n
  const { amount: value, type } = reference_price ?? (isEmpty ? { amount: unit_price, type: commercial } : {})
  if (value === undefined || type === undefined) return ""
  const content = amount("cbc:PriceAmount", value, currency) + leaf("cbc:PriceTypeCode", type)
  return element("cac:PricingReference", element("cac:AlternativeConditionPrice", content))
}

/** Whether a line is sold on behalf of a principal (1) or for the issuer (0), as an attribute of its ID. */
const forWhom = (sale: Sale, { principal }: Line): string =>
  sale.isMandate ? attribute("schemeID", principal === undefined ? "0" : "1") : ""

const item = (line: Line, number: string): string =>
  element(
    "cac:Item",
    leaf("cbc:Description", line.description),
    optional("cbc:BrandName", line.item?.brand),
    optional("cbc:ModelName", line.item?.model),
    itemCodes(line.item, number),
    line.principal === undefined ? "" : onBehalfOf(line.principal)
  )

// The authority uses the base of the line's first tax. A tax per unit has no base.
const byBase = ({ base: a = "0.00" }: Tax, { base: b = "0.00" }: Tax): number =>
  cents(a) === cents(b) ? 0 : cents(a) < cents(b) ? 1 : -1

/** The lines of a document, numbered from 1. */
export const lines = (document: FiscalDocument): string => {
  const { currency, kind, lines: content } = document
  const { quantity, root } = elementNames[kind]
  const sale = saleOf(document)
  const xml = content.map((line, index) => {
    const number = String(index + 1)
    const taxes = taxTotals(line.taxes.toSorted(byBase), currency)
    const allowances = lineAllowances(line.allowance_charges, currency)
    return element(
      `cac:${root}Line`,
      leaf("cbc:ID", number, forWhom(sale, line)),
      contractNote(sale, line),
      notes(line),
      leaf(quantity, line.quantity, attribute("unitCode", line.unit_code)),
      lineExtension(line.line_extension_amount, currency),
      // In UBL, a line of a debit note has neither of the two.
      kind === "debit_note"
        ? ""
        : (line.reference_price === undefined ? "" : leaf("cbc:FreeOfChargeIndicator", "true")) +
            invoicePeriod(line.period),
      referencePrice(line, currency),
      kind === "invoice" ? allowances + taxes : taxes + allowances,
      item(line, number),
      price(line, currency)
    )
  })
  return xml.join("")
}
