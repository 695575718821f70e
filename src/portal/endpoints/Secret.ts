import { Effect } from "effect"
import type { WebhookEndpointWithSecret } from "../../../schemas/WebhookEndpoint.ts"
import { html } from "../../http/pages/Html.ts"
import type * as Form from "../forms/SentForm.ts"
import { type Page, titled } from "../frame/PortalLayout.ts"
import { inCode, copied, linkButton, section } from "../frame/Parts.ts"
import type { Visit } from "../frame/Visit.ts"
import { askingPage, endpointOfPath } from "./EndpointForms.ts"

/**
 * The page that shows a signing secret, once. It responds to the form that created the secret, so it has no address of
 * its own.
 */
export const secretPage = (
  { t, to }: Visit,
  { id, secret, url }: WebhookEndpointWithSecret,
  why: "made" | "rotated"
): Page => {
  const title = why === "made" ? t("Endpoint added", "Destino agregado") : t("New secret", "Secreto nuevo")
  const rotated = html`<p>
    ${t(
      "The old secret no longer works. Folio retries deliveries that fail verification, on the usual schedule.",
      "El secreto anterior ya no funciona. Folio reintenta las entregas que no pasan la verificación, con los intervalos usuales."
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
            "Copy the secret now. Folio shows it only once. Your server uses it to verify that a webhook comes from Folio.",
            "Copie el secreto ahora. Folio lo muestra solo esta vez. Con él, su servidor verifica que un webhook viene de Folio."
          )}
        </p>
        <p id="secret-value" class="secret">${copied({ t }, secret)}</p>
        ${why === "made" ? null : rotated}
        <p>
          <a href="${to("/docs/guides/webhooks")}" hx-boost="false">${t("Verify webhooks", "Verificar webhooks")}</a>
        </p>`
    ),
    html`<div class="do">${linkButton(to(`/portal/endpoints/${id}`), t("Done", "Listo"), "first")}</div>`
  )
}

/** Explains a rotation before it happens. */
export const rotatePage = (visit: Visit) =>
  Effect.map(endpointOfPath(visit), (endpoint) => {
    const { t } = visit
    return askingPage(visit, endpoint, {
      title: t("Rotate secret", "Rotar secreto"),
      heading: t("Effect", "Efecto"),
      warning: t(
        "The old secret stops working immediately: Folio signs webhooks only with the new secret. Until your server uses the new secret, its verification fails. Folio retries a failed delivery after 30 seconds, 5 minutes and 30 minutes. Prepare your server before you rotate the secret.",
        "El secreto anterior deja de funcionar de inmediato: Folio firma los webhooks solo con el secreto nuevo. Mientras su servidor no use el secreto nuevo, la verificación falla. Folio reintenta una entrega fallida a los 30 segundos, a los 5 minutos y a los 30 minutos. Prepare su servidor antes de rotar el secreto."
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
