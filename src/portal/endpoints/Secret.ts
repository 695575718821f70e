import { Effect } from "effect"
import type { WebhookEndpointWithSecret } from "../../../schemas/WebhookEndpoint.ts"
import { html } from "../../http/pages/Html.ts"
import type * as Form from "../forms/SentForm.ts"
import { type Page, titled } from "../frame/Layout.ts"
import { inCode, copied, linkButton, section } from "../frame/Parts.ts"
import type { Visit } from "../frame/Visit.ts"
import { askingPage, endpointOfPath } from "./EndpointForms.ts"

/** The page that shows a signing secret, once: as the answer to the form that made it, so that no address leads to it. */
export const secretPage = (
  { t, to }: Visit,
  { id, secret, url }: WebhookEndpointWithSecret,
  why: "made" | "rotated"
): Page => {
  const title =
    why === "made" ? t("The endpoint is ready", "El destino está listo") : t("The new secret", "El secreto nuevo")
  const rotated = html`<p>
    ${t(
      "The old secret has stopped. Attempts that failed the verification meanwhile are made again by the schedule.",
      "El secreto anterior dejó de servir. Los intentos que entretanto no pasaron la verificación se repiten según el calendario."
    )}
  </p>`
  return titled(
    "endpoints",
    { title, sub: inCode(url) },
    section(
      "secret",
      t("Signing secret", "Secreto de firma"),
      html`<p>
          ${t(
            "Copy it now: it is shown this once. Your server verifies with it that a webhook comes from Folio.",
            "Cópielo ahora: se muestra solo esta vez. Con él, su servidor verifica que un webhook viene de Folio."
          )}
        </p>
        <p id="secret-value" class="secret">${copied({ t }, secret)}</p>
        ${why === "made" ? null : rotated}
        <p>
          <a href="${to("/docs/guides/webhooks")}" hx-boost="false"
            >${t("How to verify a webhook", "Cómo verificar un webhook")}</a
          >
        </p>`
    ),
    html`<div class="do">
      ${linkButton(to(`/portal/endpoints/${id}`), t("I have copied it", "Ya lo copié"), "first")}
    </div>`
  )
}

/** Says what a rotation does before it is done. */
export const rotatePage = (visit: Visit) =>
  Effect.map(endpointOfPath(visit), (endpoint) => {
    const { t } = visit
    return askingPage(visit, endpoint, {
      title: t("Rotate the secret", "Rotar el secreto"),
      heading: t("The old secret stops at once", "El secreto anterior deja de servir de inmediato"),
      warning: t(
        "From the next delivery on, webhooks are signed with the new secret alone. Until your server knows it, verification fails there; a delivery that is refused is tried again after 30 seconds, 5 minutes and 30 minutes. So have the way to change it at hand.",
        "Desde la siguiente entrega, los webhooks se firman solo con el secreto nuevo. Mientras su servidor no lo conozca, la verificación falla allí; una entrega rechazada se repite a los 30 segundos, a los 5 minutos y a los 30 minutos. Tenga a mano cómo cambiarlo."
      ),
      command: "rotate",
      submit: t("Rotate now", "Rotar ahora")
    })
  })

/** Replaces the secret, and shows the new one. */
export const rotate = (visit: Visit, form: Form.Form) =>
  Effect.map(
    visit.send<WebhookEndpointWithSecret>("POST", `/v1/webhook-endpoints/${visit.id}/rotate-secret`, undefined, form),
    (rotated) => secretPage(visit, rotated, "rotated")
  )
