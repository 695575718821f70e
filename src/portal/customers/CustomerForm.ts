import { Effect } from "effect"
import type { Customer } from "../../../schemas/Customer.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import type { Form } from "../forms/SentForm.ts"
import { faultsOf, noFaults, sentValues, type ShownForm, valuesOf } from "../forms/FormBody.ts"
import { form, refusedForm } from "../forms/FormFields.ts"
import { section } from "../frame/Parts.ts"
import { refusedField, Refusal } from "../frame/Refusal.ts"
import type { Visit } from "../frame/Visit.ts"
import {
  fieldOfPair,
  isUnchanged,
  metadataFields,
  metadataNames,
  metadataOf,
  type Pair,
  repeatedKey,
  sentPairs
} from "./MetadataFields.ts"
import {
  addressFields,
  identityFields,
  partyBody,
  partyNames,
  partyShape,
  partyValues,
  taxFields
} from "./PartyForm.ts"

/** The content of a customer's form, and the error if the API rejected it. */
export interface CustomerShown extends ShownForm {
  readonly pairs: ReadonlyArray<Pair>
  readonly refusal?: Refusal
}

/** The form of a new customer. Its default is a company in Colombia. */
export const blankForm: CustomerShown = {
  values: valuesOf({ identification: { type: "31" }, organization_type: "1", country_code: "CO" }),
  faults: noFaults,
  pairs: []
}

/** The form of an existing customer. */
export const formOf = (customer: Customer): CustomerShown => ({
  values: partyValues(valuesOf(customer)),
  faults: noFaults,
  pairs: Object.entries(customer.metadata)
})

/** The form as it was sent, with an error next to each invalid field. */
export const refusedFormOf = (sent: Form, refusal: Refusal): CustomerShown => {
  const pairs = sentPairs(sent)
  const violations = refusal.errors.map((one) => ({ ...one, param: fieldOfPair(one, pairs) }))
  const faults = faultsOf(violations, [...partyNames, ...metadataNames(pairs)])
  return { values: sentValues(sent), pairs, faults, refusal: new Refusal({ ...refusal, errors: violations }) }
}

const twice = (key: string, { t }: Visit) =>
  refusedField(`metadata[${JSON.stringify(key)}]`, t("This key is in two rows.", "Esta clave está en dos filas."))

/** Makes the API body from the form. `before`: the existing customer, for a change. */
export const customerBody = (
  visit: Visit,
  sent: Form,
  before?: Customer
): Effect.Effect<Record<string, unknown>, Refusal> => {
  const pairs = sentPairs(sent)
  const repeated = repeatedKey(pairs)
  if (repeated !== undefined) return Effect.fail(twice(repeated, visit))
  const party = partyBody(sent, partyShape(before === undefined ? "omit" : "null", false))
  const isSame = isUnchanged(pairs, before?.metadata ?? {})
  return Effect.succeed({ ...party, ...(isSame ? {} : { metadata: metadataOf(pairs) }) })
}

/** The complete form. */
export const customerForm = (
  visit: Visit,
  { action, shown, submit }: { readonly action: string; readonly shown: CustomerShown; readonly submit: string }
): Html => {
  const { t } = visit
  return html`${refusedForm(visit, shown.refusal, shown.faults.isNamed)}
  ${form(visit, {
    action,
    submit,
    kind: "first",
    content: [
      section("who", t("Identification", "Identificación"), identityFields(visit, shown)),
      section("where", t("Contact", "Contacto"), addressFields(visit, shown)),
      section("taxes", t("Taxes", "Impuestos"), taxFields(visit, shown)),
      section("own", t("Metadata", "Datos propios"), metadataFields(visit, shown.pairs, shown.faults))
    ]
  })}`
}
