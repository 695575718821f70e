import type { Account } from "../../../../schemas/Account.ts"
import { type Html, html } from "../../../http/pages/Html.ts"
import { chosen, partyRows, responsibilityChoices, taxSchemeChoices } from "../../customers/PartyWords.ts"
import { copied, section, wideFacts } from "../../frame/Parts.ts"
import type { Translate, Visit } from "../../frame/Visit.ts"

/** What the request log keeps, by its level. */
export const logWords = (t: Translate): Readonly<Record<Account["request_log"], string>> => ({
  masked: t("All but secrets and personal data", "Todo menos secretos y datos personales"),
  full: t("All but secrets", "Todo menos secretos"),
  off: t("Nothing", "Nada")
})

const issuer = (visit: Visit, account: Account): Html => {
  const { t } = visit
  const { economic_activities, identification, tax_responsibilities, tax_scheme, vat_responsible } = account
  if (identification === null)
    return html`<p>${t("Nobody has sent the issuer yet.", "Todavía no se ha definido el emisor.")}</p>`
  const responsibilities = responsibilityChoices(visit)
  return wideFacts([
    ...partyRows(visit, { ...account, identification }),
    [
      t("Charges IVA", "Responsable del IVA"),
      vat_responsible === undefined
        ? t("Not said yet", "Sin definir")
        : vat_responsible
          ? t("Yes", "Sí")
          : t("No", "No")
    ],
    [
      t("Tax responsibilities", "Responsabilidades fiscales"),
      (tax_responsibilities ?? []).map((code) => chosen(responsibilities, code)).join(", ")
    ],
    [t("Registered for the tax", "Responsable del tributo"), tax_scheme && chosen(taxSchemeChoices(visit), tax_scheme)],
    [t("Economic activities", "Actividades económicas"), economic_activities?.join(", ")],
    [t("Merchant registration", "Matrícula mercantil"), account.merchant_registration],
    [t("How to pay", "Cómo pagar"), account.payment_instructions],
    [t("Colour", "Color"), account.color]
  ])
}

/** The issuer and the account, for a session that may not change them. */
export const issuerFacts = (visit: Visit, account: Account): ReadonlyArray<Html> => {
  const { t } = visit
  return [
    section("issuer", t("Issuer", "Emisor"), issuer(visit, account)),
    section(
      "account",
      t("Account", "Cuenta"),
      wideFacts([
        [t("Name", "Nombre"), account.name],
        [t("Id", "Id"), copied(visit, account.id)],
        [t("Default version", "Versión por defecto"), account.default_version],
        [t("The request log keeps", "El registro de solicitudes guarda"), logWords(t)[account.request_log]]
      ])
    )
  ]
}
