import type { ApiKey } from "../../../schemas/ApiKey.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { faultOf, field } from "../forms/Fields.ts"
import type { Refusal } from "../frame/Refusal.ts"
import type { Visit } from "../frame/Visit.ts"
import { filterForm, momentOf } from "../frame/Filters.ts"

const usual = ["path", "status", "method", "key"]
const rare = ["idempotency_key", "object", "from", "to"]

/** The filter of the API for the query of the page. */
export const filterOf = (query: URLSearchParams) => {
  const value = (name: string) => query.get(name)?.trim() ?? ""
  return {
    path: value("path"),
    status: value("status"),
    method: value("method"),
    api_key_id: value("key"),
    idempotency_key: value("idempotency_key"),
    object_id: value("object"),
    "created[gte]": momentOf(value("from")),
    "created[lte]": momentOf(value("to"))
  }
}

/** Whether a parameter of the API has a field in the form. */
export const hasField = (param: string): boolean => Object.hasOwn(filterOf(new URLSearchParams()), param)

export const isFiltered = ({ query }: Pick<Visit, "query">): boolean =>
  [...usual, ...rare].some((name) => (query.get(name) ?? "") !== "")

/** The form that filters the log. Filters that are used rarely open on demand. */
export const filters = (
  visit: Visit,
  path: string,
  keys: ReadonlyArray<ApiKey>,
  refusal: Refusal | undefined
): Html => {
  const { query, t } = visit
  const value = (name: string) => query.get(name) ?? ""
  const isRare = rare.some((name) => value(name) !== "")
  const text = (name: string, label: string, parameter: string) =>
    field({ name, label, value: value(name), isCode: true, error: faultOf(refusal, parameter) })
  const moment = (name: string, label: string, parameter: string) =>
    field({ name, label, type: "datetime-local", value: value(name), error: faultOf(refusal, parameter) })
  const choice = (name: string, label: string, parameter: string, choices: ReadonlyArray<readonly [string, string]>) =>
    field({ name, label, value: value(name), choices, error: faultOf(refusal, parameter) })
  return filterForm(
    visit,
    path,
    [
      text("path", t("Path begins with", "La ruta empieza por"), "path"),
      choice("status", t("Response", "Respuesta"), "status", [
        ["", t("All", "Todas")],
        ["2xx", t("2xx succeeded", "2xx con éxito")],
        ["4xx", t("4xx refused", "4xx rechazadas")],
        ["5xx", t("5xx failed", "5xx con falla")]
      ]),
      choice("method", t("Method", "Método"), "method", [
        ["", t("All", "Todos")],
        ...["GET", "POST", "PUT", "PATCH", "DELETE"].map((method) => [method, method] as const)
      ]),
      choice("key", t("API key", "Clave de la API"), "api_key_id", [
        ["", t("All", "Todas")],
        ...keys.map(
          ({ id, last_four, name }) => [id, name === null ? `…${last_four}` : `${name} …${last_four}`] as const
        )
      ]),
      html`<details ${isRare ? html`open` : null}>
        <summary>${t("More filters", "Más filtros")}</summary>
        <div class="fields">
          ${text("idempotency_key", t("Idempotency key", "Clave de idempotencia"), "idempotency_key")}
          ${text("object", t("Id of an object", "Id de un objeto"), "object_id")}
          ${moment("from", t("From (Colombian time)", "Desde (hora de Colombia)"), "created[gte]")}
          ${moment("to", t("To", "Hasta"), "created[lte]")}
        </div>
      </details>`
    ],
    isFiltered(visit)
  )
}
