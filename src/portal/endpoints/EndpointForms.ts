import { Effect } from "effect"
import type { Delivery } from "../../../schemas/Delivery.ts"
import type { WebhookEndpoint } from "../../../schemas/WebhookEndpoint.ts"
import { typesOf } from "../../webhooks/rules/Subscriptions.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { bodyOf } from "../forms/FormBody.ts"
import type * as Form from "../forms/SentForm.ts"
import { action, faultOf, field, form as formPart, refusedForm } from "../forms/FormFields.ts"
import { type Page, titled } from "../frame/PortalLayout.ts"
import { linkButton, section } from "../frame/Parts.ts"
import { orNull, type Refusal } from "../frame/Refusal.ts"

import type { Visit } from "../frame/Visit.ts"
import { eventWords } from "../events/EventWords.ts"
import { typedOf } from "../frame/Lists.ts"

const dayMs = 86_400_000

/** The button that pauses or resumes an endpoint. */
export const pauseButton = (visit: Visit, { id, is_active }: WebhookEndpoint): Html =>
  is_active
    ? action(visit, { action: `/portal/endpoints/${id}/pause`, submit: visit.t("Pause", "Pausar") })
    : action(visit, {
        action: `/portal/endpoints/${id}/resume`,
        submit: visit.t("Resume", "Reanudar"),
        kind: "first"
      })

/** The form that sends a test event. */
export const testPart = (visit: Visit, { id, is_active, subscribed_events }: WebhookEndpoint): Html | null => {
  const { t } = visit
  if (!visit.may("deliver")) return null
  const content = is_active
    ? formPart(visit, {
        action: `/portal/endpoints/${id}/test`,
        content: field("type", t("Event type", "Tipo de evento"), {
          choices: typesOf(subscribed_events).map((type) => [type, eventWords(t, type)])
        }),
        submit: t("Send test event", "Enviar prueba")
      })
    : html`<p>
        ${t("To send a test event, resume the endpoint.", "Para enviar un evento de prueba, reanude el destino.")}
      </p>`
  return section("test", t("Test event", "Evento de prueba"), content)
}

/** The form that recovers the events that an endpoint missed. */
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
          "Folio sends failed and missed events again, from a start time on.",
          "Folio envía de nuevo los eventos fallidos y perdidos, desde una hora de inicio."
        )}
      </p>
      ${formPart(visit, {
        action: `/portal/endpoints/${id}/recover`,
        content: html`${refusedForm(visit, refusal, (param) => param === "since")}
        ${field("since", t("Since", "Desde"), {
          hint: t("Colombian time", "Hora de Colombia"),
          type: "datetime-local",
          value: typed ?? typedOf(since),
          isRequired: true,
          error: faultOf(refusal, "since")
        })}`,
        submit: t("Recover", "Recuperar")
      })}`
  )
}

/** Asks before an irreversible change. */
export const askingPage = (
  visit: Visit,
  { id, url }: WebhookEndpoint,
  ask: {
    readonly title: string
    /** The text before the endpoint's address. */
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
        <div class="do">${button} ${linkButton(to(`/portal/endpoints/${id}`), t("Back", "Volver"))}</div>`
    )
  )
}

export const endpointOfPath = ({ get, id }: Visit) => get<WebhookEndpoint>(`/v1/webhook-endpoints/${id}`)

/** Asks before deleting an endpoint. */
export const deletePage = (visit: Visit) =>
  Effect.map(endpointOfPath(visit), (endpoint) => {
    const { t } = visit
    return askingPage(visit, endpoint, {
      title: t("Delete endpoint?", "¿Eliminar destino?"),
      name: endpoint.description ?? "",
      heading: t("Effect", "Efecto"),
      warning: t(
        "Folio cancels waiting deliveries and deletes the secret. Folio keeps the events, but can’t send them to this endpoint again. To stop deliveries for a while, pause the endpoint.",
        "Folio cancela las entregas en espera y elimina el secreto. Folio conserva los eventos, pero no puede enviarlos de nuevo a este destino. Para detener las entregas un tiempo, pause el destino."
      ),
      command: "delete",
      submit: t("Delete permanently", "Eliminar definitivamente")
    })
  })

/** Pauses or resumes an endpoint. */
export const setActive =
  (is_active: boolean) =>
  ({ id, send }: Visit, form: Form.Form) =>
    Effect.as(send("PATCH", `/v1/webhook-endpoints/${id}`, { is_active }, form), {
      to: `/portal/endpoints/${id}`,
      notice: is_active ? "resumed" : "paused"
    })

/** Deletes an endpoint. A missing endpoint counts as deleted, so that sending the form twice does not fail. */
export const remove = ({ id, send }: Visit, form: Form.Form) =>
  Effect.as(orNull(send("DELETE", `/v1/webhook-endpoints/${id}`, undefined, form), 404), {
    to: "/portal/endpoints",
    notice: "deleted"
  })

/** Sends a test event, and redirects to its delivery. */
export const test = ({ id, send }: Visit, form: Form.Form) =>
  Effect.map(
    send<Delivery>("POST", `/v1/webhook-endpoints/${id}/test`, bodyOf(form, { type: { empty: "omit" } }), form),
    (delivery) => ({ to: `/portal/endpoints/${id}?tested=${delivery.id}` })
  )
