import { type Html, html } from "../../http/pages/Html.ts"
import { departments } from "../../documents/rules/parties/Territories.ts"
import { bodyOf, firstOf, type FormShape, type FormValues, type SentFields, type ShownForm } from "../forms/FormBody.ts"
import { boxes, inputsOf } from "../forms/FormFields.ts"
import type { Visit } from "../frame/Visit.ts"
import {
  citiesOf,
  cityWords,
  countryWords,
  identificationChoices,
  organizationChoices,
  responsibilityChoices,
  taxSchemeChoices,
  typedCity
} from "./PartyWords.ts"

/**
 * The shape of the fields of a party. `emptied`: the meaning of an empty optional field. `isIssuer`: makes the address
 * required.
 */
export const partyShape = (emptied: "omit" | "null", isIssuer: boolean): FormShape => {
  const optional = { empty: emptied } as const
  const ofAddress = isIssuer ? {} : optional
  return {
    "identification.type": {},
    "identification.number": {},
    "identification.check_digit": { empty: "omit" },
    legal_name: {},
    organization_type: {},
    email: ofAddress,
    address: ofAddress,
    city_code: ofAddress,
    department_code: { empty: "omit" },
    country_code: ofAddress,
    tax_responsibilities: { kind: "list", ...ofAddress },
    trade_name: optional,
    phone: optional,
    postal_code: optional,
    tax_scheme: optional
  }
}

interface Sent {
  readonly identification?: { readonly type?: string; readonly number?: string; readonly check_digit?: string }
  readonly city_code?: string | null
  readonly country_code?: string | null
  readonly department_code?: string
  readonly [name: string]: unknown
}

/** Removes the dots of a NIT. Moves a check digit after a hyphen to its own field. */
const cleaned = ({ identification }: Sent) => {
  const { check_digit, number = "", type } = identification ?? {}
  const [, digits = "", digit] = /^([\d.\s]*\d)(?:-(\d))?$/.exec(number) ?? []
  if (digits === "" || (digit !== undefined && type !== "31")) return identification
  const last = check_digit ?? digit
  return {
    ...identification,
    number: digits.replaceAll(/[.\s]/g, ""),
    ...(last === undefined ? {} : { check_digit: last })
  }
}

/** Makes the API body from a party's form: replaces names by codes, and adds the department of the municipality. */
export const partyBody = (fields: SentFields, shape: FormShape): Record<string, unknown> => {
  const sent: Sent = bodyOf(fields, shape)
  const { city_code, country_code, department_code, ...others } = sent
  const isForm = fields.names.includes("city_code")
  const [city, ...more] = typeof city_code === "string" ? citiesOf(city_code) : []
  const code = city !== undefined && more.length === 0 ? city : city_code
  const department =
    typeof code === "string" && /^\d{5}$/.test(code)
      ? code.slice(0, 2)
      : (department_code ?? (code === null ? null : undefined))
  return {
    ...others,
    ...(country_code === undefined ? {} : { country_code: country_code?.toUpperCase() ?? null }),
    ...(fields.names.includes("identification.number") ? { identification: cleaned(sent) } : {}),
    ...(isForm && code !== undefined ? { city_code: code } : {}),
    ...(department === undefined ? {} : { department_code: department })
  }
}

/** The form values of an existing party, with the name of its municipality. */
export const partyValues = (values: FormValues): FormValues => {
  const city = firstOf(values, "city_code")
  return city === "" ? values : new Map([...values, ["city_code", [typedCity(city)]]])
}

/** The hint below the municipality field. Lists the municipalities if several have the typed name. */
const cityHint = ({ t }: Pick<Visit, "t">, typed: string): string => {
  const found = citiesOf(typed)
  return found.length > 1
    ? `${t("Choose one", "Elija uno")}: ${found.map((code) => `${cityWords(code)} (${code})`).join("; ")}`
    : t("Name or five-digit code", "Nombre o código de cinco dígitos")
}

const blank = ["", "—"] as const

/** The identification and name fields. */
export const identityFields = (visit: Visit, shown: ShownForm): Html => {
  const { t } = visit
  const input = inputsOf(shown)
  return html`<div class="fields">
      ${input("identification.type", t("Identification", "Identificación"), { choices: identificationChoices(visit) })}
      ${input("identification.number", t("Number", "Número"), { isRequired: true })}
      ${input("identification.check_digit", t("Check digit", "Dígito de verificación"), {
        hint: t("Only for a NIT", "Solo para NIT"),
        inputMode: "numeric"
      })}
    </div>
    <div class="fields">
      ${input("legal_name", t("Legal name", "Razón social"), { isRequired: true })}
      ${input("trade_name", t("Trade name", "Nombre comercial"))}
      ${input("organization_type", t("Organization type", "Tipo de persona"), { choices: organizationChoices(t) })}
    </div>`
}

/** The contact and address fields. */
export const addressFields = (visit: Visit, shown: ShownForm): Html => {
  const { t } = visit
  const { values } = shown
  const input = inputsOf(shown)
  const city = firstOf(values, "city_code")
  // The form shows the department only if the municipality does not determine it.
  const department = firstOf(values, "department_code")
  const asksDepartment = city === "" && department !== ""
  return html`<div class="fields">
      ${input("email", t("Email", "Correo"), { type: "email" })} ${input("phone", t("Phone", "Teléfono"))}
    </div>
    <div class="fields">
      ${input("address", t("Address", "Dirección"))}
      ${input("city_code", t("Municipality", "Municipio"), { hint: cityHint(visit, city) })}
      ${
        asksDepartment
          ? input("department_code", t("Department", "Departamento"), { choices: [blank, ...departments] })
          : null
      }
      ${input("postal_code", t("Postal code", "Código postal"))}
      ${input("country_code", t("Country", "País"), { hint: countryHint(visit, firstOf(values, "country_code")) })}
    </div>`
}

const countryHint = (visit: Visit, code: string): string =>
  /^[A-Z]{2}$/.test(code) ? countryWords(visit, code) : visit.t("Two letters, such as CO", "Dos letras, como CO")

/** The tax registration fields. */
export const taxFields = (visit: Visit, shown: ShownForm): Html => {
  const { t } = visit
  return html`<div class="fields">
    ${boxes(
      "tax_responsibilities",
      t("Tax responsibilities", "Responsabilidades fiscales"),
      responsibilityChoices(visit),
      shown
    )}
    ${inputsOf(shown)("tax_scheme", t("Tax registration", "Responsable del tributo"), {
      choices: [blank, ...taxSchemeChoices(visit)]
    })}
  </div>`
}

/** The fields of a party that show their own errors. */
export const partyNames: ReadonlyArray<string> = Object.keys(partyShape("null", false)).filter(
  (name) => name !== "department_code"
)
