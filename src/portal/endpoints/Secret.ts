import { Effect } from "effect"
import type { WebhookEndpoint, WebhookEndpointWithSecret } from "../../../schemas/WebhookEndpoint.ts"
import { html } from "../../http/pages/Html.ts"
import type * as Form from "../forms/SentForm.ts"
import { form as formPart } from "../forms/Fields.ts"
import type { Page } from "../frame/Layout.ts"
import { copied, linkButton, section } from "../frame/Parts.ts"
import { type Outcome } from "../frame/Routes.ts"
import type { Visit } from "../frame/Visit.ts"

/** The page that shows a signing secret, once: as the answer to the form that made it, so that no address leads to it. */
export const secretPage = (
  { t, to }: Visit,
  { id, secret, url }: WebhookEndpointWithSecret,
  why: "made" | "rotated"
): Page => {
  const title =
    why === "made" ? t("The endpoint is ready", "El destino está listo") : t("The new secret", "El secreto nuevo")
  return {
    title,
    current: "endpoints",
    content: html`<h1>${title}</h1>
      <p class="sub"><code>${url}</code></p>
      ${section(
        "secret",
        t("Signing secret", "Secreto de firma"),
        html`<p>
            ${t(
              "Copy it now: it is shown this once. Your server verifies with it that a webhook comes from Folio.",
              "Cópielo ahora: se muestra solo esta vez. Con él, su servidor verifica que un webhook viene de Folio."
            )}
          </p>
          <p id="secret-value" class="secret">${copied({ t }, secret)}</p>
          ${
            why === "made"
              ? null
              : html`<p>
                  ${t(
                    "The old secret has stopped. Attempts that failed the verification meanwhile are made again by the schedule.",
                    "El secreto anterior dejó de servir. Los intentos que entretanto no pasaron la verificación se repiten según el calendario."
                  )}
                </p>`
          }
          <p>
            <a href="${to("/docs/guides/webhooks")}" hx-boost="false"
              >${t("How to verify a webhook", "Cómo verificar un webhook")}</a
            >
          </p>`
      )}
      <div class="do">${linkButton(to(`/portal/endpoints/${id}`), t("I have copied it", "Ya lo copié"), "first")}</div>`
  }
}

/** Says what a rotation does before it is done. */
export const rotatePage = Effect.fnUntraced(function* (visit: Visit) {
  const { get, t, to } = visit
  const id = visit.id
  const { url } = yield* get<WebhookEndpoint>(`/v1/webhook-endpoints/${id}`)
  const title = t("Rotate the secret", "Rotar el secreto")
  return {
    title,
    current: "endpoints",
    content: html`<h1>${title}</h1>
      <p class="sub"><code>${url}</code></p>
      ${section(
        "what",
        t("The old secret stops at once", "El secreto anterior deja de servir de inmediato"),
        html`<p>
            ${t(
              "From the next delivery on, webhooks are signed with the new secret alone. Until your server knows it, verification fails there; a delivery that is refused is tried again after 30 seconds, 5 minutes and 30 minutes. So have the way to change it at hand.",
              "Desde la siguiente entrega, los webhooks se firman solo con el secreto nuevo. Mientras su servidor no lo conozca, la verificación falla allí; una entrega rechazada se repite a los 30 segundos, a los 5 minutos y a los 30 minutos. Tenga a mano cómo cambiarlo."
            )}
          </p>
          <div class="do">
            ${
              visit.may("endpoints")
                ? formPart(visit, {
                    action: `/portal/endpoints/${id}/rotate`,
                    content: html``,
                    submit: t("Rotate now", "Rotar ahora"),
                    kind: "danger",
                    className: "inline"
                  })
                : null
            }
            ${linkButton(to(`/portal/endpoints/${id}`), t("Keep it", "Conservarlo"))}
          </div>`
      )}`
  } satisfies Page as Page
})

/** Replaces the secret, and shows the new one. */
export const rotate = Effect.fnUntraced(function* (visit: Visit, form: Form.Form) {
  const id = visit.id
  const rotated = yield* visit.send<WebhookEndpointWithSecret>(
    "POST",
    `/v1/webhook-endpoints/${id}/rotate-secret`,
    undefined,
    form
  )
  return secretPage(visit, rotated, "rotated") satisfies Outcome as Outcome
})
