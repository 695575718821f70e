import type { ApiKey } from "../../../schemas/ApiKey.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { faultOf, inputs } from "../forms/Fields.ts"
import { filterForm, momentOf } from "../frame/Lists.ts"
import type { Refusal } from "../frame/Refusal.ts"
import type { Visit } from "../frame/Visit.ts"

/** The fields of the filter that are often used, and the parameter of the API that each stands for. */
const usual: Readonly<Record<string, string>> = { path: "path", status: "status", method: "method", key: "api_key_id" }
const moments: Readonly<Record<string, string>> = { from: "created[gte]", to: "created[lte]" }
const rare: Readonly<Record<string, string>> = { idempotency_key: "idempotency_key", object: "object_id", ...moments }
const parameters = { ...usual, ...rare }

const hasSome = ({ query }: Pick<Visit, "query">, fields: Readonly<Record<string, string>>) =>
  Object.keys(fields).some((name) => (query.get(name) ?? "") !== "")

/** The filter of the API for the query of the page. */
export const filterOf = (query: URLSearchParams): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => {
      const value = query.get(name)?.trim() ?? ""
      return [parameter, Object.hasOwn(moments, name) ? momentOf(value) : value]
    })
  )

/** Whether a parameter of the API has a field in the form. */
export const hasField = (param: string): boolean => Object.values(parameters).includes(param)

export const isFiltered = (visit: Pick<Visit, "query">): boolean => hasSome(visit, parameters)

/** The form that filters the log. Filters that are used rarely open on demand. */
export const filters = (
  visit: Visit,
  path: string,
  keys: ReadonlyArray<ApiKey>,
  refusal: Refusal | undefined
): Html => {
  const { query, t } = visit
  const input = inputs(
    (name) => query.get(name) ?? "",
    (name) => faultOf(refusal, parameters[name] ?? "")
  )
  const statuses = [
    ["", t("All", "Todas")],
    ["2xx", t("2xx succeeded", "2xx con éxito")],
    ["4xx", t("4xx refused", "4xx rechazadas")],
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
      input("path", t("Path begins with", "La ruta empieza por"), { isCode: true }),
      input("status", t("Response", "Respuesta"), { choices: statuses }),
      input("method", t("Method", "Método"), { choices: [["", t("All", "Todos")], ...methods] }),
      input("key", t("API key", "Clave de la API"), { choices: [["", t("All", "Todas")], ...named] }),
      html`<details ${hasSome(visit, rare) ? html`open` : null}>
        <summary>${t("More filters", "Más filtros")}</summary>
        <div class="fields">
          ${input("idempotency_key", t("Idempotency key", "Clave de idempotencia"), { isCode: true })}
          ${input("object", t("Id of an object", "Id de un objeto"), { isCode: true })}
          ${input("from", t("From (Colombian time)", "Desde (hora de Colombia)"), { type: "datetime-local" })}
          ${input("to", t("To", "Hasta"), { type: "datetime-local" })}
        </div>
      </details>`
    ],
    isFiltered(visit)
  )
}
