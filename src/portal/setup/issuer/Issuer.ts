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
import type { Shown } from "../../customers/PartyForm.ts"
import type { Form } from "../../forms/SentForm.ts"
import { bodyOf, faultsOf, firstOf, type FormShape, noFaults, sentValues, valuesOf } from "../../forms/FormBody.ts"
import { field, form, refusedForm } from "../../forms/Fields.ts"
import type { Page } from "../../frame/Layout.ts"
import { notice, section } from "../../frame/Parts.ts"
import { orShown, type Refusal } from "../../frame/Refusal.ts"
import { change, page } from "../../frame/Routes.ts"
import type { Visit } from "../../frame/Visit.ts"
import { issuerFacts } from "./IssuerFacts.ts"
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

/** The values of the form of an account's issuer. A live mode without an issuer begins with a company in Colombia. */
const shownOf = (account: Account): Shown => {
  const begun = { identification: { type: "31" }, organization_type: "1", country_code: "CO" }
  const values = valuesOf(account.identification === null ? begun : account)
  const activities = (account.economic_activities ?? []).join(", ")
  return { values: partyValues(new Map([...values, ["economic_activities", [activities]]])), faults: noFaults }
}

/** An issuer that has said it cannot take it back. */
const vatChoices = ({ t }: Visit, said: string) =>
  [
    ...(said === "" ? [["", t("Not said yet", "Sin definir")] as const] : []),
    ["true", t("Yes: regime 48, charges IVA", "Sí: régimen 48, responsable de IVA")],
    ["false", t("No: regime 49, does not charge IVA", "No: régimen 49, no responsable de IVA")]
  ] as const

const otherFields = (visit: Visit, { faults, values }: Shown): Html => {
  const { t } = visit
  const text = (name: string) => ({ name, value: firstOf(values, name), error: faults.of(name) })
  return html`<div class="fields">
      ${field({
        ...text("economic_activities"),
        label: t("Economic activities (CIIU)", "Actividades económicas (CIIU)"),
        hint: t("Four digits each, the principal one first", "Cuatro dígitos cada una, la principal primero")
      })}
      ${field({ ...text("merchant_registration"), label: t("Merchant registration", "Matrícula mercantil") })}
      ${field({
        ...text("color"),
        label: t("Colour of the documents", "Color de los documentos"),
        hint: t("Such as #1f4e79", "Por ejemplo #1f4e79")
      })}
    </div>
    ${field({
      ...text("payment_instructions"),
      label: t("How to pay, printed on the documents", "Cómo pagar, impreso en los documentos"),
      rows: 3
    })}`
}

const issuerForm = (visit: Visit, shown: Shown, refusal: Refusal | undefined): Html => {
  const { t } = visit
  return html`${refusedForm(visit, refusal, shown.faults.isNamed)}
  ${form(visit, {
    action: path,
    submit: t("Save the issuer", "Guardar el emisor"),
    kind: "first",
    content: html`${section("who", t("Who it is", "Quién es"), identityFields(visit, shown))}
    ${section("where", t("E-mail and address", "Correo y dirección"), addressFields(visit, shown))}
    ${section(
      "taxes",
      t("Taxes", "Impuestos"),
      html`${field({
        name: "vat_responsible",
        label: t("Charges the value added tax (IVA)", "Responsable del IVA"),
        value: firstOf(shown.values, "vat_responsible"),
        error: shown.faults.of("vat_responsible"),
        choices: vatChoices(visit, firstOf(shown.values, "vat_responsible"))
      })}
      ${taxFields(visit, shown)}`
    )}
    ${section("print", t("Also printed", "También se imprime"), otherFields(visit, shown))}`
  })}`
}

const accountForm = (visit: Visit, account: Account, sent?: Form, refusal?: Refusal): Html => {
  const { t } = visit
  const faults = faultsOf(refusal?.errors, Object.keys(accountShape))
  const text = (name: "name" | "default_version" | "request_log") => ({
    name,
    value: sent?.text(name) ?? account[name],
    error: faults.of(name)
  })
  return html`${refusedForm(visit, refusal, faults.isNamed)}
  ${form(visit, {
    action: `${path}/account`,
    submit: t("Save the account", "Guardar la cuenta"),
    content: section(
      "account",
      t("Account", "Cuenta"),
      html`<div class="fields">
          ${field({ ...text("name"), label: t("Name of the account", "Nombre de la cuenta"), isRequired: true })}
          ${field({
            ...text("default_version"),
            label: t("Default version of the API", "Versión de la API por defecto"),
            hint: t("Of requests without Svc-Version", "De las solicitudes sin Svc-Version"),
            choices: versions.map((version) => [version, version])
          })}
        </div>
        ${field({
          ...text("request_log"),
          label: t("What the request log keeps", "Qué guarda el registro de solicitudes"),
          choices: [
            ["masked", t("All but secrets and personal data", "Todo menos secretos y datos personales")],
            ["full", t("All but secrets", "Todo menos secretos")],
            ["off", t("Nothing", "Nada")]
          ]
        })}`
    )
  })}`
}

const about = ({ t }: Visit) =>
  t(
    "What documents say of you. It counts for those that are numbered from now on.",
    "Lo que los documentos dicen de usted. Vale para los que se numeren desde ahora."
  )

const issuerPage = (visit: Visit, account: Account): Page => {
  const { may, t } = visit
  const title = t("Issuer and account", "Emisor y cuenta")
  const said = notice(visit, { saved: t("Saved.", "Guardado.") })
  return setupPage(
    visit,
    title,
    about(visit),
    may("setup")
      ? html`${said} ${issuerForm(visit, shownOf(account), undefined)} ${accountForm(visit, account)}`
      : issuerFacts(visit, account)
  )
}

const refusedIssuer = (visit: Visit, account: Account, sent: Form, refusal: Refusal): Page => {
  const shown = { values: sentValues(sent), faults: faultsOf(refusal.errors, names) }
  return setupPage(
    visit,
    visit.t("Issuer and account", "Emisor y cuenta"),
    about(visit),
    html`${issuerForm(visit, shown, refusal)} ${accountForm(visit, account)}`
  )
}

const refusedAccount = (visit: Visit, account: Account, sent: Form, refusal: Refusal): Page =>
  setupPage(
    visit,
    visit.t("Issuer and account", "Emisor y cuenta"),
    about(visit),
    html`${accountForm(visit, account, sent, refusal)} ${issuerForm(visit, shownOf(account), undefined)}`
  )

const saved = { to: path, notice: "saved" }

/** The pages of the issuer and the settings of the account. */
export const layer = Layer.mergeAll(
  page(path, ofAccount(issuerPage)),
  page(`${path}/account`, ofAccount(issuerPage)),
  change(path, (visit, sent) =>
    Effect.gen(function* () {
      const account = yield* readAccount(visit)
      const body = partyBody(sent, issuerShape)
      return yield* visit.send("PATCH", "/v1/account", body, sent).pipe(
        Effect.as(saved),
        orShown((refusal) => refusedIssuer(visit, account, sent, refusal))
      )
    })
  ),
  change(`${path}/account`, (visit, sent) =>
    Effect.gen(function* () {
      const account = yield* readAccount(visit)
      const body = bodyOf(sent, accountShape)
      return yield* visit.send("PATCH", "/v1/account", body, sent).pipe(
        Effect.as(saved),
        orShown((refusal) => refusedAccount(visit, account, sent, refusal))
      )
    })
  )
)
