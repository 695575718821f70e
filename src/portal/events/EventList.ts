import { Effect } from "effect"
import type { Event } from "../../../schemas/Event.ts"
import type { DeliveryCount } from "../../store/webhooks/DeliveryHealth.ts"
import { DeliveryLog } from "../../store/webhooks/DeliveryLog.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { kindWords } from "../frame/DocumentWords.ts"
import { shortTime } from "../frame/Formats.ts"
import { faultOf, field, refusedForm } from "../forms/Fields.ts"
import { idLink } from "../frame/Links.ts"
import type { Page } from "../frame/Layout.ts"
import { emptyState, pager, placeOf, section, state, table } from "../frame/Parts.ts"
import type { Translate, Visit } from "../frame/Visit.ts"
import { eventMark, outcomeWords, typesByKind } from "./EventWords.ts"
import { asked, filterForm, ofDay } from "../frame/Filters.ts"

const path = "/portal/events"
const perPage = 25

const parameters = ["type", "object_id", "created[gte]", "created[lte]"]

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

const filters = (visit: Visit, fault: (...params: ReadonlyArray<string>) => string | undefined): Html => {
  const { query, t } = visit
  const value = (name: string) => query.get(name) ?? ""
  return filterForm(
    visit,
    path,
    [
      field({
        name: "type",
        label: t("What happened", "Qué ocurrió"),
        value: value("type"),
        choices: [["", t("Anything", "Cualquier cosa")], ...typeChoices(t)],
        error: fault("type")
      }),
      field({
        name: "object",
        label: t("Id of the document", "Id del documento"),
        value: value("object"),
        isCode: true,
        error: fault("object_id")
      }),
      field({
        name: "day",
        label: t("Day", "Día"),
        type: "date",
        value: value("day"),
        error: fault("created[gte]", "created[lte]")
      })
    ],
    ["type", "object", "day"].some((name) => value(name) !== "")
  )
}

const rows = (visit: Visit, events: ReadonlyArray<Event>, counts: ReadonlyArray<DeliveryCount>): Html => {
  const { t } = visit
  const byEvent = Map.groupBy(counts, ({ event_id }) => event_id)
  return table(
    t("Events, newest first", "Eventos, el más reciente primero"),
    [
      { title: t("Time", "Hora"), cell: ({ created }: Event) => shortTime(visit, created) },
      {
        title: t("What happened", "Qué ocurrió"),
        cell: (event) => {
          const { id, number } = documentOf(event)
          const what = html`<a href="${visit.to(`${path}/${event.id}`)}">${eventMark(t, event.type)}</a>`
          return html`${what} ${idLink(visit, id, number === "" ? undefined : number)}`
        }
      },
      { title: t("Deliveries", "Entregas"), cell: ({ id }) => deliveryWords(t, byEvent.get(id) ?? []) }
    ],
    events
  )
}

/** The events of the account, newest first. */
export const page = Effect.fnUntraced(function* (visit: Visit) {
  const { query, t, to } = visit
  const log = yield* DeliveryLog
  const day = query.get("day") ?? ""
  const filter = { type: query.get("type") ?? "", object_id: query.get("object")?.trim(), ...ofDay(day) }
  const { list, refusal } = yield* asked<Event>(visit, "/v1/events", filter, perPage)
  const counts = yield* visit.read((account) =>
    log.countsOf(
      account,
      list.data.map(({ id }) => id)
    )
  )
  const isFiltered = ["type", "object", "day"].some((name) => (query.get(name) ?? "") !== "")
  const nothing = isFiltered
    ? emptyState(
        t("No event fits", "Ningún evento coincide"),
        html`<a href="${to(path)}">${t("Show all", "Ver todo")}</a>`
      )
    : emptyState(
        t("Nothing has happened yet", "Todavía no ha ocurrido nada"),
        html`${t(
          "An event is written when the authority judges a document, and when its e-mail arrives or bounces.",
          "Se escribe un evento cuando la DIAN valida un documento, y cuando su correo llega o es devuelto."
        )}`
      )
  return {
    title: t("Events", "Eventos"),
    current: "events",
    content: html`<h1>${t("Events", "Eventos")}</h1>
      <p class="sub">
        ${t(
          "What happened to documents and their emails, and which endpoints received it.",
          "Lo que ocurrió con los documentos y sus correos, y qué destinos lo recibieron."
        )}
      </p>
      ${refusedForm(visit, refusal, (param) => parameters.includes(param))}
      ${filters(visit, (...params) => faultOf(refusal, ...params))}
      ${section(
        "list",
        t("Newest first", "Los más recientes primero"),
        html`${list.data.length === 0 ? nothing : rows(visit, list.data, counts)}
        ${pager(visit, path, placeOf(visit, list))}`
      )}`
  } satisfies Page as Page
})
