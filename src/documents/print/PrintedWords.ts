import {
  creditConcepts,
  debitConcepts,
  identificationTypes,
  operationTypes,
  paymentMeans,
  taxes,
  taxResponsibilities,
  units
} from "../../../schemas/Code.ts"
import type { Identification } from "../../../schemas/Party.ts"
import { departments, homeCountry, municipalities } from "../../domain/accounts/Territories.ts"
import type { FiscalDocument } from "../ubl/FiscalDocument.ts"

/** The Spanish words and figures that a printed document shows for the codes and numbers of its data. */

const nameIn = (table: ReadonlyArray<{ readonly code: string; readonly name: string }>) => (code: string) =>
  table.find((entry) => entry.code === code)?.name ?? code

const creditConceptName = nameIn(creditConcepts)
const debitConceptName = nameIn(debitConcepts)
const identificationName = nameIn(identificationTypes)
const operationName = nameIn(operationTypes)
const responsibilityName = nameIn(taxResponsibilities)
export const meansName = nameIn(paymentMeans)
export const unitName = nameIn(units)
export const taxName = nameIn(taxes)

/** "1234567.89" → "1.234.567,89" */
export const figures = (amount: string): string => {
  const [whole = "", fraction = ""] = amount.split(".")
  return `${whole.replaceAll(/\B(?=(\d{3})+$)/g, ".")},${fraction}`
}

/** "19.00" → "19 %", "4.50" → "4,5 %" */
export const percent = (rate: string): string => `${figures(rate).replace(/,?0+$/, "")} %`

export const identificationWords = ({ check_digit, number, type }: Identification): string =>
  `${identificationName(type)} ${number}${check_digit === undefined ? "" : `-${check_digit}`}`

const regions = new Intl.DisplayNames(["es"], { type: "region" })
const currencies = new Intl.DisplayNames(["es"], { type: "currency" })

/** "COP (peso colombiano)" */
export const currencyWords = (currency: string): string => {
  const name = currencies.of(currency)
  return name === undefined || name === currency ? currency : `${currency} (${name})`
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

/** "Medellín, Antioquia, Colombia", without a department that the city's name begins with. Abroad, the country stands alone. */
export const placeWords = ({ city_code = "", country_code = homeCountry, department_code = "" }: Place): string => {
  const isHome = country_code === homeCountry
  const city = isHome ? municipalities.get(city_code) : undefined
  const department = isHome
    ? departments.get(department_code === "" ? city_code.slice(0, 2) : department_code)
    : undefined
  const isSaid = department === undefined || city?.startsWith(department) === true
  return [city === undefined ? "" : cityWords(city), isSaid ? "" : department, regions.of(country_code) ?? country_code]
    .filter((part) => part !== "")
    .join(", ")
}

export const responsibilityWords = (codes: ReadonlyArray<string>): string =>
  codes.map((code) => `${code} ${responsibilityName(code)}`).join("; ")

export const organizationWords = (type: string): string => (type === "1" ? "Persona jurídica" : "Persona natural")

const exportation = "11"

/** The printed title of a document. */
export const titleOf = ({ kind, operation_type }: FiscalDocument): string => {
  if (kind === "credit_note") return "Nota crédito"
  if (kind === "debit_note") return "Nota débito"
  return operation_type === exportation ? "Factura electrónica de venta - exportación" : "Factura electrónica de venta"
}

export const testMark = "MODO PRUEBA - sin validez"
export const contingencyMark = "Expedida en contingencia (tipo 04) por inconvenientes tecnológicos de la DIAN."

export const codeName = ({ kind }: FiscalDocument): string => (kind === "invoice" ? "CUFE" : "CUDE")

export const paymentForm = (type: string): string => (type === "2" ? "Crédito" : "Contado")

/** The name of an invoice's operation; undefined for the standard operation, which is not printed, and for notes. */
export const operationWords = ({ kind, operation_type }: FiscalDocument): string | undefined =>
  kind === "invoice" && operation_type !== "10" ? operationName(operation_type) : undefined

export const resolutionWords = ({ range }: FiscalDocument): string | undefined =>
  range === null
    ? undefined
    : `Resolución DIAN No. ${range.number}, vigente del ${range.valid_from} al ${range.valid_to}. Numeración autorizada: del ${range.prefix}${range.from_number} al ${range.prefix}${range.to_number}.`

/** The code of the reason for a note, with the authority's name of the reason. */
export const conceptWords = ({ correction, kind }: FiscalDocument): string => {
  const code = correction?.code ?? ""
  const name = kind === "credit_note" ? creditConceptName(code) : debitConceptName(code)
  return name === code ? code : `${code} - ${name}`
}
