import { Effect } from "effect"
import type { Account } from "../../../schemas/Account.ts"
import type { LoggedRequest, LoggedRequestWithBodies } from "../../../schemas/Request.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { clock, size, time, visible } from "../frame/Formats.ts"
import { titled } from "../frame/Layout.ts"
import { copied, facts, idLink, inCode, section, twoColumns } from "../frame/Parts.ts"
import { page } from "../frame/Routes.ts"
import type { Visit } from "../frame/Visit.ts"
import { indented } from "./JsonText.ts"
import { statusMark, tookWords, verdictWords, who } from "./RequestWords.ts"

/** The bytes of a body that the log keeps at most. */
const keptBytesMax = 16 * 1024

const bodyPart = (
  { t }: Visit,
  name: string,
  title: string,
  { body, bytes }: { readonly body: string | null; readonly bytes: number }
): Html => {
  // The log never cuts a character in two, so what was cut may be a few bytes shorter.
  const isCut = body !== null && Buffer.byteLength(body) > keptBytesMax - 4
  const none =
    bytes === 0
      ? t("There was none.", "No hubo.")
      : t("It is no JSON, or the log did not take it.", "No es JSON, o el registro no lo guardó.")
  const kept = isCut ? t(", of which the first 16 KiB are kept", ", de los que se guardan los primeros 16 KiB") : ""
  return section(
    name,
    title,
    html`<p class="soft">${bytes === 0 ? none : `${size(t, bytes)}${kept}`}</p>
      ${bytes > 0 && body === null ? html`<p>${none}</p>` : null}
      ${body === null ? null : html`<pre tabindex="0"><code>${visible(indented(body))}</code></pre>`}`
  )
}

const links = (visit: Visit, ids: ReadonlyArray<string>): Html | null =>
  ids.length === 0 ? null : html`${ids.map((id) => html`<div>${idLink(visit, id)}</div>`)}`

const messageOf = (body: string | null): string => {
  try {
    const message: unknown = JSON.parse(body ?? "").error.message
    return typeof message === "string" ? message : ""
  } catch {
    return ""
  }
}

const errorPart = ({ t, to }: Visit, { error_code, response_body }: LoggedRequestWithBodies): Html | null =>
  error_code === null
    ? null
    : html`<div class="rule">
        <b><code>${error_code}</code></b>
        <span lang="en">${visible(messageOf(response_body))}</span>
        <p>
          <a href="${to(`/docs/errors/${error_code}`)}" hx-boost="false"
            >${t("What this error means", "Qué significa este error")}</a
          >
        </p>
      </div>`

const keyPart = (visit: Visit, request: LoggedRequest): Html | null => {
  const { t, to } = visit
  const { idempotency } = request
  if (idempotency === null) return null
  return section(
    "idempotency",
    t("Idempotency", "Idempotencia"),
    html`<p>
        ${verdictWords(t, idempotency)}
        ${idempotency.of === null ? null : idLink(visit, idempotency.of, t("See the first", "Ver la primera"))}
      </p>
      ${facts([
        [
          t("Key", "Clave"),
          html`<a href="${to("/portal/requests", { idempotency_key: idempotency.key })}"
            ><code>${idempotency.key}</code></a
          >`
        ]
      ])}`
  )
}

/** Whether something of a request was masked. */
const isMasked = ({ path, query, request_body, response_body }: LoggedRequestWithBodies) =>
  [path, query, request_body, response_body].some((text) => text !== null && /\[(?:masked|unknown)\]/.test(text))

const maskedPart = ({ t, to }: Visit, level: Account["request_log"]): Html =>
  html`<p class="soft">
    ${
      level === "full"
        ? t(
            "[masked] stands for what was hidden when the request was logged.",
            "[masked] está en lugar de lo que se ocultó al registrar la solicitud."
          )
        : t(
            "[masked] stands for personal data, which the log does not keep.",
            "[masked] está en lugar de datos personales, que el registro no guarda."
          )
    }
    <a href="${to("/portal/setup")}">${t("Change what is kept", "Cambiar lo que se guarda")}</a>
  </p>`

/** A request of the log, with all that is known of it. */
const shown = Effect.fnUntraced(function* (visit: Visit) {
  const { get, id, t } = visit
  const request = yield* get<LoggedRequestWithBodies>(`/v1/requests/${id}`)
  const { created, events, ip, method, objects, query, request_bytes, response_bytes, status, version } = request
  const masked = isMasked(request) ? maskedPart(visit, (yield* get<Account>("/v1/account")).request_log) : null
  const [sent, answered] = [
    { body: request.request_body, bytes: request_bytes },
    { body: request.response_body, bytes: response_bytes }
  ]
  const known = facts([
    [t("Arrived", "Llegó"), clock(created)],
    [t("By", "Por"), who(t, request)],
    [t("From", "Desde"), inCode(ip)],
    [t("Query", "Consulta"), inCode(query && visible(query))],
    [t("Version", "Versión"), version],
    [t("Objects", "Objetos"), links(visit, objects)],
    [t("Events", "Eventos"), links(visit, events)],
    ["Id", copied(visit, id)]
  ])
  return titled(
    "requests",
    {
      title: `${method} ${request.path}`,
      sub: html`${statusMark(t, status)} ${t("in", "en")} ${tookWords(t, request)} · ${time(visit, created)}`
    },
    twoColumns(
      [
        errorPart(visit, request),
        masked,
        bodyPart(visit, "sent", t("Request body", "Cuerpo de la solicitud"), sent),
        bodyPart(visit, "answered", t("Response body", "Cuerpo de la respuesta"), answered)
      ],
      [keyPart(visit, request), section("facts", t("Request", "Solicitud"), known)]
    )
  )
})

export const layer = page("/portal/requests/:id", shown)
