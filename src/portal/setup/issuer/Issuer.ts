import { Effect, Layer } from "effect"
import type { Account } from "../../../../schemas/Account.ts"
import { versions } from "../../../../schemas/Version.ts"
import { type Html, html } from "../../../http/pages/Html.ts"
import {
  addressFields,
  identityFields,
  partyBody,
  partyNames,
  partyShape,
  partyValues,
  taxFields
} from "../../customers/PartyForm.ts"
import type { Form } from "../../forms/SentForm.ts"
import {
  bodyOf,
  faultsOf,
  firstOf,
  type FormShape,
  noFaults,
  sentValues,
  type ShownForm,
  valuesOf
} from "../../forms/FormBody.ts"
import { form, inputs, inputsOf, refusedForm } from "../../forms/FormFields.ts"
import type { Page } from "../../frame/PortalLayout.ts"
import { notice, section } from "../../frame/Parts.ts"
import { orShown, type Refusal } from "../../frame/Refusal.ts"
import { change, page } from "../../frame/PortalRoutes.ts"
import type { Visit } from "../../frame/Visit.ts"
import { issuerFacts, logWords } from "./IssuerFacts.ts"
import { ofAccount, readAccount, setupPage, setupRoot } from "../SetupPage.ts"

const path = `${setupRoot}/issuer` as const

const issuerShape: FormShape = {
  ...partyShape("null", true),
  vat_responsible: { kind: "boolean", empty: "omit" },
  economic_activities: { kind: "words", empty: "null" },
  merchant_registration: { empty: "null" },
  payment_instructions: { empty: "null" },
  color: { empty: "null" }
}

const accountShape: FormShape = { name: {}, default_version: {}, request_log: {} }

const names = [
  ...partyNames,
  "vat_responsible",
  "economic_activities",
  "merchant_registration",
  "payment_instructions",
  "color"
]

/** The values of the issuer form. Without an issuer, the default in live mode is a company in Colombia. */
const shownOf = (account: Account): ShownForm => {
  const begun = { identification: { type: "31" }, organization_type: "1", country_code: "CO" }
  const values = valuesOf(account.identification === null ? begun : account)
  const activities = (account.economic_activities ?? []).join(", ")
  return { values: partyValues(new Map([...values, ["economic_activities", [activities]]])), faults: noFaults }
}

/** The field for IVA. An issuer that has answered cannot remove the answer. */
export const vatChoices = ({ t }: Visit, said: string) =>
  [
    ...(said === "" ? [["", t("Not set", "Sin definir")] as const] : []),
    ["true", t("Yes: regime 48, charges IVA", "Sí: régimen 48, responsable de IVA")],
    ["false", t("No: regime 49, does not charge IVA", "No: régimen 49, no responsable de IVA")]
  ] as const

const otherFields = ({ t }: Visit, shown: ShownForm): Html => {
  const input = inputsOf(shown)
  return html`<div class="fields">
      ${input("economic_activities", t("Economic activities (CIIU)", "Actividades económicas (CIIU)"), {
        hint: t("Four digits each, principal activity first", "Cuatro dígitos cada una, la principal primero")
      })}
      ${input("merchant_registration", t("Merchant registration", "Matrícula mercantil"))}
      ${input("color", t("Document color", "Color de los documentos"), {
        hint: t("For example #1f4e79", "Por ejemplo #1f4e79")
      })}
    </div>
    ${input("payment_instructions", t("Payment instructions", "Instrucciones de pago"), {
      rows: 3
    })}`
}

