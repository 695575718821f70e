import { Effect } from "effect"
import type { Account } from "../../../schemas/Account.ts"
import type { LoggedRequest, LoggedRequestWithBodies } from "../../../schemas/Request.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { clock, size, time, visible } from "../frame/Formats.ts"
import { titled } from "../frame/PortalLayout.ts"
import { copied, facts, idLink, inCode, section, twoColumns } from "../frame/Parts.ts"
import { page } from "../frame/PortalRoutes.ts"
import type { Visit } from "../frame/Visit.ts"
import { indented } from "./JsonText.ts"
import { logLevel, statusMark, tookWords, verdictWords, who } from "./RequestWords.ts"

/** The most bytes of a body that the log stores. */
const keptBytesMax = 16 * 1024

const bodyPart = (
  { t }: Visit,
  name: string,
  title: string,
  { body, bytes }: { readonly body: string | null; readonly bytes: number }
): Html => {
  // The log truncates at a character boundary, so a truncated body may be a few bytes shorter.
  const isCut = body !== null && Buffer.byteLength(body) > keptBytesMax - 4
  const none =
    bytes === 0
      ? t("No body.", "Sin cuerpo.")
      : t(
          "Not stored: the body is not JSON, or the log skipped it.",
          "Sin guardar: el cuerpo no es JSON, o el registro lo omitió."
        )
  const kept = isCut ? t(", first 16 KiB stored", ", se guardan los primeros 16 KiB") : ""
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
            >${t("About this error", "Sobre este error")}</a
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
        ${idempotency.of === null ? null : idLink(visit, idempotency.of, t("View first request", "Ver primera solicitud"))}
      </p>
      ${facts([
        [
          t("Idempotency key", "Clave de idempotencia"),
          html`<a href="${to("/portal/requests", { idempotency_key: idempotency.key })}"
            ><code>${idempotency.key}</code></a
          >`
        ]
      ])}`
  )
}

/** Whether the log masked a part of a request. */
const isMasked = ({ path, query, request_body, response_body }: LoggedRequestWithBodies) =>
  [path, query, request_body, response_body].some((text) => text !== null && /\[(?:masked|unknown)\]/.test(text))

const maskedPart = ({ isPlatform, t, to }: Visit, level: Account["request_log"]): Html =>
  html`<p class="soft">
    ${
      level === "full"
        ? t("[masked] replaces data that Folio did not log.", "[masked] reemplaza los datos que Folio no registró.")
        : t(
            "[masked] replaces secrets and personal data that Folio did not log.",
            "[masked] reemplaza los secretos y datos personales que Folio no registró."
          )
    }
    ${isPlatform ? null : html`<a href="${to("/portal/setup")}">${t("Log settings", "Configuración del registro")}</a>`}
  </p>`

/** The page of a logged request. */
const shown = Effect.fnUntraced(function* (visit: Visit) {
  const { get, id, t } = visit
  const request = yield* get<LoggedRequestWithBodies>(`/v1/requests/${id}`)
  const { created, events, ip, method, objects, query, request_bytes, response_bytes, status, version } = request
  const masked = isMasked(request) ? maskedPart(visit, yield* logLevel(visit)) : null
  const [sent, answered] = [
    { body: request.request_body, bytes: request_bytes },
    { body: request.response_body, bytes: response_bytes }
  ]
  const known = facts([
    [t("Received", "Recibida"), clock(created)],
    [t("Client", "Cliente API"), who(t, request)],
    [t("IP address", "Dirección IP"), inCode(ip)],
    [t("Query", "Consulta"), inCode(query && visible(query))],
    [t("API version", "Versión de la API"), version],
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
