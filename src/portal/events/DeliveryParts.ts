import type { Attempt, Delivery } from "../../../schemas/Delivery.ts"
import { eventHeaders } from "../../domain/webhooks/WebhookSignature.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { clock, duration, shortTime, visible } from "../frame/Formats.ts"
import { form } from "../forms/Fields.ts"
import { inCode, facts, notice, state } from "../frame/Parts.ts"
import type { Translate, Visit } from "../frame/Visit.ts"

/** The state of a delivery in words, with its mark. */
export const deliveryMark = ({ t }: Pick<Visit, "t">, { attempts_count, next_attempt_at, status }: Delivery): Html => {
  if (status === "succeeded") return state("ok", t("Delivered", "Entregada"))
  if (status === "canceled") return state("still", t("Canceled", "Cancelada"))
  if (status === "failed")
    return state("bad", attempts_count === 0 ? t("Not attempted", "Sin intentar") : t("Failed", "Fallida"))
  return next_attempt_at === null
    ? state("wait", t("Waiting", "En espera"))
    : state("wait", attempts_count === 0 ? t("Waiting", "En espera") : t("Retry planned", "Se reintentará"))
}

/** Whether something may happen to a delivery within five seconds, so that its page is worth a second look. */
export const isMoving = (delivery: Delivery, now: number): boolean =>
  delivery.status === "pending" &&
  (delivery.next_attempt_at === null || new Date(delivery.next_attempt_at).getTime() < now + 5_000)

/** Why an attempt failed, by the code of its error. */
export const reasonWords = (t: Translate, code: string, status: number | null): string => {
  const words: Record<string, string> = {
    internal: t("Folio could not send it.", "Folio no pudo enviarlo."),
    blocked: t("The address may not receive webhooks.", "La dirección no puede recibir webhooks."),
    dns: t("The name of the host was not found.", "No se encontró el nombre del servidor."),
    connect: t("No connection could be made.", "No se pudo conectar."),
    tls: t("No secure connection could be made.", "No se pudo establecer una conexión segura."),
    timeout: t("No complete response arrived in time.", "No llegó una respuesta completa a tiempo."),
    too_large: t("The response had too many headers.", "La respuesta tenía demasiados encabezados."),
    protocol: t("The response was not HTTP, or broke off.", "La respuesta no era HTTP o se interrumpió."),
    redirect: t(
      "It redirects, and Folio follows no redirect: register the address that it leads to.",
      "Respondió con una redirección, que Folio no sigue: registre la dirección a la que lleva."
    )
  }
  if (code === "status" && status !== null) {
    return t(`Status ${status}; only 2xx counts.`, `Respondió ${status}; solo cuenta 2xx.`)
  }
  return words[code] ?? t("It failed.", "Falló.")
}

/** Whether `reasonWords` says all that the message of the error says. */
const isTold = (code: string): boolean => ["redirect", "status", "too_large"].includes(code)

const triggerWords = (t: Translate, trigger: Attempt["trigger"]): string =>
  ({
    auto: t("by schedule", "programado"),
    manual: t("by hand", "a mano"),
    recover: t("by a recovery", "por una recuperación"),
    test: t("a test", "una prueba")
  })[trigger]

/** "204 in 21 ms", or why no answer counts. */
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

/** The headers that an attempt sent. Signatures are not kept, because each is made with the secret of its moment. */
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

/** An attempt of a delivery: one line, which opens to what was sent and what came back. `isOpen`: opened from the start. */
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
        [t("Began", "Comenzó"), clock(started_at)],
        [t("Made", "Hecho"), triggerWords(t, trigger)],
        [t("Connected to", "Conectado a"), inCode(remote_ip && visible(remote_ip))]
      ])}
      ${quoted(t("Request headers", "Encabezados enviados"), sentHeaders(delivery, attempt), "")}
      <p class="soft">
        ${t(
          "The body is the one below, byte for byte. Signatures are made with the secret of that moment and are not kept.",
          "El cuerpo es el de abajo, byte por byte. Las firmas se hacen con el secreto de ese momento y no se guardan."
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

/** Attempts of a delivery, newest first. The newest is open when it failed. */
export const attemptList = (visit: Visit, delivery: Delivery, attempts: ReadonlyArray<Attempt>): Html =>
  html`<ol class="time">
    ${attempts.map((attempt, index) => attemptItem(visit, delivery, attempt, index === 0 && attempt.error !== null))}
  </ol>`

/** The button that sends a delivery once more, if the session may and the endpoint is still there. `back`: the id of the page to return to. */
export const redeliverButton = (visit: Visit, { id, status }: Delivery, back: string): Html | null =>
  visit.may("deliver") && status !== "canceled"
    ? form(visit, {
        action: `/portal/deliveries/${id}/redeliver`,
        content: html`<input type="hidden" name="back" value="${back}" />`,
        submit: visit.t("Send again", "Enviar de nuevo"),
        className: "inline"
      })
    : null

/** When the next attempt is planned, in words; nothing when none is. */
export const nextWords = (visit: Visit, { next_attempt_at, status }: Delivery): Html | null =>
  status === "pending" && next_attempt_at !== null
    ? html`${visit.t("Next attempt", "Próximo intento")}: ${shortTime(visit, next_attempt_at)}.`
    : null

/** What the page says after its button was pressed. */
export const redeliveredNotice = (visit: Pick<Visit, "query" | "t">): Html =>
  notice(visit, {
    redelivered: visit.t("The delivery is being sent once more.", "La entrega se está enviando de nuevo.")
  })
