import { Clock, Effect } from "effect"
import type { Delivery } from "../../../schemas/Delivery.ts"
import type { WebhookEndpoint } from "../../../schemas/WebhookEndpoint.ts"
import { isToAll, typesOf } from "../../webhooks/rules/Subscriptions.ts"
import type { HealthHour } from "../../webhooks/store/DeliveryHealth.ts"
import { DeliveryLog } from "../../webhooks/store/DeliveryLog.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { figure, shortTime, time } from "../frame/Formats.ts"
import { titled } from "../frame/PortalLayout.ts"
import { twoColumns, copied, facts, linkButton, notice, polling, section } from "../frame/Parts.ts"
import type { Refusal } from "../frame/Refusal.ts"
import type { Visit } from "../frame/Visit.ts"
import { isMoving, outcomeOf, reasonWords } from "../events/DeliveryParts.ts"
import { eventWords } from "../events/EventWords.ts"
import { deliveriesPart } from "./EndpointDeliveries.ts"
import { pauseButton, recoverPart, testPart } from "./EndpointForms.ts"
import { endpointMark, failureWords, lastFailure, sinceWords } from "./EndpointWords.ts"
import { countedWords, healthBars, healthWords, hourTable, startOf } from "./HealthBars.ts"

/** The delivery id in the page's query. Undefined if the query holds no valid id. */
const deliveryIn = ({ query }: Visit, name: string): string | null => {
  const id = query.get(name) ?? ""
  return /^whd_\w{26}$/.test(id) ? id : null
}

/** The delivery of a test event. */
const testedPart = (visit: Visit, delivery: Delivery | null, now: number): Html | null => {
  if (delivery === null) return null
  const { path, t, to } = visit
  const [attempt] = delivery.attempts
  const poll = isMoving(delivery, now) ? polling(visit, "tested", 1, { tested: delivery.id }) : null
  const event = html`<a href="${to(`/portal/events/${delivery.event_id}`)}"
    >${t("Request and response", "Solicitud y respuesta")}</a
  >`
  const content =
    attempt === undefined
      ? html`<p>
          ${t("Folio is sending the test event.", "Folio está enviando el evento de prueba.")}
          <a href="${to(path, { tested: delivery.id })}">${t("Refresh", "Actualizar")}</a>
        </p>`
      : html`<p>${outcomeOf(t, attempt)} · ${eventWords(t, delivery.event_type)}</p>
          ${attempt.error === null ? null : html`<p>${reasonWords(t, attempt.error.code, attempt.response_status)}</p>`}
          <p>${event}</p>`
  return html`<div id="tested" role="status" ${poll}>
    ${section("tested-title", t("Test event", "Evento de prueba"), content)}
  </div>`
}

const words = ({ query, t }: Visit): Readonly<Record<string, string>> => {
  const count = /^\d{1,6}$/.exec(query.get("count") ?? "")?.[0] ?? "0"
  const more =
    query.get("more") === "1" ? t(" More events remain. Recover again.", " Quedan más eventos. Recupere de nuevo.") : ""
  return {
    changed: t("Endpoint changed.", "Destino actualizado."),
    paused: t("Endpoint paused. Folio sends nothing.", "Destino en pausa. Folio no envía nada."),
    resumed: t(
      "Endpoint resumed. To send the events since the pause, recover them.",
      "Destino reanudado. Para enviar los eventos desde la pausa, recupérelos."
    ),
    redelivered: t("Redelivery started.", "Reenvío iniciado."),
    recovered: t(`Recovered deliveries: ${figure(t, count)}.`, `Entregas recuperadas: ${figure(t, count)}.`) + more
  }
}

