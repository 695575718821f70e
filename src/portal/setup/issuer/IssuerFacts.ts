import type { Account } from "../../../../schemas/Account.ts"
import { type Html, html } from "../../../http/pages/Html.ts"
import {
  chosen,
  identificationWords,
  organizationChoices,
  placeWords,
  responsibilityChoices,
  taxSchemeChoices
} from "../../customers/PartyWords.ts"
import { copied, facts, section } from "../../frame/Parts.ts"
import type { Visit } from "../../frame/Visit.ts"

const logWords = ({ t }: Visit, level: Account["request_log"]) =>
  ({
    masked: t("All but secrets and personal data", "Todo menos secretos y datos personales"),
    full: t("All but secrets", "Todo menos secretos"),
    off: t("Nothing", "Nada")
  })[level]

/** The issuer and the account, for a session that may not change them. */
export const issuerFacts = (visit: Visit, account: Account): Html => {
  const { t } = visit
  const { identification, organization_type, tax_responsibilities, tax_scheme, vat_responsible } = account
  const responsibilities = responsibilityChoices(visit)
  return html`${section(
    "issuer",
    t("Issuer", "Emisor"),
    identification === null
      ? html`<p>${t("Nobody has sent the issuer yet.", "Todavía no se ha definido el emisor.")}</p>`
      : html`<div class="left">
          ${facts([
            [t("Identification", "Identificación"), identificationWords(identification)],
            [t("Legal name", "Razón social o nombre"), account.legal_name],
            [t("Trade name", "Nombre comercial"), account.trade_name],
            [
              t("Kind of person", "Tipo de persona"),
              organization_type === null ? null : chosen(organizationChoices(t), organization_type)
            ],
            [t("E-mail", "Correo electrónico"), account.email],
            [t("Telephone", "Teléfono"), account.phone],
            [t("Address", "Dirección"), placeWords(visit, account)],
            [t("Postal code", "Código postal"), account.postal_code],
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
            [
              t("Registered for the tax", "Responsable del tributo"),
              tax_scheme && chosen(taxSchemeChoices(visit), tax_scheme)
            ],
            [t("Economic activities", "Actividades económicas"), account.economic_activities?.join(", ")],
            [t("Merchant registration", "Matrícula mercantil"), account.merchant_registration],
            [t("How to pay", "Cómo pagar"), account.payment_instructions],
            [t("Colour", "Color"), account.color]
          ])}
        </div>`
  )}
  ${section(
    "account",
    t("Account", "Cuenta"),
    html`<div class="left">
      ${facts([
        [t("Name", "Nombre"), account.name],
        [t("Id", "Id"), copied(visit, account.id)],
        [t("Default version", "Versión por defecto"), account.default_version],
        [t("The request log keeps", "El registro de solicitudes guarda"), logWords(visit, account.request_log)]
      ])}
    </div>`
  )}`
}
