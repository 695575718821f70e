import type { Attempt, Delivery } from "../../../schemas/Delivery.ts"
import { eventHeaders } from "../../webhooks/rules/WebhookSignature.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { clock, duration, shortTime, visible } from "../frame/Formats.ts"
import { form } from "../forms/FormFields.ts"
import { inCode, facts, notice, state } from "../frame/Parts.ts"
import type { Translate, Visit } from "../frame/Visit.ts"

/** The state of a delivery: its mark and its name. */
export const deliveryMark = ({ t }: Pick<Visit, "t">, { attempts_count, next_attempt_at, status }: Delivery): Html => {
  if (status === "succeeded") return state("ok", t("Delivered", "Entregada"))
  if (status === "canceled") return state("still", t("Canceled", "Cancelada"))
  if (status === "failed")
    return state("bad", attempts_count === 0 ? t("Not attempted", "Sin intentar") : t("Failed", "Fallida"))
  return next_attempt_at === null
    ? state("wait", t("Waiting", "En espera"))
    : state("wait", attempts_count === 0 ? t("Waiting", "En espera") : t("Retry scheduled", "Reintento programado"))
}

/** Whether a delivery may change within five seconds. Its page then reloads itself. */
export const isMoving = (delivery: Delivery, now: number): boolean =>
  delivery.status === "pending" &&
  (delivery.next_attempt_at === null || new Date(delivery.next_attempt_at).getTime() < now + 5_000)

/** The reason of a failed attempt, by its error code. */
export const reasonWords = (t: Translate, code: string, status: number | null): string => {
  const words: Record<string, string> = {
    internal: t("Folio failed to send the request.", "Folio no pudo enviar la solicitud."),
    blocked: t("Folio sends no webhooks to this address.", "Folio no envía webhooks a esta dirección."),
    dns: t("DNS did not find the host name.", "El DNS no encontró el nombre del servidor."),
    connect: t("The connection failed.", "La conexión falló."),
    tls: t("The TLS connection failed.", "La conexión TLS falló."),
    timeout: t("No complete response arrived in time.", "No llegó una respuesta completa a tiempo."),
    too_large: t("The response had too many headers.", "La respuesta tenía demasiados encabezados."),
    protocol: t("The response was not HTTP, or was incomplete.", "La respuesta no era HTTP o quedó incompleta."),
    redirect: t(
      "The endpoint redirects. Folio follows no redirects. Register the address that the redirect names.",
      "El destino redirige. Folio no sigue redirecciones. Registre la dirección a la que redirige."
    )
  }
  if (code === "status" && status !== null) {
    return t(`Status code ${status}. Only 2xx is a success.`, `Código de estado ${status}. Solo 2xx es un éxito.`)
  }
  return words[code] ?? t("The attempt failed.", "El intento falló.")
}

/** Whether `reasonWords` holds all facts of the error message. */
const isTold = (code: string): boolean => ["redirect", "status", "too_large"].includes(code)

const triggerWords = (t: Translate, trigger: Attempt["trigger"]): string =>
  ({
    auto: t("scheduled", "programado"),
    manual: t("manual", "manual"),
    recover: t("recovery", "recuperación"),
    test: t("test", "prueba")
  })[trigger]

/** The status code of the response and the duration: "204 in 21 ms". */
export const outcomeOf = (t: Translate, { duration_ms, error, response_status }: Attempt): Html => {
  const time = duration(t, duration_ms)
  if (error === null) return html`${state("ok", String(response_status ?? ""))} ${t("in", "en")} ${time}`
  return html`${state("bad", response_status === null ? t("No response", "Sin respuesta") : String(response_status))}
  ${response_status === null ? t("after", "tras") : t("in", "en")} ${time}`
}

