import { figure, figureAt } from "./Figures.ts"
import type { Rule } from "./Rules.ts"
import { all, at, textAt, type XmlElement } from "./XmlTree.ts"

const scheme = ["cac:TaxCategory", "cac:TaxScheme", "cbc:ID"] as const
const percent = ["cac:TaxCategory", "cbc:Percent"] as const

const subtotals = (total: XmlElement) => all(total, "cac:TaxSubtotal")
const taxOf = (subtotal: XmlElement) => textAt(subtotal, ...scheme) ?? ""

/** The tax of a group of totals: the tax of its first part. */
const taxOfTotal = (total: XmlElement) => taxOf(subtotals(total)[0] ?? total)

/** Taxes with a fixed amount per unit. The authority's list also has 21, which exists on paper only. */
const perUnit: ReadonlySet<string> = new Set(["22", "23", "24", "32", "33", "34"])

const names: Readonly<Record<string, string>> = {
  "01": "IVA",
  "02": "IC",
  "03": "ICA",
  "04": "INC",
  "08": "ReteCREE",
  "20": "FtoHorticultura",
  "21": "Timbre",
  "22": "Bolsas",
  "23": "INCarbono",
  "24": "INCombustibles",
  "25": "Sobretasa Combustibles",
  "26": "Sordicom",
  "30": "IC Datos",
  "32": "ICL",
  "33": "INPP",
  "34": "IBUA",
  "35": "ICUI",
  "36": "ADV",
  ZZ: "Nombre de la figura tributaria"
}
const withheld: ReadonlySet<string> = new Set(["05", "06", "07"])

/** The rates that the authority knows, in millionths of a percent. */
const rates: Readonly<Record<string, ReadonlySet<bigint>>> = {
  "01": new Set(["0", "5", "16", "19"].map(figure)),
  "04": new Set(["2", "4", "8", "16"].map(figure))
}

const isPerUnit = (subtotal: XmlElement) => at(subtotal, "cbc:PerUnitAmount") !== undefined

const isUnknown = (subtotal: XmlElement) => {
  const name = names[taxOf(subtotal)]
  return (
    name === undefined || !(textAt(subtotal, "cac:TaxCategory", "cac:TaxScheme", "cbc:Name") ?? "").startsWith(name)
  )
}

const isUnknownRate = (subtotal: XmlElement) => {
  const known = rates[taxOf(subtotal)]
  return known !== undefined && !known.has(figureAt(subtotal, ...percent))
}

/** The rate of a part of a total, or its amount per unit with the unit. */
const rateOf = (subtotal: XmlElement) =>
  isPerUnit(subtotal)
    ? `${figureAt(subtotal, "cbc:PerUnitAmount")} ${at(subtotal, "cbc:BaseUnitMeasure")?.attributes}`
    : String(figureAt(subtotal, ...percent))

const isTwice = (of: ReadonlyArray<string>) => new Set(of).size < of.length

/** Whether two groups have different members. */
const isUnlike = (a: ReadonlySet<string>, b: ReadonlySet<string>) =>
  a.size !== b.size || [...a].some((member) => !b.has(member))

const taxed = (parts: ReadonlyArray<XmlElement>) =>
  new Set(parts.flatMap((part) => all(part, "cac:TaxTotal")).map(taxOfTotal))

/** The rates of each tax in some parts of a document. */
const ratesOf = (parts: ReadonlyArray<XmlElement>) =>
  new Set(
    parts
      .flatMap((part) => all(part, "cac:TaxTotal"))
      .flatMap(subtotals)
      .map((subtotal) => `${taxOf(subtotal)} ${rateOf(subtotal)}`)
  )

/** The rules of a document's taxes together: the taxes of its head against the taxes of its lines. */
export const taxesRules: ReadonlyArray<Rule<XmlElement>> = [
  {
    rule: "FAS01a",
    path: "cac:TaxTotal",
    isBroken: (root, { lines }) => isUnlike(taxed([root]), taxed(lines))
  },
  {
    rule: "FAS01b",
    path: "cac:TaxTotal",
    isBroken: (root) => isTwice(all(root, "cac:TaxTotal").map(taxOfTotal))
  },
  {
    rule: "FAS04",
    path: "cac:TaxTotal/cac:TaxSubtotal",
    isBroken: (root, { lines }) => isUnlike(ratesOf([root]), ratesOf(lines))
  },
  {
    rule: "FAT12",
    path: "cac:WithholdingTaxTotal",
    isBroken: (root) => isTwice(all(root, "cac:WithholdingTaxTotal").map(taxOfTotal))
  }
]

/** The rules of one tax of a document. */
export const totalRules: ReadonlyArray<Rule<XmlElement>> = [
  { rule: "FAS04", path: "cac:TaxSubtotal", isBroken: (total) => isTwice(subtotals(total).map(rateOf)) }
]

/** The rules of one rate of a tax of a document. */
export const subtotalRules: ReadonlyArray<Rule<XmlElement>> = [
  {
    rule: "FAS05",
    path: "cbc:TaxableAmount",
    isBroken: (subtotal) => !isPerUnit(subtotal) && at(subtotal, "cbc:TaxableAmount") === undefined
  },
  {
    rule: "FAS09",
    path: "cbc:BaseUnitMeasure",
    isBroken: (subtotal) => isPerUnit(subtotal) && at(subtotal, "cbc:BaseUnitMeasure") === undefined
  },
  { rule: "FAS16", path: scheme.join("/"), isBroken: isUnknown },
  { rule: "FAY10", path: percent.join("/"), isBroken: isUnknownRate }
]

/** The rules of one tax that the buyer withholds. */
export const withholdingRules: ReadonlyArray<Rule<XmlElement>> = [
  {
    rule: "FAT12",
    path: `cac:TaxSubtotal/${scheme.join("/")}`,
    isBroken: (total) => subtotals(total).some((subtotal) => !withheld.has(taxOf(subtotal)))
  }
]

/** The rules of the taxes of a line together. */
export const lineTaxesRules: ReadonlyArray<Rule<XmlElement>> = [
  { rule: "FAX01", path: "cac:TaxTotal", isBroken: (line) => isTwice(all(line, "cac:TaxTotal").map(taxOfTotal)) }
]

/** The rules of one tax of a line. */
export const lineTaxRules: ReadonlyArray<Rule<XmlElement>> = [
  {
    // The authority remarks on a tax per unit that is written as a percentage. The API's own carbon tax (02) is one.
    rule: "FAX09",
    path: "cac:TaxSubtotal/cbc:BaseUnitMeasure",
    severity: "notification",
    isBroken: (total) => subtotals(total).some((subtotal) => perUnit.has(taxOf(subtotal)) && !isPerUnit(subtotal))
  },
  {
    rule: "FAX16",
    path: `cac:TaxSubtotal/${scheme.join("/")}`,
    isBroken: (total) => subtotals(total).some(isUnknown)
  },
  {
    rule: "FAY10",
    path: `cac:TaxSubtotal/${percent.join("/")}`,
    isBroken: (total) => subtotals(total).some(isUnknownRate)
  }
]
