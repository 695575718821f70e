import { Effect } from "effect"
import type { Account } from "../../../schemas/Account.ts"
import type { LoggedRequest } from "../../../schemas/Request.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { duration } from "../frame/Formats.ts"
import { idLink, state } from "../frame/Parts.ts"
import type { Translate, Visit } from "../frame/Visit.ts"

/** The content of the account's request log. A platform's own account has the default. */
export const logLevel = ({ get, isPlatform }: Visit) =>
  isPlatform
    ? Effect.succeed<Account["request_log"]>("masked")
    : Effect.map(get<Account>("/v1/account"), ({ request_log }) => request_log)

/** The status code of a response, with its mark. */
export const statusMark = (t: Translate, status: number): Html => {
  if (status === 499) return state("wait", t("Client disconnected", "Cliente se desconectó"))
  if (status >= 400) return state("bad", String(status))
  return state(status >= 300 ? "still" : "ok", String(status))
}

/** Whether a request waited for an event. Its duration doesn't show the speed of the service. */
const isWait = ({ path, query }: LoggedRequest): boolean =>
  path === "/v1/events" && new URLSearchParams(query ?? "").has("wait")

/** The duration of a request, or of its wait for an event. */
export const tookWords = (t: Translate, request: LoggedRequest): Html => {
  const took = duration(t, request.duration_ms)
  return isWait(request) ? html`${t("waited", "esperó")} ${took}` : html`${took}`
}

/** The client of a request: the last characters of an API key, the portal, or a signed link. */
export const who = (t: Translate, { api_key, portal_session_id }: LoggedRequest): Html => {
  if (portal_session_id !== null) return html`portal`
  if (api_key === null) return html`${t("signed link", "enlace firmado")}`
  return html`<code>${api_key.last_four === null ? api_key.id : `…${api_key.last_four}`}</code>`
}

/** The effect of a request's idempotency key, in a sentence. */
export const verdictWords = (t: Translate, { verdict }: NonNullable<LoggedRequest["idempotency"]>): string =>
  ({
    executed: t("Folio executed this request with this key.", "Folio ejecutó esta solicitud con esta clave."),
    replayed: t(
      "Folio returned the response of the first request with this key and changed nothing.",
      "Folio devolvió la respuesta de la primera solicitud con esta clave y no cambió nada."
    ),
    conflict: t(
      "Folio changed nothing, because the key belongs to a request with a different body.",
      "Folio no cambió nada, porque la clave pertenece a una solicitud con otro contenido."
    ),
    in_progress: t(
      "Folio changed nothing, because the first request with this key was still in progress.",
      "Folio no cambió nada, porque la primera solicitud con esta clave aún estaba en curso."
    )
  })[verdict]

/** A link to the first request with the same idempotency key. Null for the first request. */
export const verdictLink = (visit: Visit, { idempotency }: LoggedRequest): Html | null => {
  const { t } = visit
  if (idempotency === null || idempotency.verdict === "executed") return null
  const { of, verdict } = idempotency
  const words = {
    replayed: [t("replayed", "repetida"), t("replay of first", "repetición de la primera")],
    conflict: [t("conflict", "en conflicto"), t("conflict with first", "conflicto con la primera")],
    in_progress: [t("still in progress", "aún en curso"), t("first in progress", "primera en curso")]
  }[verdict]
  return of === null ? html`${words[0] ?? ""}` : idLink(visit, of, words[1])
}
