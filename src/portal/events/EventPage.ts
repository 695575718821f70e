import { Clock, Effect, Layer } from "effect"
import type { Delivery } from "../../../schemas/Delivery.ts"
import type { Event } from "../../../schemas/Event.ts"
import type { WebhookEndpoint } from "../../../schemas/WebhookEndpoint.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { shortTime, size, time, visible } from "../frame/Formats.ts"
import { titled } from "../frame/PortalLayout.ts"
import type { Listed } from "../frame/Lists.ts"
import { copied, facts, fileLink, idLink, inCode, polling, section, twoColumns } from "../frame/Parts.ts"
import type { Visit } from "../frame/Visit.ts"
import { type Download, page } from "../frame/PortalRoutes.ts"
import { attemptList, deliveryMark, isMoving, nextWords, redeliverButton, redeliveredNotice } from "./DeliveryParts.ts"
import { documentOf } from "./EventList.ts"
import { eventWords } from "./EventWords.ts"

/**
 * The most deliveries that a page shows with their attempts: one for each possible endpoint, and some for deleted
 * endpoints.
 */
const deliveriesMax = 24

const bytesOf = ({ file, id }: Visit) => Effect.map(file(`/v1/events/${id}`), (answer) => answer.body)

/** The body of an event as a file. */
const body = (visit: Visit) =>
  Effect.map(bytesOf(visit), (bytes): Download => ({
    contentType: "application/json",
    body: bytes,
    fileName: `${visit.id}.json`
  }))

const urlOf = (endpoints: ReadonlyArray<WebhookEndpoint>, id: string) => endpoints.find((each) => each.id === id)?.url

const deliveryPart = (visit: Visit, delivery: Delivery, url: string | undefined): Html => {
  const { t, to } = visit
  const { attempts, attempts_count, event_id, id, webhook_endpoint_id } = delivery
  const hidden = attempts_count - attempts.length
  const name =
    url === undefined
      ? html`${t("Deleted endpoint", "Destino eliminado")} <code>${webhook_endpoint_id}</code>`
      : idLink(visit, webhook_endpoint_id, url)
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${name}</h2>
    <div class="head">
      <div>${deliveryMark(visit, delivery)} <span class="soft">${nextWords(visit, delivery)}</span></div>
      ${redeliverButton(visit, delivery, event_id)}
    </div>
    ${attempts.length === 0 ? null : attemptList(visit, delivery, attempts.toReversed())}
    ${
      hidden > 0
        ? html`<p>
            <a href="${to(`/portal/deliveries/${id}`)}"
              >${t(`All ${attempts_count} attempts`, `Los ${attempts_count} intentos`)}</a
            >
          </p>`
        : null
    }
  </section>`
}

/** The deliveries. The part reloads itself while a delivery may change. */
const deliveriesPart = (
  visit: Visit,
  deliveries: ReadonlyArray<Delivery>,
  endpoints: ReadonlyArray<WebhookEndpoint>,
  now: number
): Html => {
  const { t } = visit
  const poll = deliveries.some((delivery) => isMoving(delivery, now)) ? polling(visit, "deliveries", 2) : null
  const content =
    deliveries.length === 0
      ? section(
          "told",
          t("No deliveries", "Sin entregas"),
          html`<p>
            ${t(
              "No endpoint was subscribed to this event type when the event happened. To send the event, recover the events of an endpoint.",
              "Ningún destino estaba suscrito a este tipo de evento cuando ocurrió el evento. Para enviar el evento, recupere los eventos de un destino."
            )}
          </p>`
        )
      : html`${deliveries.map((delivery) => deliveryPart(visit, delivery, urlOf(endpoints, delivery.webhook_endpoint_id)))}`
  return html`<div id="deliveries" ${poll}>${content}</div>`
}

/** The events of the same document, if the document exists. */
const othersPart = (visit: Visit, id: string, others: ReadonlyArray<Event>): Html | null => {
  const { t, to } = visit
  const rest = others.filter((other) => other.id !== id)
  if (rest.length === 0) return null
  return section(
    "others",
    t("Related events", "Eventos relacionados"),
    html`<ol class="time">
      ${rest.map(
        (other) =>
          html`<li>
            ${shortTime(visit, other.created)}<a href="${to(`/portal/events/${other.id}`)}"
              >${eventWords(t, other.type)}</a
            >
          </li>`
      )}
    </ol>`
  )
}

/** The exact bytes of an event, and the file. */
const bytesPart = ({ id, t, to }: Visit, bytes: Uint8Array, text: string): Html => {
  const readable = visible(text)
  const hidden = html`<p class="soft">
    ${t(
      "Here ⟨U+…⟩ replaces each invisible character. The file has the original characters.",
      "Aquí ⟨U+…⟩ reemplaza cada carácter invisible. El archivo conserva los caracteres originales."
    )}
  </p>`
  return section(
    "bytes",
    t("Signed body", "Cuerpo firmado"),
    html`<p>
        ${t(
          `Each attempt signs and sends these ${size(t, bytes.length)}, byte for byte.`,
          `Cada intento firma y envía estos ${size(t, bytes.length)}, byte por byte.`
        )}
      </p>
      <pre tabindex="0"><code id="body">${readable}</code></pre>
      ${readable === text ? null : hidden} ${fileLink(to(`/portal/events/${id}/bytes`), t("Download", "Descargar"))}`
  )
}

/** The page of an event: its exact bytes, and its deliveries with their attempts. */
const shown = Effect.fnUntraced(function* (visit: Visit) {
  const { get, id, t } = visit
  const bytes = yield* bytesOf(visit)
  const text = new TextDecoder().decode(bytes)
  const event = JSON.parse(text) as Event
  const document = documentOf(event)
  const [listed, endpoints, others] = yield* Effect.all([
    get<Listed<Delivery>>(`/v1/events/${id}/deliveries`, { limit: String(deliveriesMax) }),
    get<Listed<WebhookEndpoint>>("/v1/webhook-endpoints", { limit: "100" }),
    get<Listed<Event>>("/v1/events", { object_id: document.id, limit: "10" })
  ])
  // The list holds only the last three attempts, without headers.
  const deliveries = yield* Effect.forEach(listed.data, (each) => get<Delivery>(`/v1/webhook-deliveries/${each.id}`))
  // Test events are about documents that do not exist, and no list holds them.
  const isSample = !others.data.some((other) => other.id === id)
  const number = document.number === "" ? undefined : document.number
  const known = facts([
    [
      t("Document", "Documento"),
      isSample ? t("None (test event)", "Ninguno (evento de prueba)") : idLink(visit, document.id, number)
    ],
    [t("Event type", "Tipo de evento"), inCode(event.type)],
    [t("Size", "Tamaño"), size(t, bytes.length)],
    ["Id", copied(visit, id)]
  ])
  const words = eventWords(t, event.type)
  return titled(
    "events",
    {
      above: redeliveredNotice(visit),
      title: number === undefined ? words : `${words} · ${number}`,
      sub: time(visit, event.created)
    },
    twoColumns(
      [
        deliveriesPart(visit, deliveries, endpoints.data, yield* Clock.currentTimeMillis),
        bytesPart(visit, bytes, text)
      ],
      [section("facts", t("Event", "Evento"), known), othersPart(visit, id, others.data)]
    )
  )
})

export const layer = Layer.mergeAll(page("/portal/events/:id", shown), page("/portal/events/:id/bytes", body))