const lines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${visible(name)}: ${visible(value)}`)
    .join("\n")

/** The headers that an attempt sent. Folio does not store signatures, so the page shows them as "…". */
const sentHeaders = ({ event_id, event_type, webhook_endpoint_id }: Delivery, { started_at }: Attempt): string => {
  const timestamp = String(Math.floor(new Date(started_at).getTime() / 1000))
  return lines({
    ...eventHeaders({ event_id, event_type, endpoint_id: webhook_endpoint_id }),
    "Svc-Signature": `t=${timestamp},v1=…`,
    "webhook-id": event_id,
    "webhook-timestamp": timestamp,
    "webhook-signature": "v1,…"
  })
}

const quoted = (title: string, text: string, none: string): Html =>
  html`<h3>${title}</h3>
    ${text === "" ? html`<p class="soft">${none}</p>` : html`<pre tabindex="0"><code>${text}</code></pre>`}`

/** An attempt of a delivery: one line that expands to the request and the response. `isOpen`: expanded at first. */
const attemptItem = (visit: Visit, delivery: Delivery, attempt: Attempt, isOpen: boolean): Html => {
  const { t } = visit
  const { error, number, remote_ip, response_body, response_headers, response_status, started_at, trigger } = attempt
  const reason =
    error === null
      ? null
      : html`<div class="rule">
          <b>${reasonWords(t, error.code, response_status)}</b
          >${isTold(error.code) ? null : html`<span lang="en">${visible(error.message)}</span>`}
        </div>`
  return html`<li class="${error === null ? "good" : "no"}">
    ${shortTime(visit, started_at)}
    <details ${isOpen ? html`open` : null}>
      <summary>${t("Attempt", "Intento")} ${number}: ${outcomeOf(t, attempt)}</summary>
      ${reason}${facts([
        [t("Started", "Inicio"), clock(started_at)],
        [t("Trigger", "Origen"), triggerWords(t, trigger)],
        [t("Connected to", "Conectado a"), inCode(remote_ip && visible(remote_ip))]
      ])}
      ${quoted(t("Request headers", "Encabezados de la solicitud"), sentHeaders(delivery, attempt), "")}
      <p class="soft">
        ${t(
          "The request body is the body of the event, byte for byte. Folio signs each attempt with the current secret and does not store signatures.",
          "El cuerpo de la solicitud es el cuerpo del evento, byte por byte. Folio firma cada intento con el secreto actual y no guarda las firmas."
        )}
      </p>
      ${
        response_status === null
          ? null
          : html`${quoted(t("Response headers", "Encabezados de la respuesta"), lines(response_headers), t("None.", "Ninguno."))}
            ${quoted(t("Response body", "Cuerpo de la respuesta"), visible(response_body), t("Empty.", "Vacío."))}`
      }
    </details>
  </li>`
}

/** Attempts of a delivery, newest first. A failed newest attempt is expanded. */
export const attemptList = (visit: Visit, delivery: Delivery, attempts: ReadonlyArray<Attempt>): Html =>
  html`<ol class="time">
    ${attempts.map((attempt, index) => attemptItem(visit, delivery, attempt, index === 0 && attempt.error !== null))}
  </ol>`

/**
 * The button that redelivers an event. Omitted without the capability, or if the endpoint was deleted. `back`: the id
 * of the page to return to.
 */
export const redeliverButton = (visit: Visit, { id, status }: Delivery, back: string): Html | null =>
  visit.may("deliver") && status !== "canceled"
    ? form(visit, {
        action: `/portal/deliveries/${id}/redeliver`,
        content: html`<input type="hidden" name="back" value="${back}" />`,
        submit: visit.t("Redeliver", "Reenviar"),
        className: "inline"
      })
    : null

/** The time of the next attempt. Null if none is scheduled. */
export const nextWords = (visit: Visit, { next_attempt_at, status }: Delivery): Html | null =>
  status === "pending" && next_attempt_at !== null
    ? html`${visit.t("Next attempt", "Próximo intento")}: ${shortTime(visit, next_attempt_at)}.`
    : null

/** The notice after a redelivery. */
export const redeliveredNotice = (visit: Pick<Visit, "query" | "t">): Html =>
  notice(visit, {
    redelivered: visit.t("Redelivery started.", "Reenvío iniciado.")
  })
