import { Effect } from "effect"
import type { Delivery, DeliveryStatus } from "../../../schemas/Delivery.ts"
import { html } from "../../http/pages/Html.ts"
import { shortTime } from "../frame/Formats.ts"
import { listed, listTable } from "../frame/Lists.ts"
import { type Column, emptyState, section } from "../frame/Parts.ts"
import type { Translate, Visit } from "../frame/Visit.ts"
import { deliveryMark, nextWords, reasonWords, redeliverButton } from "../events/DeliveryParts.ts"
import { eventWords } from "../events/EventWords.ts"

/** The tabs of the list, by the value of `status` in the query. */
const choices = (t: Translate): ReadonlyArray<readonly [DeliveryStatus | "all", string]> => [
  ["failed", t("Failed", "Fallidas")],
  ["pending", t("Waiting", "En espera")],
  ["succeeded", t("Delivered", "Entregadas")],
  ["all", t("All", "Todas")]
]

const lastWords = (t: Translate, { attempts, attempts_count }: Delivery): string => {
  const last = attempts.at(-1)
  if (last === undefined || last.error === null) return ""
  const reason = reasonWords(t, last.error.code, last.response_status)
  return attempts_count === 1 ? reason : `${reason} ${t(`${attempts_count} attempts.`, `${attempts_count} intentos.`)}`
}

const columns = (visit: Visit): ReadonlyArray<Column<Delivery>> => {
  const { may, t, to } = visit
  const redelivery: Column<Delivery> = {
    title: t("Action", "Acción"),
    isFigure: true,
    cell: (delivery) => redeliverButton(visit, delivery, delivery.webhook_endpoint_id)
  }
  return [
    { title: t("Time", "Hora"), cell: ({ created_at }) => shortTime(visit, created_at) },
    {
      title: t("Event and status", "Evento y estado"),
      cell: (delivery) =>
        html`<a href="${to(`/portal/events/${delivery.event_id}`)}">${eventWords(t, delivery.event_type)}</a>
          ${deliveryMark(visit, delivery)} <small>${nextWords(visit, delivery)} ${lastWords(t, delivery)}</small>`
    },
    ...(may("deliver") ? [redelivery] : [])
  ]
}

/**
 * The deliveries to an endpoint with the status in the query. Default: failed or waiting deliveries if there are any,
 * otherwise all.
 */
export const deliveriesPart = Effect.fnUntraced(function* (visit: Visit, id: string) {
  const { query, t, to } = visit
  const path = `/portal/endpoints/${id}`
  const all = choices(t)
  const named = all.find(([value]) => value === query.get("status"))?.[0]
  const listOf = (status: (typeof all)[number][0]) =>
    listed<Delivery>(visit, `/v1/webhook-endpoints/${id}/deliveries`, 20, {
      status: status === "all" ? undefined : status
    })
  let chosen = named ?? "failed"
  let list = yield* listOf(chosen)
  for (const other of named === undefined ? (["pending", "all"] as const) : []) {
    if (list.data.length > 0) break
    chosen = other
    list = yield* listOf(other)
  }
  const tabs = html`<nav class="do" aria-label="${t("Delivery status", "Estado de las entregas")}">
    ${all.map(([value, name]) =>
      value === chosen
        ? html`<a class="b" href="${to(path, { status: value })}" aria-current="true"><b>${name}</b></a>`
        : html`<a class="b" href="${to(path, { status: value })}">${name}</a>`
    )}
  </nav>`
  const ofState = { ...visit, query: new URLSearchParams([...query, ["status", chosen]]) }
  const nothing =
    chosen === "failed"
      ? emptyState(
          t("No failed deliveries", "Ninguna entrega fallida"),
          t(
            "A delivery fails after four failed attempts. Deliveries with attempts left are under “Waiting”.",
            "Una entrega falla después de cuatro intentos fallidos. Las entregas con intentos pendientes están en «En espera»."
          )
        )
      : emptyState(t("No deliveries", "Sin entregas"), "")
  const caption = t("Deliveries, newest first", "Entregas, más recientes primero")
  return section(
    "deliveries",
    t("Deliveries", "Entregas"),
    html`<div class="head">${tabs}</div>`,
    listTable(ofState, path, list, { caption, columns: columns(visit), nothing })
  )
})
