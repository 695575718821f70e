import { Effect } from "effect"
import type { ApiKey } from "../../../schemas/ApiKey.ts"
import type { LoggedRequest } from "../../../schemas/Request.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { faultOf, inputs, refusedForm } from "../forms/FormFields.ts"
import { shortTime } from "../frame/Formats.ts"
import { titled } from "../frame/PortalLayout.ts"
import { asked, filterForm, type Listed, listTable, momentOf, noneFits } from "../frame/Lists.ts"
import { type Column, emptyState, section } from "../frame/Parts.ts"
import type { Refusal } from "../frame/Refusal.ts"
import { page } from "../frame/PortalRoutes.ts"
import type { Visit } from "../frame/Visit.ts"
import { logLevel, statusMark, tookWords, verdictLink, who } from "./RequestWords.ts"

const path = "/portal/requests"

/** The common fields of the filter, and their API parameters. */
const usual: Readonly<Record<string, string>> = { path: "path", status: "status", method: "method", key: "api_key_id" }
const moments: Readonly<Record<string, string>> = { from: "created[gte]", to: "created[lte]" }
const rare: Readonly<Record<string, string>> = { idempotency_key: "idempotency_key", object: "object_id", ...moments }
const parameters = { ...usual, ...rare }

const hasSome = ({ query }: Pick<Visit, "query">, fields: Readonly<Record<string, string>>) =>
  Object.keys(fields).some((name) => (query.get(name) ?? "") !== "")

/** The filter of the API for the query of the page. */
const filterOf = (query: URLSearchParams): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => {
      const value = query.get(name)?.trim() ?? ""
      return [parameter, Object.hasOwn(moments, name) ? momentOf(value) : value]
    })
  )

/** Whether an API parameter has a field in the form. */
const hasField = (param: string): boolean => Object.values(parameters).includes(param)

const isFiltered = (visit: Pick<Visit, "query">): boolean => hasSome(visit, parameters)

/** The form that filters the log. Rare filters are collapsed. */
const filters = (visit: Visit, keys: ReadonlyArray<ApiKey>, refusal: Refusal | undefined): Html => {
  const { query, t } = visit
  const input = inputs(
    (name) => query.get(name) ?? "",
    (name) => faultOf(refusal, parameters[name] ?? "")
  )
  const statuses = [
    ["", t("All", "Todas")],
    ["2xx", t("2xx succeeded", "2xx con éxito")],
    ["4xx", t("4xx rejected", "4xx rechazadas")],
    ["5xx", t("5xx failed", "5xx con falla")]
  ] as const
  const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"].map((method) => [method, method] as const)
  const named = keys.map(
    ({ id, last_four, name }) => [id, name === null ? `…${last_four}` : `${name} …${last_four}`] as const
  )
  return filterForm(
    visit,
    path,
    [
      input("path", t("Path starts with", "Ruta empieza por"), { isCode: true }),
      input("status", t("Response", "Respuesta"), { choices: statuses }),
      input("method", t("Method", "Método"), { choices: [["", t("All", "Todos")], ...methods] }),
      input("key", t("API key", "Clave de la API"), { choices: [["", t("All", "Todas")], ...named] }),
      html`<details ${hasSome(visit, rare) ? html`open` : null}>
        <summary>${t("More filters", "Más filtros")}</summary>
        <div class="fields">
          ${input("idempotency_key", t("Idempotency key", "Clave de idempotencia"), { isCode: true })}
          ${input("object", t("Object id", "Id del objeto"), { isCode: true })}
          ${input("from", t("From", "Desde"), { type: "datetime-local", hint: t("Colombian time", "Hora de Colombia") })}
          ${input("to", t("Until", "Hasta"), { type: "datetime-local", hint: t("Colombian time", "Hora de Colombia") })}
        </div>
      </details>`
    ],
    isFiltered(visit)
  )
}

const columns = (visit: Visit): ReadonlyArray<Column<LoggedRequest>> => {
  const { t, to } = visit
  return [
    { title: t("Time", "Hora"), cell: ({ created }) => shortTime(visit, created) },
    {
      title: t("Request", "Solicitud"),
      cell: (request) =>
        html`<a href="${to(`${path}/${request.id}`)}"><code>${request.method} ${request.path}</code></a>
          <small>${verdictLink(visit, request)}</small>`
    },
    {
      title: t("Response", "Respuesta"),
      cell: ({ error_code, status }) =>
        html`${statusMark(t, status)} ${error_code === null ? null : html`<small><code>${error_code}</code></small>`}`
    },
    { title: t("Client", "Cliente API"), isWide: true, cell: (request) => who(t, request) },
    { title: t("Duration", "Duración"), isFigure: true, isWide: true, cell: (request) => tookWords(t, request) }
  ]
}

const offPart = ({ t, to }: Visit): Html =>
  html`<div class="rule mild">
    <b>${t("The request log is off.", "El registro de solicitudes está apagado.")}</b>
    <span
      >${t("Folio does not log new requests.", "Folio no registra las solicitudes nuevas.")}
      <a href="${to("/portal/setup")}">${t("Setup", "Ajustes")}</a></span
    >
  </div>`

/** The request log, newest first. */
const list = Effect.fnUntraced(function* (visit: Visit) {
  const { get, query, t } = visit
  const [{ list: found, refusal }, keys, level] = yield* Effect.all([
    asked<LoggedRequest>(visit, "/v1/requests", 25, filterOf(query)),
    get<Listed<ApiKey>>("/v1/api-keys", { limit: "100" }),
    logLevel(visit)
  ])
  const nothing = isFiltered(visit)
    ? noneFits(visit, path, t("No matching requests", "Ninguna solicitud coincide"))
    : emptyState(
        t("No requests yet", "Todavía no hay solicitudes"),
        t(
          "A request with an API key of this account appears here within a second.",
          "Una solicitud con una clave de la API de esta cuenta aparece aquí en un segundo."
        )
      )
  const caption = t("Requests, newest first", "Solicitudes, más recientes primero")
  return titled(
    "requests",
    {
      title: t("Requests", "Solicitudes"),
      sub: t(
        "API requests and responses of the last seven days.",
        "Solicitudes a la API y sus respuestas de los últimos siete días."
      )
    },
    level === "off" ? offPart(visit) : null,
    refusedForm(visit, refusal, hasField),
    filters(visit, keys.data, refusal),
    section(
      "list",
      t("Newest first", "Más recientes primero"),
      listTable(visit, path, found, { caption, columns: columns(visit), nothing })
    )
  )
})

export const layer = page(path, list)
