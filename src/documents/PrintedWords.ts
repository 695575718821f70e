import {
  identificationTypes,
  operationTypes,
  paymentMeans,
  taxes,
  taxResponsibilities,
  units
} from "../../schemas/Code.ts"
import type { Identification } from "../../schemas/Party.ts"
import { municipalities } from "../domain/Municipalities.ts"
import { departments, homeCountry } from "../domain/Territories.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"

/** What a printed document says in Spanish for the codes and numbers of its data. */

const nameIn = (table: ReadonlyArray<{ readonly code: string; readonly name: string }>) => (code: string) =>
  table.find((entry) => entry.code === code)?.name ?? code

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

// The authority's list begins every word with a capital.
const cityWords = (name: string) =>
  name
    .replaceAll(/ (De|Del|Y)(?= )/g, (word) => word.toLowerCase())
    .replaceAll(/ de (La|Los|Las)(?= )/g, (words) => words.toLowerCase())

interface Place {
  readonly city_code?: string
  readonly department_code?: string
  readonly country_code?: string
}

/** "Medellín, Antioquia", and the country where it is another one. */
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

/** What the document is called. */
export const titleOf = ({ kind, operation_type }: FiscalDocument): string => {
  if (kind === "credit_note") return "Nota crédito"
  if (kind === "debit_note") return "Nota débito"
  return operation_type === exportation ? "Factura electrónica de venta - exportación" : "Factura electrónica de venta"
}

export const testMark = "MODO PRUEBA - sin validez"
export const contingencyMark = "Expedida en contingencia (tipo 04) por inconvenientes tecnológicos de la DIAN."

export const codeName = ({ kind }: FiscalDocument): string => (kind === "invoice" ? "CUFE" : "CUDE")

export const paymentForm = (type: string): string => (type === "2" ? "Crédito" : "Contado")

/** Whose operation is the standard one need not be told so. */
export const operationWords = ({ kind, operation_type }: FiscalDocument): string | undefined =>
  kind === "invoice" && operation_type !== "10" ? operationName(operation_type) : undefined

export const resolutionWords = ({ range }: FiscalDocument): string | undefined =>
  range === null
    ? undefined
    : `Resolución DIAN No. ${range.number}, vigente del ${range.valid_from} al ${range.valid_to}. Numeración autorizada: del ${range.prefix}${range.from_number} al ${range.prefix}${range.to_number}.`

const creditConcepts: Readonly<Record<string, string>> = {
  "1": "Devolución parcial de los bienes y/o no aceptación parcial del servicio",
  "2": "Anulación de factura electrónica",
  "3": "Rebaja o descuento parcial o total",
  "4": "Ajuste de precio",
  "5": "Descuento comercial por pronto pago",
  "6": "Descuento comercial por volumen de ventas"
}

const debitConcepts: Readonly<Record<string, string>> = {
  "1": "Intereses",
  "2": "Gastos por cobrar",
  "3": "Cambio del valor",
  "4": "Otros"
}

/** Why a note was issued, as the authority calls it. */
export const conceptWords = ({ correction, kind }: FiscalDocument): string => {
  const code = correction?.code ?? ""
  const concept = (kind === "credit_note" ? creditConcepts : debitConcepts)[code]
  return concept === undefined ? code : `${code} - ${concept}`
}
