import type { DocumentAllowance } from "../../../../schemas/DocumentDetails.ts"
import type { Line, LineAllowance, Tax } from "../../../../schemas/Line.ts"
import { count, figures, less, money, percent, periodWords, nbsp } from "./Figures.ts"
import type { FiscalDocument } from "../../ubl/FiscalDocument.ts"
import { identificationWords, referencePriceName, taxWords, unitName, unitSign } from "./PrintedWords.ts"
import type { Tongue } from "./Tongue.ts"

/** The texts of a document's line, one for each column of the table. */
export interface Item {
  readonly code: string
  readonly description: string
  /** The texts below the description, each on a separate line. */
  readonly details: ReadonlyArray<string>
  readonly quantity: string
  /** The name of a unit without a sign; empty if the quantity includes the unit. */
  readonly unit: string
  readonly price: string
  readonly taxes: ReadonlyArray<string>
  readonly value: string
}

const noTax = "ZZ"
const vat = "01"

const allTaxes = ({ lines }: FiscalDocument) =>
  new Set(lines.flatMap(({ taxes }) => taxes.map(({ code }) => code)).filter((code) => code !== noTax))

type Allowance = DocumentAllowance | LineAllowance

/** The style of a document's lines. */
export interface ItemStyle {
  /** Whether the table needs a column of item codes. */
  readonly hasCodes: boolean
  /** The column of the taxes: none, only rates of IVA, or taxes with their names. */
  readonly taxes: "none" | "vat" | "named"
  readonly currency: string
}

export const itemStyleOf = (document: FiscalDocument): ItemStyle => {
  const codes = allTaxes(document)
  return {
    hasCodes: document.lines.some(({ item }) => item !== undefined),
    taxes: codes.size === 0 ? "none" : codes.size === 1 && codes.has(vat) ? "vat" : "named",
    currency: document.currency
  }
}

/** "− $ 1.491,17" for a discount, "$ 1.491,17" for a charge. */
export const allowanceAmount = ({ amount, type }: Allowance, currency: string): string =>
  type === "discount" ? less(money(amount, currency)) : money(amount, currency)

const conditional = "01"

const kindOf = ({ type, ...rest }: Allowance, { both }: Tongue) => {
  if (type === "charge") return both("Cargo", "Charge")
  return "code" in rest && rest.code === conditional
    ? both("Descuento condicionado", "Conditional discount")
    : both("Descuento", "Discount")
}

/** "cliente frecuente, 10 % sobre $ 14.911,59" */
const reasonOf = ({ base, percent: rate, reason }: Allowance, currency: string, { on }: Tongue) =>
  `${reason}${rate === undefined ? "" : `, ${percent(rate)}${on} ${money(base, currency)}`}`

/** "Descuento: cliente frecuente, 10 % sobre $ 14.911,59" */
export const allowanceWords = (one: Allowance, currency: string, tongue: Tongue) =>
  `${kindOf(one, tongue)}: ${reasonOf(one, currency, tongue)}`

/** "Descuento de $ 1.491,17: cliente frecuente, 10 % sobre $ 14.911,59" */
const allowanceDetail = (one: Allowance, currency: string, tongue: Tongue) =>
  `${kindOf(one, tongue)}${tongue.isBilingual ? "" : " de"} ${money(one.amount, currency)}: ${reasonOf(one, currency, tongue)}`

const quantityOf = ({ quantity, unit_code }: Line) => {
  const sign = unitSign(unit_code)
  return sign === undefined
    ? { quantity: count(quantity), unit: unitName(unit_code) }
    : { quantity: `${count(quantity)}${nbsp}${sign}`, unit: "" }
}

/** Whether a tax is the value added tax at 0 %. */
export const isExempt = ({ code, rate = "" }: Tax) => code === vat && /^0\.0+$/.test(rate)

const taxCell = (tax: Tax, { taxes }: ItemStyle, { isBilingual }: Tongue) => {
  if (isExempt(tax) && !isBilingual) return taxes === "vat" ? "Exento" : "IVA exento"
  return taxes === "vat" && tax.rate !== undefined ? percent(tax.rate) : taxWords(tax)
}

/** A tax in figures, if the rate and the line's amount do not give them: a tax per unit, or a tax on another base. */
const taxDetail = (tax: Tax, line: Line, currency: string, { on }: Tongue): ReadonlyArray<string> => {
  if (tax.code === noTax) return []
  const value = money(tax.value, currency)
  if (tax.unit_amount !== undefined) {
    const units = `${count(tax.units ?? "0")} ${unitSign(tax.unit_code ?? "") ?? unitName(tax.unit_code ?? "")}`
    return [`${taxWords(tax)}: ${units} × ${money(tax.unit_amount, currency)} = ${value}`]
  }
  if (tax.base === undefined || tax.base === line.line_extension_amount) return []
  return [`${taxWords(tax)}${on} ${money(tax.base, currency)}: ${value}`]
}

const detailsOf = (line: Line, currency: string, tongue: Tongue): ReadonlyArray<string> => {
  const { both } = tongue
  const { aiu_contract, item, period, principal, reference_price, special_base } = line
  const make = [
    item?.brand === undefined ? [] : [`${both("Marca", "Brand")} ${item.brand}`],
    item?.model === undefined ? [] : [`${both("Modelo", "Model")} ${item.model}`]
  ].flat()
  return [
    ...(make.length === 0 ? [] : [make.join(", ")]),
    ...(line.allowance_charges ?? []).map((one) => allowanceDetail(one, currency, tongue)),
    ...(reference_price === undefined
      ? []
      : [
          `${both("Sin costo", "Free of charge")}. ${both(referencePriceName(reference_price.type), referencePriceName(reference_price.type, "name_en"))}: ${money(reference_price.amount, currency)}`
        ]),
    ...line.taxes.flatMap((tax) => taxDetail(tax, line, currency, tongue)),
    ...(special_base === undefined ? [] : [`${both("Base especial", "Special tax base")}: ${special_base}`]),
    ...(period === undefined ? [] : [`${both("Período", "Period")}: ${periodWords(period)}`]),
    ...(principal === undefined
      ? []
      : [
          `${both("Por cuenta de", "On behalf of")} ${principal.legal_name}, ${identificationWords(principal.identification)}`
        ]),
    ...(aiu_contract === undefined ? [] : [`Contrato de servicios AIU por concepto de: ${aiu_contract}`]),
    ...(line.notes ?? [])
  ]
}

/** An amount in the table. The table's head names a foreign currency. */
const inTable = (amount: string, currency: string) => (currency === "COP" ? money(amount, currency) : figures(amount))

export const itemOf = (line: Line, style: ItemStyle, tongue: Tongue): Item => ({
  code: line.item?.code ?? "",
  description: line.description,
  details: detailsOf(line, style.currency, tongue),
  ...quantityOf(line),
  price: inTable(line.unit_price, style.currency),
  taxes: line.taxes.filter(({ code }) => code !== noTax).map((tax) => taxCell(tax, style, tongue)),
  value: inTable(line.line_extension_amount, style.currency)
})
