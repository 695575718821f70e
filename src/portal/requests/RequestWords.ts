import type { LoggedRequest } from "../../../schemas/Request.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { duration } from "../frame/Formats.ts"
import { idLink, state } from "../frame/Parts.ts"
import type { Translate, Visit } from "../frame/Visit.ts"

/** The status of an answer, with its mark. */
export const statusMark = (t: Translate, status: number): Html => {
  if (status === 499) return state("wait", t("Hung up", "Colgó"))
  if (status >= 400) return state("bad", String(status))
  return state(status >= 300 ? "still" : "ok", String(status))
}

/** Whether a request asked to wait for an event: its time is a wait, and says nothing of how quick the service is. */
const isWait = ({ path, query }: LoggedRequest): boolean =>
  path === "/v1/events" && new URLSearchParams(query ?? "").has("wait")

/** How long a request took, or that it waited for an event. */
export const tookWords = (t: Translate, request: LoggedRequest): Html => {
  const took = duration(t, request.duration_ms)
  return isWait(request) ? html`${t("waited", "esperó")} ${took}` : html`${took}`
}

/** Who made a request: the end of an API key, or a person in the portal. */
export const who = (t: Translate, { api_key, portal_session_id }: LoggedRequest): Html => {
  if (portal_session_id !== null) return html`portal`
  if (api_key === null) return html`${t("a signed link", "un enlace firmado")}`
  return html`<code>${api_key.last_four === null ? api_key.id : `…${api_key.last_four}`}</code>`
}

/** What became of the idempotency key of a request, in a sentence. */
export const verdictWords = (t: Translate, { verdict }: NonNullable<LoggedRequest["idempotency"]>): string =>
  ({
    executed: t("This request was executed with this key.", "Esta solicitud se ejecutó con esta clave."),
    replayed: t(
      "Folio did nothing again: it returned the response of the first request with this key.",
      "Nada se hizo de nuevo: la respuesta es la de la primera solicitud con esta clave."
    ),
    conflict: t(
      "Nothing was done: the key belongs to a request with another content.",
      "No se hizo nada: la clave pertenece a una solicitud con otro contenido."
    ),
    in_progress: t(
      "Nothing was done: the first request with this key was still being executed.",
      "No se hizo nada: la primera solicitud con esta clave aún se estaba ejecutando."
    )
  })[verdict]

/** How a request stands to the first one with its idempotency key, as a link to that one; null when it is the first itself. */
export const verdictLink = (visit: Visit, { idempotency }: LoggedRequest): Html | null => {
  const { t } = visit
  if (idempotency === null || idempotency.verdict === "executed") return null
  const { of, verdict } = idempotency
  const words = {
    replayed: [t("replayed", "repetida"), t("replayed of the first", "repetición de la primera")],
    conflict: [t("conflict", "en conflicto"), t("conflict with the first", "conflicto con la primera")],
    in_progress: [t("still in progress", "aún en curso"), t("the first was in progress", "la primera seguía en curso")]
  }[verdict]
  return of === null ? html`${words[0] ?? ""}` : idLink(visit, of, words[1])
}
