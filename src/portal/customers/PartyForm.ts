import { attributes, type Html, html } from "../../http/pages/Html.ts"
import { departments } from "../../domain/accounts/Territories.ts"
import {
  bodyOf,
  firstOf,
  type FormFaults,
  type FormShape,
  type FormValues,
  type SentFields
} from "../forms/FormBody.ts"
import { checkbox, field } from "../forms/Fields.ts"
import { languageOfMessage } from "../frame/SpanishRefusals.ts"
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

/** What a form shows: the values of its fields, and what is wrong with them. */
export interface Shown {
  readonly values: FormValues
  readonly faults: FormFaults
}

/** How the fields of a party are sent. `emptied`: what an empty optional field means. `isIssuer`: an issuer must have an address. */
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

/** A NIT without its dots, and with the check digit that was typed behind a hyphen in its own place. */
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

/** The body that the form of a party means: codes in the place of names, and the department that the municipality is in. */
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

/** The values of the form of a party that is there: its municipality by name. */
export const partyValues = (values: FormValues): FormValues => {
  const city = firstOf(values, "city_code")
  return city === "" ? values : new Map([...values, ["city_code", [typedCity(city)]]])
}

/** What is said below the field of the municipality: which ones have the name, if several have it. */
const cityHint = ({ t }: Pick<Visit, "t">, typed: string): string => {
  const found = citiesOf(typed)
  return found.length > 1
    ? `${t("Choose one", "Elija uno")}: ${found.map((code) => `${cityWords(code)} (${code})`).join("; ")}`
    : t("Its name or its code of five digits", "Su nombre o su código de cinco dígitos")
}

const blank = ["", "—"] as const

/** Who the party is. */
export const identityFields = (visit: Visit, { faults, values }: Shown): Html => {
  const { t } = visit
  const text = (name: string) => ({ name, value: firstOf(values, name), error: faults.of(name) })
  return html`<div class="fields">
      ${field({
        ...text("identification.type"),
        label: t("Identification", "Identificación"),
        choices: identificationChoices(visit)
      })}
      ${field({ ...text("identification.number"), label: t("Number", "Número"), isRequired: true })}
      ${field({
        ...text("identification.check_digit"),
        label: t("Check digit", "Dígito de verificación"),
        hint: t("Only for a NIT", "Solo de un NIT"),
        inputMode: "numeric"
      })}
    </div>
    <div class="fields">
      ${field({ ...text("legal_name"), label: t("Legal name", "Razón social o nombre"), isRequired: true })}
      ${field({ ...text("trade_name"), label: t("Trade name", "Nombre comercial") })}
      ${field({
        ...text("organization_type"),
        label: t("Kind of person", "Tipo de persona"),
        choices: organizationChoices(t)
      })}
    </div>`
}

/** How the party is reached. */
export const addressFields = (visit: Visit, { faults, values }: Shown): Html => {
  const { t } = visit
  const text = (name: string) => ({ name, value: firstOf(values, name), error: faults.of(name) })
  const city = firstOf(values, "city_code")
  // A form asks for the department only where a municipality does not tell it.
  const department = firstOf(values, "department_code")
  const asksDepartment = city === "" && department !== ""
  return html`<div class="fields">
      ${field({ ...text("email"), label: t("E-mail", "Correo electrónico"), type: "email" })}
      ${field({ ...text("phone"), label: t("Telephone", "Teléfono") })}
    </div>
    <div class="fields">
      ${field({ ...text("address"), label: t("Address", "Dirección") })}
      ${field({ ...text("city_code"), label: t("Municipality", "Municipio"), hint: cityHint(visit, city) })}
      ${
        asksDepartment
          ? field({
              ...text("department_code"),
              label: t("Department", "Departamento"),
              choices: [blank, ...departments]
            })
          : null
      }
      ${field({ ...text("postal_code"), label: t("Postal code", "Código postal") })}
      ${field({
        ...text("country_code"),
        label: t("Country", "País"),
        hint: countryHint(visit, firstOf(values, "country_code"))
      })}
    </div>`
}

const countryHint = (visit: Visit, code: string): string =>
  /^[A-Z]{2}$/.test(code) ? countryWords(visit, code) : visit.t("Two letters, such as CO", "Dos letras, como CO")

/** A group of boxes that are sent under one name. */
const boxes = (
  name: string,
  legend: string,
  choices: ReadonlyArray<readonly [value: string, words: string]>,
  { faults, values }: Shown
): Html => {
  const ticked = values.get(name) ?? []
  const error = faults.of(name)
  const id = `field-${name}-error`
  return html`<fieldset ${attributes({ "aria-describedby": error === undefined ? undefined : id })}>
    <legend>${legend}</legend>
    ${choices.map(([value, words]) => checkbox(name, words, ticked.includes(value), value))}
    ${error === undefined ? null : html`<small id="${id}" class="bad" lang="${languageOfMessage(error)}">${error}</small>`}
  </fieldset>`
}

/** How the party is registered for taxes. */
export const taxFields = (visit: Visit, shown: Shown): Html => {
  const { t } = visit
  const { faults, values } = shown
  return html`<div class="fields">
    ${boxes(
      "tax_responsibilities",
      t("Tax responsibilities", "Responsabilidades fiscales"),
      responsibilityChoices(visit),
      shown
    )}
    ${field({
      name: "tax_scheme",
      value: firstOf(values, "tax_scheme"),
      error: faults.of("tax_scheme"),
      label: t("Registered for the tax", "Responsable del tributo"),
      choices: [blank, ...taxSchemeChoices(visit)]
    })}
  </div>`
}

/** The names of the fields of a party, beside which faults are shown. */
export const partyNames: ReadonlyArray<string> = Object.keys(partyShape("null", false)).filter(
  (name) => name !== "department_code"
)
