import { Effect } from "effect"
import type { Account } from "../../../schemas/Account.ts"
import type { ApiKey } from "../../../schemas/ApiKey.ts"
import type { LoggedRequest } from "../../../schemas/Request.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { refusedForm } from "../forms/Fields.ts"
import { shortTime } from "../frame/Formats.ts"
import { titled } from "../frame/Layout.ts"
import { asked, type Listed, listTable, noneFits } from "../frame/Lists.ts"
import { type Column, emptyState, section } from "../frame/Parts.ts"
import { page } from "../frame/Routes.ts"
import type { Visit } from "../frame/Visit.ts"
import { filterOf, filters, hasField, isFiltered } from "./RequestFilters.ts"
import { statusMark, tookWords, verdictLink, who } from "./RequestWords.ts"

const path = "/portal/requests"

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
    { title: t("By", "Por"), isWide: true, cell: (request) => who(t, request) },
    { title: t("Took", "Tardó"), isFigure: true, isWide: true, cell: (request) => tookWords(t, request) }
  ]
}

const offPart = ({ t, to }: Visit): Html =>
  html`<div class="rule mild">
    <b>${t("The request log is off.", "El registro de solicitudes está apagado.")}</b>
    <span
      >${t("New requests are not kept.", "Las solicitudes nuevas no se guardan.")}
      <a href="${to("/portal/setup")}">${t("Setup", "Ajustes")}</a></span
    >
  </div>`

/** The request log, newest first. */
const list = Effect.fnUntraced(function* (visit: Visit) {
  const { get, query, t } = visit
  const [{ list: found, refusal }, keys, account] = yield* Effect.all([
    asked<LoggedRequest>(visit, "/v1/requests", 25, filterOf(query)),
    get<Listed<ApiKey>>("/v1/api-keys", { limit: "100" }),
    get<Account>("/v1/account")
  ])
  const nothing = isFiltered(visit)
    ? noneFits(visit, path, t("No request fits", "Ninguna solicitud coincide"))
    : emptyState(
        t("No request yet", "Todavía no hay solicitudes"),
        t(
          "A request that is made with an API key of this account appears here within a second.",
          "Una solicitud hecha con una clave de la API de esta cuenta aparece aquí en un segundo."
        )
      )
  const caption = t("Requests, newest first", "Solicitudes, la más reciente primero")
  return titled(
    "requests",
    {
      title: t("Requests", "Solicitudes"),
      sub: t(
        "What was asked of the API in the last seven days, and what it answered.",
        "Lo que se pidió a la API en los últimos siete días, y lo que respondió."
      )
    },
    account.request_log === "off" ? offPart(visit) : null,
    refusedForm(visit, refusal, hasField),
    filters(visit, path, keys.data, refusal),
    section(
      "list",
      t("Newest first", "Las más recientes primero"),
      listTable(visit, path, found, { caption, columns: columns(visit), nothing })
    )
  )
})

export const layer = page(path, list)
