import * as Fs from "node:fs"
import { fileURLToPath } from "node:url"
import type { KeyCapability } from "../../../schemas/ApiKey.ts"
import { asset, icon } from "../../http/pages/Assets.ts"
import { type Html, html, type Part } from "../../http/pages/Html.ts"
import { time } from "./Formats.ts"
import { csrfField } from "../forms/FormFields.ts"
import { returnLink } from "./Parts.ts"
import type { Translate, Visit } from "./Visit.ts"

const read = (file: string) => Fs.readFileSync(file, "utf8")

/** A data URL, because browsers resolve a relative icon address again when a link changes the address of the page. */
const iconAddress = `data:${icon.contentType},${encodeURIComponent(icon.text)}`
export const style = asset(
  "portal/style.css",
  read(fileURLToPath(new URL("./style.css", import.meta.url))),
  "text/css; charset=utf-8"
)
/**
 * Makes pages faster if JavaScript is on: links and forms replace the page without a reload, and moving parts reload.
 */
export const htmx = asset(
  "portal/htmx.js",
  read(fileURLToPath(import.meta.resolve("htmx.org/dist/htmx.min.js"))),
  "text/javascript; charset=utf-8"
)

/** Copies ids, keys and codes. Shows its buttons only if the browser can copy. */
export const copyScript = asset(
  "portal/copy.js",
  read(fileURLToPath(new URL("./copy.js", import.meta.url))),
  "text/javascript; charset=utf-8"
)

/** The pages in the navigation. */
export type Section = "home" | "documents" | "customers" | "events" | "endpoints" | "requests" | "setup" | "bench"

/** The content of a page, without navigation and footer. */
export interface Page {
  readonly title: string
  readonly current: Section | null
  readonly content: Html
  /** The HTTP status code. Default: 200. */
  readonly status?: number
}

/** The start of a page. */
interface Headline {
  readonly title: string
  /** The text of the headline. Default: the title. */
  readonly heading?: string
  /** The line below the headline. */
  readonly sub?: Part
  /** Buttons next to the headline. */
  readonly actions?: Part
  /** Content above the headline. */
  readonly above?: Part
}

/** The headline of a page. */
export const headline = ({ above = null, actions = null, heading, sub = null, title }: Headline): Html =>
  html`${above}
    <div class="head">
      <div>
        <h1>${heading ?? title}</h1>
        ${sub === null ? null : html`<p class="sub">${sub}</p>`}
      </div>
      ${actions === null ? null : html`<div class="do">${actions}</div>`}
    </div>`

/** A page with its headline. */
export const titled = (current: Section | null, head: Headline, ...content: ReadonlyArray<Part>): Page => ({
  title: head.title,
  current,
  content: html`${headline(head)} ${content}`
})

const sections = (t: Translate): ReadonlyArray<readonly [Section, string, string]> => [
  ["home", "/portal", t("Home", "Inicio")],
  ["documents", "/portal/documents", t("Documents", "Documentos")],
  ["customers", "/portal/customers", t("Customers", "Clientes")],
  ["events", "/portal/events", t("Events", "Eventos")],
  ["endpoints", "/portal/endpoints", t("Endpoints", "Destinos")],
  ["requests", "/portal/requests", t("Requests", "Solicitudes")],
  ["setup", "/portal/setup", t("Setup", "Ajustes")],
  ["bench", "/portal/bench", t("Sandbox tools", "Herramientas de pruebas")]
]

/** The pages of a platform's own session. */
const ofPlatform = (t: Translate): ReadonlyArray<readonly [path: string, name: string]> => [
  ["/portal", t("Accounts", "Cuentas")],
  ["/portal/setup/keys", t("API keys", "Claves de la API")],
  ["/portal/setup/sessions", t("Portal sessions", "Sesiones del portal")],
  ["/portal/requests", t("Requests", "Solicitudes")],
  ["/portal/setup/audit-log", t("Audit log", "Registro de auditoría")]
]

const htmxConfig = JSON.stringify({
  allowEval: false,
  allowScriptTags: false,
  historyCacheSize: 0,
  includeIndicatorStyles: false,
  refreshOnHistoryMiss: true,
  responseHandling: [
    { code: "204", swap: false },
    { code: "...", swap: true }
  ]
})