const factsPart = (visit: Visit, endpoint: WebhookEndpoint): Html => {
  const { t } = visit
  const { api_version, created_at, health, id, max_in_flight, metadata, subscribed_events } = endpoint
  return section(
    "facts",
    t("Endpoint", "Destino"),
    html`${facts([
        [
          t("Last delivery", "Última entrega"),
          health.last_success_at === null ? t("Never", "Nunca") : shortTime(visit, health.last_success_at)
        ],
        [t("Parallel deliveries", "Entregas simultáneas"), String(max_in_flight)],
        [t("API version", "Versión de la API"), api_version],
        [t("Added", "Agregado"), time(visit, created_at)],
        ...Object.entries(metadata).map(([name, value]) => [name, value] as const),
        ["Id", copied(visit, id)]
      ])}
      <details>
        <summary>
          ${
            isToAll(subscribed_events)
              ? t("All event types", "Todos los tipos de evento")
              : t(`Event types: ${subscribed_events.length}`, `Tipos de evento: ${subscribed_events.length}`)
          }
        </summary>
        ${typesOf(subscribed_events).map((type) => html`<div>${eventWords(t, type)}</div>`)}
      </details>`
  )
}

const fullWords = ({ t }: Visit, { health }: WebhookEndpoint): Html | null =>
  health.full_since === null
    ? null
    : html`<div class="rule">
        <b>${t("The delivery queue is full.", "La cola de entregas está llena.")}</b>
        <span
          >${t(
            "Folio doesn’t attempt later events. When the endpoint responds again, recover the missed events.",
            "Folio no intenta los eventos posteriores. Cuando el destino responda de nuevo, recupere los eventos perdidos."
          )}</span
        >
      </div>`

/** The attempts of the last two days. `from`: the oldest counted time, if not all were counted. */
const healthPart = (
  visit: Visit,
  endpoint: WebhookEndpoint,
  hours: ReadonlyArray<HealthHour>,
  from: Date | null,
  start: Date
) => {
  const { t } = visit
  const failure = failureWords(visit, lastFailure(hours))
  const byHour = html`<details>
    <summary>${t("By hour", "Por hora")}</summary>
    ${hourTable(visit, hours)}
  </details>`
  return section(
    "health",
    t("Last two days", "Últimos dos días"),
    html`${fullWords(visit, endpoint)}${healthBars(t, hours, start)}
      <p class="soft">${healthWords(t, hours)}</p>
      ${countedWords(visit, from)} ${failure === null ? null : html`<p>${failure}</p>`}
      ${hours.length === 0 ? null : byHour}`
  )
}

/** The page of an endpoint, with the error of one of its forms, if any. */
export const show = Effect.fnUntraced(function* (visit: Visit, refusal?: Refusal, typed?: string) {
  const { get, id, may, t, to } = visit
  const log = yield* DeliveryLog
  const endpoint = yield* get<WebhookEndpoint>(`/v1/webhook-endpoints/${id}`)
  const now = yield* Clock.currentTimeMillis
  const start = startOf(now)
  const { from, hours } = yield* visit.read((account) => log.healthSince(account, start))
  const own = hours.filter(({ endpoint_id }) => endpoint_id === id)
  const tested = deliveryIn(visit, "tested")
  const delivery = tested === null ? null : yield* get<Delivery>(`/v1/webhook-deliveries/${tested}`)
  const since = sinceWords(visit, endpoint)
  const { description, url } = endpoint
  const path = `/portal/endpoints/${id}`
  const more = html`<div class="do">
    ${linkButton(to(`${path}/rotate`), t("Rotate secret", "Rotar secreto"))}
    ${linkButton(to(`${path}/delete`), t("Delete", "Eliminar"))}
  </div>`
  return titled(
    "endpoints",
    {
      above: notice(visit, words(visit)),
      title: description ?? url,
      sub: html`${endpointMark(visit, endpoint)}${since === null ? null : html` · ${since}`}
      ${description === null ? null : html`<br /><code>${url}</code>`}`,
      actions: may("endpoints")
        ? [pauseButton(visit, endpoint), linkButton(to(`${path}/edit`), t("Change", "Cambiar"))]
        : null
    },
    testedPart(visit, delivery, now),
    twoColumns(
      [healthPart(visit, endpoint, own, from, start), yield* deliveriesPart(visit, id)],
      [
        testPart(visit, endpoint),
        recoverPart(visit, endpoint, now, refusal, typed),
        factsPart(visit, endpoint),
        may("endpoints") ? section("more", t("Secret and deletion", "Secreto y eliminación"), more) : null
      ]
    )
  )
})