const issuerForm = (visit: Visit, shown: ShownForm, refusal?: Refusal): Html => {
  const { t } = visit
  const vat = inputsOf(shown)("vat_responsible", t("Charges IVA", "Responsable de IVA"), {
    choices: vatChoices(visit, firstOf(shown.values, "vat_responsible"))
  })
  return html`${refusedForm(visit, refusal, shown.faults.isNamed)}
  ${form(visit, {
    action: path,
    submit: t("Save issuer", "Guardar emisor"),
    kind: "first",
    content: [
      section("who", t("Identification", "Identificación"), identityFields(visit, shown)),
      section("where", t("Contact", "Contacto"), addressFields(visit, shown)),
      section("taxes", t("Taxes", "Impuestos"), vat, taxFields(visit, shown)),
      section("print", t("Printed details", "Datos impresos"), otherFields(visit, shown))
    ]
  })}`
}

const accountForm = (visit: Visit, account: Account, sent?: Form, refusal?: Refusal): Html => {
  const { t } = visit
  const faults = faultsOf(refusal?.errors, Object.keys(accountShape))
  const values = valuesOf(account)
  const input = inputs((name) => sent?.text(name) ?? firstOf(values, name), faults.of)
  return html`${refusedForm(visit, refusal, faults.isNamed)}
  ${form(visit, {
    action: `${path}/account`,
    submit: t("Save account", "Guardar cuenta"),
    content: section(
      "account",
      t("Account", "Cuenta"),
      html`<div class="fields">
          ${input("name", t("Account name", "Nombre de la cuenta"), { isRequired: true })}
          ${input("default_version", t("Default API version", "Versión predeterminada"), {
            hint: t("For requests without Svc-Version", "Para las solicitudes sin Svc-Version"),
            choices: versions.map((version) => [version, version])
          })}
        </div>
        ${input("request_log", t("Request log", "Registro de solicitudes"), {
          hint: t("Folio never logs secrets.", "Folio nunca registra secretos."),
          choices: Object.entries(logWords(t))
        })}`
    )
  })}`
}

/** The page with its forms, in the given order. */
const issuerPage = (visit: Visit, ...content: ReadonlyArray<Html>): Page => {
  const { t } = visit
  const about = t(
    "Your company’s data on documents. Changes apply to documents numbered from now on.",
    "Los datos de su empresa en los documentos. Los cambios se aplican a los documentos que se numeren desde ahora."
  )
  return setupPage(visit, t("Issuer and account", "Emisor y cuenta"), about, content)
}

const shownPage = (visit: Visit, account: Account): Page => {
  if (!visit.may("setup")) return issuerPage(visit, ...issuerFacts(visit, account))
  const said = notice(visit, { saved: visit.t("Saved.", "Guardado.") })
  return issuerPage(visit, said, issuerForm(visit, shownOf(account)), accountForm(visit, account))
}

const saving =
  (
    bodyOfForm: (sent: Form) => Record<string, unknown>,
    refused: (visit: Visit, account: Account, sent: Form, refusal: Refusal) => Page
  ) =>
  (visit: Visit, sent: Form) =>
    Effect.flatMap(readAccount(visit), (account) =>
      visit.send("PATCH", "/v1/account", bodyOfForm(sent), sent).pipe(
        Effect.as({ to: path, notice: "saved" }),
        orShown((refusal) => refused(visit, account, sent, refusal))
      )
    )

const saveIssuer = saving(
  (sent) => partyBody(sent, issuerShape),
  (visit, account, sent, refusal) => {
    const shown = { values: sentValues(sent), faults: faultsOf(refusal.errors, names) }
    return issuerPage(visit, issuerForm(visit, shown, refusal), accountForm(visit, account))
  }
)

const saveAccount = saving(
  (sent) => bodyOf(sent, accountShape),
  (visit, account, sent, refusal) =>
    issuerPage(visit, accountForm(visit, account, sent, refusal), issuerForm(visit, shownOf(account)))
)

/** The pages of the issuer and the settings of the account. */
export const layer = Layer.mergeAll(
  page(path, ofAccount(shownPage)),
  page(`${path}/account`, ofAccount(shownPage)),
  change(path, saveIssuer),
  change(`${path}/account`, saveAccount)
)
