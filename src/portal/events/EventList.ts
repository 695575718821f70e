import { Effect } from "effect"
import type { Event } from "../../../schemas/Event.ts"
import type { DeliveryCount } from "../../store/webhooks/DeliveryHealth.ts"
import { DeliveryLog } from "../../store/webhooks/DeliveryLog.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { faultOf, inputs, refusedForm } from "../forms/Fields.ts"
import { kindWords } from "../frame/DocumentWords.ts"
import { shortTime } from "../frame/Formats.ts"
import { titled } from "../frame/Layout.ts"
import { asked, filterForm, listTable, noneFits, ofDay } from "../frame/Lists.ts"
import { type Column, emptyState, idLink, section, state } from "../frame/Parts.ts"
import { page } from "../frame/Routes.ts"
import type { Refusal } from "../frame/Refusal.ts"
import type { Translate, Visit } from "../frame/Visit.ts"
import { eventMark, outcomeWords, typesByKind } from "./EventWords.ts"

const path = "/portal/events"

/** The fields of the filter, and the parameters of the API that each stands for. */
const fields: Readonly<Record<string, ReadonlyArray<string>>> = {
  type: ["type"],
  object: ["object_id"],
  day: ["created[gte]", "created[lte]"]
}

/** The document that an event is about: its id, and its full number if it has one. */
export const documentOf = ({ data: { object } }: Event): { readonly id: string; readonly number: string } => ({
  id: object.object === "email" ? object.document_id : object.id,
  number: object.full_number
})

/** The choices of event types, by the kind of document. */
export const typeChoices = (t: Translate): ReadonlyArray<readonly [string, string]> =>
  typesByKind.flatMap(([kind, types]) =>
    types.map((type) => [type, `${kindWords(t, kind)}: ${outcomeWords(t, type)}`] as const)
  )

/** The deliveries of an event in words. */
const deliveryWords = (t: Translate, counts: ReadonlyArray<DeliveryCount>): Html => {
  const count = (status: DeliveryCount["status"]) => counts.find((each) => each.status === status)?.count ?? 0
  const [failed, pending, succeeded] = [count("failed"), count("pending"), count("succeeded")]
  if (failed > 0) return state("bad", t(`${failed} failed`, failed === 1 ? "1 fallida" : `${failed} fallidas`))
  if (pending > 0) return state("wait", t(`${pending} waiting`, `${pending} en espera`))
  if (succeeded > 0)
    return state("ok", t(`${succeeded} delivered`, succeeded === 1 ? "1 entregada" : `${succeeded} entregadas`))
  return html`<span class="soft">${t("To no endpoint", "A ningún destino")}</span>`
}

const isFiltered = ({ query }: Visit) => Object.keys(fields).some((name) => (query.get(name) ?? "") !== "")

const filters = (visit: Visit, refusal: Refusal | undefined): Html => {
  const { query, t } = visit
  const input = inputs(
    (name) => query.get(name) ?? "",
    (name) => faultOf(refusal, ...(fields[name] ?? []))
  )
  const choices = [["", t("Anything", "Cualquier cosa")] as const, ...typeChoices(t)]
  return filterForm(
    visit,
    path,
    [
      input("type", t("What happened", "Qué ocurrió"), { choices }),
      input("object", t("Id of the document", "Id del documento"), { isCode: true }),
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
      title: t("What happened", "Qué ocurrió"),
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
    ? noneFits(visit, path, t("No event fits", "Ningún evento coincide"))
    : emptyState(
        t("Nothing has happened yet", "Todavía no ha ocurrido nada"),
        t(
          "An event is written when the authority judges a document, and when its e-mail arrives or bounces.",
          "Se escribe un evento cuando la DIAN valida un documento, y cuando su correo llega o es devuelto."
        )
      )
  const caption = t("Events, newest first", "Eventos, el más reciente primero")
  return titled(
    "events",
    {
      title: t("Events", "Eventos"),
      sub: t(
        "What happened to documents and their emails, and which endpoints received it.",
        "Lo que ocurrió con los documentos y sus correos, y qué destinos lo recibieron."
      )
    },
    refusedForm(visit, refusal, (param) => Object.values(fields).flat().includes(param)),
    filters(visit, refusal),
    section(
      "list",
      t("Newest first", "Los más recientes primero"),
      listTable(visit, path, list, { caption, columns: columns(visit, counts), nothing })
    )
  )
})

export const layer = page(path, shown)
