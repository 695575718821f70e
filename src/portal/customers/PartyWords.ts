import { type CodeEntry, identificationTypes, partyTaxSchemes, taxResponsibilities } from "../../../schemas/Code.ts"
import { plainText } from "../../../schemas/Customer.ts"
import type { Identification } from "../../../schemas/Party.ts"
import { departments, municipalities } from "../../documents/rules/parties/Territories.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import type { Translate, Visit } from "../frame/Visit.ts"

type Reader = Pick<Visit, "language">
type Choices = ReadonlyArray<readonly [value: string, words: string]>

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

/** The name of a code, in the reader's language and with a capital. */
export const codeName = ({ language }: Reader, { name, name_en }: CodeEntry): string =>
  language === "es" ? name : capital(name_en)

/** The choices of a table of codes, in the reader's language. */
const choicesOf = (reader: Reader, table: ReadonlyArray<CodeEntry>): Choices =>
  table.map((entry) => [entry.code, codeName(reader, entry)] as const)

export const identificationChoices = (reader: Reader): Choices => [
  ["31", "NIT"],
  ...choicesOf(reader, identificationTypes).slice(1)
]

const englishSchemes: Readonly<Record<string, string>> = { ZA: "IVA and INC", ZZ: "None of these" }

export const taxSchemeChoices = (reader: Reader): Choices =>
  partyTaxSchemes.map(({ code, name }) => [code, (reader.language === "en" && englishSchemes[code]) || name])

export const responsibilityChoices = (reader: Reader): Choices => choicesOf(reader, taxResponsibilities)

export const organizationChoices = (t: Translate): Choices => [
  ["1", t("Legal entity", "Persona jurídica")],
  ["2", t("Natural person", "Persona natural")]
]

/** The name of a code among the choices. Returns an unknown code unchanged. */
export const chosen = (choices: Choices, code: string): string => choices.find(([value]) => value === code)?.[1] ?? code

/**
 * "NIT 900123456-7", or the name of another identification type with its number. The number stays on one line.
 */
export const identificationWords = (reader: Reader, { check_digit, number, type }: Identification): Html => {
  const name = chosen(identificationChoices(reader), type)
  return html`${name} <span class="whole">${number}${check_digit === undefined ? "" : `-${check_digit}`}</span>`
}

const namesOfCountries = {
  en: new Intl.DisplayNames("en", { type: "region" }),
  es: new Intl.DisplayNames("es", { type: "region" })
}

/** The name of a country by its two-letter code. Returns an unknown code unchanged. */
export const countryWords = ({ language }: Reader, code: string): string =>
  /^[A-Z]{2}$/.test(code) ? (namesOfCountries[language].of(code) ?? code) : code

/** "Medellín, Antioquia", or the code of an unknown municipality. */
export const cityWords = (code: string): string => {
  const city = municipalities.get(code)
  if (city === undefined) return code
  const department = departments.get(code.slice(0, 2))
  return department === undefined || city.startsWith(department) ? city : `${city}, ${department}`
}

/** A municipality in a form field: "Medellín, Antioquia (05001)". */
export const typedCity = (code: string): string => (municipalities.has(code) ? `${cityWords(code)} (${code})` : code)

const codesByName = Map.groupBy(municipalities.keys(), (code) => plainText(municipalities.get(code) ?? ""))
const codesByWholeName = Map.groupBy(municipalities.keys(), (code) => plainText(cityWords(code)))

/** The municipality codes that match a typed code, name, or both. Empty if no municipality matches. */
export const citiesOf = (text: string): ReadonlyArray<string> => {
  const [code] = /\b\d{5}\b/.exec(text) ?? []
  if (code !== undefined) return [code]
  const name = plainText(text).trim()
  return codesByWholeName.get(name) ?? codesByName.get(name) ?? (name === "bogota" ? ["11001"] : [])
}

type Place = { readonly [name in "address" | "city_code" | "department_code" | "country_code"]?: string | null }

type Party = Place & { readonly identification: Identification } & {
  readonly [name in "legal_name" | "trade_name" | "organization_type" | "email" | "phone" | "postal_code"]?:
    | string
    | null
}

/** The known parts of a party's address: street, municipality and country. */
const placeWords = (reader: Reader, { address, city_code, country_code, department_code }: Place): string => {
  const region = city_code
    ? cityWords(city_code)
    : department_code && (departments.get(department_code) ?? department_code)
  const country = country_code ? countryWords(reader, country_code) : undefined
  return [address, region, country].filter((part) => part !== undefined && part !== null && part !== "").join(", ")
}

/** The identification, names, contact data and address of a party, as facts. */
export const partyRows = (
  visit: Pick<Visit, "language" | "t">,
  party: Party
): ReadonlyArray<readonly [name: string, value: Html | string | null | undefined]> => {
  const { t } = visit
  const { email, identification, legal_name, organization_type, phone, postal_code, trade_name } = party
  return [
    [t("Identification", "Identificación"), identificationWords(visit, identification)],
    [t("Legal name", "Razón social"), legal_name],
    [t("Trade name", "Nombre comercial"), trade_name],
    [t("Organization type", "Tipo de persona"), organization_type && chosen(organizationChoices(t), organization_type)],
    [t("Email", "Correo"), email],
    [t("Phone", "Teléfono"), phone],
    [t("Address", "Dirección"), placeWords(visit, party)],
    [t("Postal code", "Código postal"), postal_code]
  ]
}
