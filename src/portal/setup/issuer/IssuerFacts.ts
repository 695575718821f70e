import type { Account } from "../../../../schemas/Account.ts"
import { type Html, html } from "../../../http/pages/Html.ts"
import { chosen, partyRows, responsibilityChoices, taxSchemeChoices } from "../../customers/PartyWords.ts"
import { copied, section, wideFacts } from "../../frame/Parts.ts"
import type { Translate, Visit } from "../../frame/Visit.ts"

/** The names of the levels of the request log. */
export const logWords = (t: Translate): Readonly<Record<Account["request_log"], string>> => ({
  masked: t("Without personal data", "Sin datos personales"),
  full: t("With personal data", "Con datos personales"),
  off: t("Off", "Apagado")
})

const issuer = (visit: Visit, account: Account): Html => {
  const { t } = visit
  const { economic_activities, identification, tax_responsibilities, tax_scheme, vat_responsible } = account
  if (identification === null) return html`<p>${t("No issuer is set.", "El emisor todavía no está definido.")}</p>`
  const responsibilities = responsibilityChoices(visit)
  return wideFacts([
    ...partyRows(visit, { ...account, identification }),
    [
      t("Charges IVA", "Responsable de IVA"),
      vat_responsible === undefined ? t("Not set", "Sin definir") : vat_responsible ? t("Yes", "Sí") : t("No", "No")
    ],
    [
      t("Tax responsibilities", "Responsabilidades fiscales"),
      (tax_responsibilities ?? []).map((code) => chosen(responsibilities, code)).join(", ")
    ],
    [t("Tax registration", "Responsable del tributo"), tax_scheme && chosen(taxSchemeChoices(visit), tax_scheme)],
    [t("Economic activities", "Actividades económicas"), economic_activities?.join(", ")],
    [t("Merchant registration", "Matrícula mercantil"), account.merchant_registration],
    [t("Payment instructions", "Instrucciones de pago"), account.payment_instructions],
    [t("Document color", "Color de los documentos"), account.color]
  ])
}

/** The issuer and the account, for a session without the capability to change them. */
export const issuerFacts = (visit: Visit, account: Account): ReadonlyArray<Html> => {
  const { t } = visit
  return [
    section("issuer", t("Issuer", "Emisor"), issuer(visit, account)),
    section(
      "account",
      t("Account", "Cuenta"),
      wideFacts([
        [t("Account name", "Nombre de la cuenta"), account.name],
        [t("Id", "Id"), copied(visit, account.id)],
        [t("Default API version", "Versión predeterminada"), account.default_version],
        [t("Request log", "Registro de solicitudes"), logWords(t)[account.request_log]]
      ])
    )
  ]
}
