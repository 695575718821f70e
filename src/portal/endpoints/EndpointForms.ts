import { Effect } from "effect"
import type { Delivery } from "../../../schemas/Delivery.ts"
import type { WebhookEndpoint } from "../../../schemas/WebhookEndpoint.ts"
import { typesOf } from "../../domain/webhooks/Subscriptions.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { bodyOf } from "../forms/FormBody.ts"
import type * as Form from "../forms/SentForm.ts"
import { faultOf, field, form as formPart, refusedForm } from "../forms/Fields.ts"
import type { Page } from "../frame/Layout.ts"
import { linkButton, section } from "../frame/Parts.ts"
import type { Refusal } from "../frame/Refusal.ts"

import type { Visit } from "../frame/Visit.ts"
import { eventWords } from "../events/EventWords.ts"
import { typedOf } from "../frame/Filters.ts"

const dayMs = 86_400_000

/** The button that pauses an endpoint or lets it go on. */
export const pauseButton = (visit: Visit, { id, is_active }: WebhookEndpoint): Html | null =>
  visit.may("endpoints")
    ? formPart(visit, {
        action: `/portal/endpoints/${id}/${is_active ? "pause" : "resume"}`,
        content: html``,
        submit: is_active ? visit.t("Pause", "Pausar") : visit.t("Go on", "Reanudar"),
        ...(is_active ? {} : { kind: "first" as const }),
        className: "inline"
      })
    : null

/** The form that sends a sample event. */
export const testPart = (visit: Visit, { id, is_active, subscribed_events }: WebhookEndpoint): Html | null => {
  const { t } = visit
  if (!visit.may("deliver")) return null
  const content = is_active
    ? formPart(visit, {
        action: `/portal/endpoints/${id}/test`,
        content: field({
          name: "type",
          label: t("About", "Sobre"),
          choices: typesOf(subscribed_events).map((type) => [type, eventWords(t, type)])
        }),
        submit: t("Send a sample", "Enviar una muestra")
      })
    : html`<p>${t("A paused endpoint gets no sample.", "Un destino en pausa no recibe muestras.")}</p>`
  return section("test", t("Try it", "Probarlo"), content)
}

/** The form that sends again what an endpoint missed. */
export const recoverPart = (
  visit: Visit,
  { health, id }: WebhookEndpoint,
  now: number,
  refusal: Refusal | undefined,
  typed: string | undefined
): Html | null => {
  const { t } = visit
  if (!visit.may("deliver")) return null
  const since = health.failing_since === null ? new Date(now - dayMs) : new Date(health.failing_since)
  return section(
    "recover",
    t("Recover", "Recuperar"),
    html`<p>
        ${t(
          "Sends again each event whose delivery failed since a time, and each that was never sent here.",
          "Envía de nuevo cada evento cuya entrega falló desde una hora, y cada uno que nunca se envió aquí."
        )}
      </p>
      ${formPart(visit, {
        action: `/portal/endpoints/${id}/recover`,
        content: html`${refusedForm(visit, refusal, (param) => param === "since")}
        ${field({
          name: "since",
          label: t("Since (Colombian time)", "Desde (hora de Colombia)"),
          type: "datetime-local",
          value: typed ?? typedOf(since),
          isRequired: true,
          error: faultOf(refusal, "since")
        })}`,
        submit: t("Recover", "Recuperar")
      })}`
  )
}

/** Asks before an endpoint is deleted. */
export const deletePage = Effect.fnUntraced(function* (visit: Visit) {
  const { get, t, to } = visit
  const id = visit.id
  const { description, url } = yield* get<WebhookEndpoint>(`/v1/webhook-endpoints/${id}`)
  const title = t("Delete the endpoint?", "¿Eliminar el destino?")
  const button = visit.may("endpoints")
    ? formPart(visit, {
        action: `/portal/endpoints/${id}/delete`,
        content: html``,
        submit: t("Delete for good", "Eliminar definitivamente"),
        kind: "danger",
        className: "inline"
      })
    : null
  return {
    title,
    current: "endpoints",
    content: html`<h1>${title}</h1>
      <p class="sub">${description ?? ""} <code>${url}</code></p>
      ${section(
        "what",
        t("What happens", "Qué pasa"),
        html`<p>
            ${t(
              "Deliveries that wait for it are canceled, and its secret is gone. Events stay, but cannot be sent here again. To stop for a while, pause it instead.",
              "Las entregas que lo esperan se cancelan y su secreto se pierde. Los eventos quedan, pero no se pueden enviar aquí de nuevo. Para detenerlo un tiempo, páuselo."
            )}
          </p>
          <div class="do">${button} ${linkButton(to(`/portal/endpoints/${id}`), t("Keep it", "Conservarlo"))}</div>`
      )}`
  } satisfies Page as Page
})

/** Makes the change that pauses an endpoint or lets it go on. */
export const setActive =
  (is_active: boolean) =>
  ({ id, send }: Visit, form: Form.Form) =>
    Effect.as(send("PATCH", `/v1/webhook-endpoints/${id}`, { is_active }, form), {
      to: `/portal/endpoints/${id}`,
      notice: is_active ? "resumed" : "paused"
    })

/** Deletes an endpoint. One that is gone already counts as deleted, so that a form that is sent twice fails nobody. */
export const remove = ({ id, send }: Visit, form: Form.Form) =>
  send("DELETE", `/v1/webhook-endpoints/${id}`, undefined, form).pipe(
    Effect.catchIf(
      ({ status }) => status === 404,
      () => Effect.void
    ),
    Effect.as({ to: "/portal/endpoints", notice: "deleted" })
  )

/** Sends a sample event, and leads to what comes of it. */
export const test = ({ id, send }: Visit, form: Form.Form) =>
  Effect.map(
    send<Delivery>("POST", `/v1/webhook-endpoints/${id}/test`, bodyOf(form, { type: { empty: "omit" } }), form),
    (delivery) => ({ to: `/portal/endpoints/${id}?tested=${delivery.id}` })
  )
