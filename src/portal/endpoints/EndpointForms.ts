import { Effect } from "effect"
import type { Delivery } from "../../../schemas/Delivery.ts"
import type { WebhookEndpoint } from "../../../schemas/WebhookEndpoint.ts"
import { typesOf } from "../../domain/webhooks/Subscriptions.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { bodyOf } from "../forms/FormBody.ts"
import type * as Form from "../forms/SentForm.ts"
import { action, faultOf, field, form as formPart, refusedForm } from "../forms/Fields.ts"
import { type Page, titled } from "../frame/Layout.ts"
import { linkButton, section } from "../frame/Parts.ts"
import { orNull, type Refusal } from "../frame/Refusal.ts"

import type { Visit } from "../frame/Visit.ts"
import { eventWords } from "../events/EventWords.ts"
import { typedOf } from "../frame/Lists.ts"

const dayMs = 86_400_000

/** The button that pauses an endpoint or lets it go on. */
export const pauseButton = (visit: Visit, { id, is_active }: WebhookEndpoint): Html =>
  is_active
    ? action(visit, { action: `/portal/endpoints/${id}/pause`, submit: visit.t("Pause", "Pausar") })
    : action(visit, {
        action: `/portal/endpoints/${id}/resume`,
        submit: visit.t("Go on", "Reanudar"),
        kind: "first"
      })

/** The form that sends a sample event. */
export const testPart = (visit: Visit, { id, is_active, subscribed_events }: WebhookEndpoint): Html | null => {
  const { t } = visit
  if (!visit.may("deliver")) return null
  const content = is_active
    ? formPart(visit, {
        action: `/portal/endpoints/${id}/test`,
        content: field("type", t("About", "Sobre"), {
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
        ${field("since", t("Since (Colombian time)", "Desde (hora de Colombia)"), {
          type: "datetime-local",
          value: typed ?? typedOf(since),
          isRequired: true,
          error: faultOf(refusal, "since")
        })}`,
        submit: t("Recover", "Recuperar")
      })}`
  )
}

/** Asks before a change that cannot be undone. */
export const askingPage = (
  visit: Visit,
  { id, url }: WebhookEndpoint,
  ask: {
    readonly title: string
    /** How the endpoint is called before its address. */
    readonly name?: string
    readonly heading: string
    readonly warning: string
    readonly command: "delete" | "rotate"
    readonly submit: string
  }
): Page => {
  const { may, t, to } = visit
  const { command, heading, name = "", submit, title, warning } = ask
  const button = may("endpoints")
    ? action(visit, { action: `/portal/endpoints/${id}/${command}`, submit, kind: "danger" })
    : null
  return titled(
    "endpoints",
    { title, sub: html`${name} <code>${url}</code>` },
    section(
      "what",
      heading,
      html`<p>${warning}</p>
        <div class="do">${button} ${linkButton(to(`/portal/endpoints/${id}`), t("Keep it", "Conservarlo"))}</div>`
    )
  )
}

export const endpointOfPath = ({ get, id }: Visit) => get<WebhookEndpoint>(`/v1/webhook-endpoints/${id}`)

/** Asks before an endpoint is deleted. */
export const deletePage = (visit: Visit) =>
  Effect.map(endpointOfPath(visit), (endpoint) => {
    const { t } = visit
    return askingPage(visit, endpoint, {
      title: t("Delete the endpoint?", "¿Eliminar el destino?"),
      name: endpoint.description ?? "",
      heading: t("What happens", "Qué pasa"),
      warning: t(
        "Deliveries that wait for it are canceled, and its secret is gone. Events stay, but cannot be sent here again. To stop for a while, pause it instead.",
        "Las entregas que lo esperan se cancelan y su secreto se pierde. Los eventos quedan, pero no se pueden enviar aquí de nuevo. Para detenerlo un tiempo, páuselo."
      ),
      command: "delete",
      submit: t("Delete for good", "Eliminar definitivamente")
    })
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
  Effect.as(orNull(send("DELETE", `/v1/webhook-endpoints/${id}`, undefined, form), 404), {
    to: "/portal/endpoints",
    notice: "deleted"
  })

/** Sends a sample event, and leads to what comes of it. */
export const test = ({ id, send }: Visit, form: Form.Form) =>
  Effect.map(
    send<Delivery>("POST", `/v1/webhook-endpoints/${id}/test`, bodyOf(form, { type: { empty: "omit" } }), form),
    (delivery) => ({ to: `/portal/endpoints/${id}?tested=${delivery.id}` })
  )