const navigation = (visit: Visit, current: Section | null): ReadonlyArray<Html> => {
  const { isPlatform, path: shown, session, t, to } = visit
  const links: ReadonlyArray<readonly [path: string, name: string, isCurrent: boolean]> = isPlatform
    ? ofPlatform(t).map(([path, name]) => [
        path,
        name,
        path === "/portal" ? current === "home" : shown.startsWith(path)
      ])
    : sections(t)
        .filter(([section]) => section !== "bench" || !session.principal.livemode)
        .map(([section, path, name]) => [path, name, section === current])
  return links.map(([path, name, isCurrent]) =>
    isCurrent ? html`<a href="${to(path)}" aria-current="page">${name}</a>` : html`<a href="${to(path)}">${name}</a>`
  )
}

/** The button back to the platform's session from which this session was opened. */
const backButton = (visit: Visit): Html | null => {
  const { session, t, to } = visit
  if (session.opened_from === null) return null
  return html`<form method="post" action="${to("/portal/back")}" hx-boost="false">
    ${csrfField(visit)}<button>${t("Back to accounts", "Volver a las cuentas")}</button>
  </form>`
}

/** The names of the capabilities. */
export const capabilityWords = (t: Translate): Readonly<Record<KeyCapability, string>> => ({
  view: t("view", "ver"),
  deliver: t("redeliver", "reenviar"),
  endpoints: t("endpoints", "destinos"),
  documents: t("documents", "documentos"),
  keys: t("keys", "claves"),
  setup: t("setup", "ajustes"),
  create: t("create", "crear"),
  read: t("read", "leer")
})

const mayDo = ({ session, t }: Visit): string =>
  session.capabilities.map((capability) => capabilityWords(t)[capability]).join(", ")

const foot = (visit: Visit): Html => {
  const { session, t, to } = visit
  return html`<footer>
    <span>${t("Session until", "Sesión hasta")} ${time(visit, session.expires_at)} · ${mayDo(visit)}</span>
    <a href="${to("/docs")}" hx-boost="false">${t("Documentation", "Documentación")}</a>
    <form method="post" action="${to("/portal/leave")}" hx-boost="false">
      ${csrfField(visit)}<button class="plain">${t("Log out", "Cerrar sesión")}</button>
    </form>
  </footer>`
}

/** A page that needs no session: without navigation and footer. */
export const alone = (language: string, root: string, title: string, content: Html): string =>
  html`<!doctype html>
    <html lang="${language}">
      <head>
        ${head(title, root)}
      </head>
      <body>
        <main id="main" class="alone">${content}</main>
      </body>
    </html> `.markup

const head = (title: string, root: string): Html =>
  html`<meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title} · Folio</title>
    <link rel="icon" href="${iconAddress}" />
    <link rel="stylesheet" href="${root}${style.address}" />`

/** The complete HTML of a page. */
export const whole = (visit: Visit, { content, current, title }: Page): string => {
  const { language, session, t, to } = visit
  const root = to("/")
  const mode = session.principal.livemode
    ? html`<p class="mode live">
        ${t("Live mode. Folio transmits documents to the tax authority.", "Producción. Folio transmite los documentos a la DIAN.")}
      </p>`
    : html`<p class="mode">
        ${t("Test mode. Folio transmits nothing to the tax authority.", "Modo de pruebas. Folio no transmite nada a la DIAN.")}
      </p>`
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        ${head(title, root)}
        <meta name="htmx-config" content="${htmxConfig}" />
        <script src="${root}${htmx.address}" defer></script>
        <script src="${root}${copyScript.address}" defer></script>
      </head>
      <body hx-boost="true">
        <a class="skip" href="#main">${t("Skip to content", "Ir al contenido")}</a>
        <header>
          ${mode}<b title="${session.account_name}">${session.account_name}</b>
          <nav aria-label="${t("Pages", "Páginas")}">${navigation(visit, current)}</nav>
          ${returnLink(visit)} ${backButton(visit)}
        </header>
        <main id="main" tabindex="-1">${content}</main>
        ${foot(visit)}
      </body>
    </html> `.markup
}
