import { Effect } from "effect"
import type { Event } from "../../../schemas/Event.ts"
import type { DeliveryCount } from "../../webhooks/store/DeliveryHealth.ts"
import { DeliveryLog } from "../../webhooks/store/DeliveryLog.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { faultOf, inputs, refusedForm } from "../forms/FormFields.ts"
import { kindWords } from "../frame/DocumentWords.ts"
import { figure, shortTime } from "../frame/Formats.ts"
import { titled } from "../frame/PortalLayout.ts"
import { asked, filterForm, listTable, noneFits, ofDay } from "../frame/Lists.ts"
import { type Column, emptyState, idLink, section, state } from "../frame/Parts.ts"
import { page } from "../frame/PortalRoutes.ts"
import type { Refusal } from "../frame/Refusal.ts"
import type { Translate, Visit } from "../frame/Visit.ts"
import { eventMark, outcomeWords, typesByKind } from "./EventWords.ts"

const path = "/portal/events"

/** The fields of the filter, and their API parameters. */
const fields: Readonly<Record<string, ReadonlyArray<string>>> = {
  type: ["type"],
  object: ["object_id"],
  day: ["created[gte]", "created[lte]"]
}

/** The id of an event's document, and its full number. The number is empty until it is assigned. */
export const documentOf = ({ data: { object } }: Event): { readonly id: string; readonly number: string } => ({
  id: object.object === "email" ? object.document_id : object.id,
  number: object.full_number
})

/** The event types as choices, by document kind. */
export const typeChoices = (t: Translate): ReadonlyArray<readonly [string, string]> =>
  typesByKind.flatMap(([kind, types]) =>
    types.map((type) => [type, `${kindWords(t, kind)}: ${outcomeWords(t, type)}`] as const)
  )

/** A summary of an event's deliveries. */
const deliveryWords = (t: Translate, counts: ReadonlyArray<DeliveryCount>): Html => {
  const count = (status: DeliveryCount["status"]) => counts.find((each) => each.status === status)?.count ?? 0
  const [failed, pending, succeeded] = [count("failed"), count("pending"), count("succeeded")]
  if (failed > 0)
    return state("bad", t(`${figure(t, failed)} failed`, failed === 1 ? "1 fallida" : `${figure(t, failed)} fallidas`))
  if (pending > 0) return state("wait", t(`${figure(t, pending)} waiting`, `${figure(t, pending)} en espera`))
  if (succeeded > 0)
    return state(
      "ok",
      t(`${figure(t, succeeded)} delivered`, succeeded === 1 ? "1 entregada" : `${figure(t, succeeded)} entregadas`)
    )
  return html`<span class="soft">${t("No deliveries", "Sin entregas")}</span>`
}

const isFiltered = ({ query }: Visit) => Object.keys(fields).some((name) => (query.get(name) ?? "") !== "")

const filters = (visit: Visit, refusal: Refusal | undefined): Html => {
  const { query, t } = visit
  const input = inputs(
    (name) => query.get(name) ?? "",
    (name) => faultOf(refusal, ...(fields[name] ?? []))
  )
  const choices = [["", t("All", "Todos")] as const, ...typeChoices(t)]
  return filterForm(
    visit,
    path,
    [
      input("type", t("Event type", "Tipo de evento"), { choices }),
      input("object", t("Document id", "Id del documento"), { isCode: true }),
      input("day", t("Day", "Día"), { type: "date" })
    ],
    isFiltered(visit)
  )
}

const columns = (visit: Visit, counts: ReadonlyArray<DeliveryCount>): ReadonlyArray<Column<Event>> => {
  const { t } = visit
  const byEvent = Map.groupBy(counts, ({ event_id }) => event_id)
  return [
    { title: t("Time", "Hora"), cell: ({ created }) => shortTime(visit, created) },
    {
      title: t("Event", "Evento"),
      cell: (event) => {
        const { id, number } = documentOf(event)
        const what = html`<a href="${visit.to(`${path}/${event.id}`)}">${eventMark(t, event.type)}</a>`
        return html`${what} ${idLink(visit, id, number === "" ? undefined : number)}`
      }
    },
    { title: t("Deliveries", "Entregas"), cell: ({ id }) => deliveryWords(t, byEvent.get(id) ?? []) }
  ]
}

/** The events of the account, newest first. */
const shown = Effect.fnUntraced(function* (visit: Visit) {
  const { query, t } = visit
  const log = yield* DeliveryLog
  const filter = {
    type: query.get("type") ?? "",
    object_id: query.get("object")?.trim(),
    ...ofDay(query.get("day") ?? "")
  }
  const { list, refusal } = yield* asked<Event>(visit, "/v1/events", 25, filter)
  const ids = list.data.map(({ id }) => id)
  const counts = yield* visit.read((account) => log.countsOf(account, ids))
  const nothing = isFiltered(visit)
    ? noneFits(visit, path, t("No matching events", "Ningún evento coincide"))
    : emptyState(
        t("No events yet", "Todavía no hay eventos"),
        t(
          "Folio creates an event when the authority accepts or rejects a document, and when an email arrives or bounces.",
          "Folio crea un evento cuando la DIAN acepta o rechaza un documento, y cuando un correo llega o es devuelto."
        )
      )
  const caption = t("Events, newest first", "Eventos, más recientes primero")
  return titled(
    "events",
    {
      title: t("Events", "Eventos"),
      sub: t(
        "Outcomes of documents and emails, and their deliveries to endpoints.",
        "Resultados de documentos y correos, y sus entregas a los destinos."
      )
    },
    refusedForm(visit, refusal, (param) => Object.values(fields).flat().includes(param)),
    filters(visit, refusal),
    section(
      "list",
      t("Newest first", "Más recientes primero"),
      listTable(visit, path, list, { caption, columns: columns(visit, counts), nothing })
    )
  )
})

export const layer = page(path, shown)
