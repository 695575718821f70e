import {
  creditConcepts,
  debitConcepts,
  identificationTypes,
  incoterms,
  operationTypes,
  paymentMeans,
  referencePrices,
  taxes,
  taxResponsibilities,
  units,
  withholdingTaxes
} from "../../../../schemas/Code.ts"
import type { Identification } from "../../../../schemas/Party.ts"
import { departments, homeCountry, municipalities } from "../../rules/parties/Territories.ts"
import { figures, nbsp, percent } from "./Figures.ts"
import type { FiscalDocument } from "../../ubl/FiscalDocument.ts"

/** The printed names of the codes in a document. */

interface Named {
  readonly code: string
  readonly name: string
  readonly name_en: string
}

/** The name of a code in a table, in Spanish or in English; the code itself if the table does not have it. */
const named = (table: ReadonlyArray<Named>) => {
  const entries = new Map(table.map((entry) => [entry.code, entry]))
  return (code: string, language: "name" | "name_en" = "name") => entries.get(code)?.[language] ?? code
}

const creditConceptName = named(creditConcepts)
const debitConceptName = named(debitConcepts)
const identificationName = named(identificationTypes)
const responsibilityName = named(taxResponsibilities)
const unitNames = named(units)
const operationName = named(operationTypes)
export const meansName = named(paymentMeans)
export const taxName = named(taxes)
export const withholdingName = named(withholdingTaxes)
export const referencePriceName = named(referencePrices)
export const incotermName = named(incoterms)

/** The usual signs of the most frequent units. */
const unitSigns: ReadonlyMap<string, string> = new Map([
  ["94", "und"],
  ["EA", "und"],
  ["KGM", "kg"],
  ["GRM", "g"],
  ["TNE", "t"],
  ["MTR", "m"],
  ["CMT", "cm"],
  ["KMT", "km"],
  ["MTK", "m²"],
  ["MTQ", "m³"],
  ["LTR", "l"],
  ["MLT", "ml"],
  ["HUR", "h"],
  ["MIN", "min"],
  ["KWH", "kWh"]
])

/** The sign of a unit, printed after the quantity; undefined for a unit that is printed by its full name. */
export const unitSign = (code: string): string | undefined => unitSigns.get(code)

/** The name of a unit: "Número de artículos". */
export const unitName = (code: string): string => unitNames(code)

const withDots = (digits: string) => digits.replaceAll(/\B(?=(\d{3})+$)/g, ".")

/** The identifications that are numbers, printed in groups of three digits. */
const numbered = new Set(["11", "12", "13", "22", "31", "91"])

/** "NIT 900.373.115-3" */
export const identificationWords = ({ check_digit, number, type }: Identification): string => {
  const shown = numbered.has(type) && /^\d+$/.test(number) ? withDots(number) : number
  return `${identificationName(type)} ${shown}${check_digit === undefined ? "" : `-${check_digit}`}`
}

const regions = new Intl.DisplayNames(["es"], { type: "region" })
const currencies = new Intl.DisplayNames(["es"], { type: "currency" })

/** "dólar estadounidense (USD)" */
export const currencyWords = (currency: string): string => {
  const name = currencies.of(currency)
  return name === undefined || name === currency ? currency : `${name} (${currency})`
}

// The authority's list capitalizes every word of a city's name, also prepositions, conjunctions and articles.
const cityWords = (name: string) =>
  name
    .replaceAll(/ (De|Del|Y)(?= )/g, (word) => word.toLowerCase())
    .replaceAll(/ de (La|Los|Las)(?= )/g, (words) => words.toLowerCase())

interface Place {
  readonly city_code?: string
  readonly department_code?: string
  readonly country_code?: string
}

/** "Medellín, Antioquia", without a department that the city's name begins with. Abroad, only the country. */
export const placeWords = ({ city_code = "", country_code = homeCountry, department_code = "" }: Place): string => {
  if (country_code !== homeCountry) return regions.of(country_code) ?? country_code
  const city = municipalities.get(city_code)
  const department = departments.get(department_code === "" ? city_code.slice(0, 2) : department_code)
  const isSaid = department === undefined || city?.startsWith(department) === true
  const parts = [city === undefined ? "" : cityWords(city), isSaid ? "" : department].filter((part) => part !== "")
  return parts.length === 0 ? (regions.of(homeCountry) ?? homeCountry) : parts.join(", ")
}

const noResponsibility = "R-99-PN"

/** "Gran contribuyente · Autorretenedor". Empty for a party without responsibilities. */
export const responsibilityWords = (codes: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(codes)].filter((code) => code !== noResponsibility).map((code) => responsibilityName(code))

/** The title of a document in Spanish and English. */
export const titleOf = ({ kind }: FiscalDocument): readonly [es: string, en: string] => {
  if (kind === "credit_note") return ["Nota crédito electrónica", "Electronic credit note"]
  if (kind === "debit_note") return ["Nota débito electrónica", "Electronic debit note"]
  return ["Factura electrónica de venta", "Electronic sales invoice"]
}

/** The full number with a space between the prefix and the number: "FE 1042". */
export const numberWords = ({ full_number, prefix }: FiscalDocument): string =>
  prefix !== "" && prefix !== full_number && full_number.startsWith(prefix)
    ? `${prefix}${nbsp}${full_number.slice(prefix.length)}`
    : full_number

export const codeName = ({ kind }: FiscalDocument): string => (kind === "invoice" ? "CUFE" : "CUDE")

/**
 * The mark of a document without legal validity. "Documento" would make the words masculine: invoices and notes are
 * feminine.
 */
export const invalidMarks = {
  rejected: "Rechazada por la DIAN, sin validez",
  failed: "Fallida, sin validez"
} as const
export const testMark = "Documento de prueba, sin validez fiscal"
export const contingencyMark = "Expedida en contingencia (tipo 04) por inconvenientes tecnológicos de la DIAN"

/** The name of an invoice's operation; undefined for the standard operation, which is not printed, and for notes. */
export const operationWords = ({ kind, operation_type }: FiscalDocument): readonly [string, string] | undefined =>
  kind !== "invoice" || operation_type === "10"
    ? undefined
    : [operationName(operation_type), operationName(operation_type, "name_en")]

/** The reason for a note, in the authority's terms. */
export const conceptWords = ({ correction, kind }: FiscalDocument): readonly [string, string] => {
  const name = kind === "credit_note" ? creditConceptName : debitConceptName
  const code = correction?.code ?? ""
  return [name(code), name(code, "name_en")]
}

/** "1 USD = $ 4.100,50" */
export const exchangeWords = (currency: string, rate: string): string =>
  `1${nbsp}${currency} = $${nbsp}${figures(rate)}`

interface TaxNamed {
  readonly code: string
  readonly rate?: string
}

/** "IVA 19 %", or only the name of a tax per unit. */
export const taxWords = ({ code, rate }: TaxNamed): string => {
  return `${taxName(code)}${rate === undefined ? "" : ` ${percent(rate)}`}`
}
