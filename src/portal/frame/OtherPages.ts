import { html } from "../../http/pages/Html.ts"
import { parameter } from "../../http/pages/Language.ts"
import type { Linked } from "../../accounts/store/PortalSessions.ts"
import { alone, type Page } from "./PortalLayout.ts"
import type { Refusal } from "./Refusal.ts"
import { languageOfMessage } from "./SpanishRefusals.ts"
import type { Translate, Visit } from "./Visit.ts"

/** The page for an error of the API, or for an address without a page. */
export const refusedPage = ({ t, to }: Visit, { code, message, requestId, status }: Refusal): Page => {
  const titles: Readonly<Record<number, string>> = {
    403: t("Not allowed", "Sin permiso"),
    404: t("Not found", "No encontrado"),
    409: t("Not possible now", "No es posible ahora"),
    429: t("Too many requests", "Demasiadas solicitudes")
  }
  const title =
    titles[status] ??
    (status >= 500 ? t("Service error", "Error del servicio") : t("Request rejected", "Solicitud rechazada"))
  return {
    title,
    current: null,
    status,
    content: html`<h1>${title}</h1>
      <p class="sub" lang="${languageOfMessage(message)}">${message}</p>
      <p>
        <a href="${to(`/docs/errors/${code}`)}" hx-boost="false">${t("About this error", "Sobre este error")}</a>
        · <a href="${to("/portal")}">${t("Home", "Inicio")}</a>
      </p>
      ${requestId === null ? null : html`<p class="soft">${t("Request", "Solicitud")} <code>${requestId}</code></p>`}`
  }
}

/** Why a visitor has no session: none was opened, the link no longer works, or the person logged out. */
export type Why = "shut" | "used" | "expired" | "unknown" | "left"

const wordsOf = (t: Translate, why: Why): readonly [title: string, sentence: string] => {
  const words: Record<Why, readonly [title: string, sentence: string]> = {
    shut: [
      t("The portal opens with a link", "El portal se abre con un enlace"),
      t(
        "There is no password. A link opens the portal once, within a minute. The link sets how long the session lasts.",
        "No hay contraseña. Un enlace abre el portal una vez, dentro de un minuto. El enlace define cuánto dura la sesión."
      )
    ],
    used: [
      t("This link has been used", "Este enlace ya se usó"),
      t(
        "Each link opens the portal once. If you didn’t use this link, ask the sender to end the session.",
        "Cada enlace abre el portal una vez. Si usted no usó este enlace, pida al remitente que cierre la sesión."
      )
    ],
    expired: [
      t("This link has expired", "Este enlace ya venció"),
      t(
        "A link works for 60 seconds after its creation.",
        "Un enlace funciona durante 60 segundos después de su creación."
      )
    ],
    unknown: [
      t("This link does not exist", "Este enlace no existe"),
      t("Part of the address may be missing.", "Es posible que falte una parte de la dirección.")
    ],
    left: [
      t("You are logged out", "Sesión cerrada"),
      t("The session in this browser has ended.", "La sesión de este navegador terminó.")
    ]
  }
  return words[why]
}

const translating =
  (language: "en" | "es"): Translate =>
  (en, es) =>
    language === "es" ? es : en

/** The relative address of the service's root from the page at `url`. */
const rootFrom = (url: string) => "../".repeat((url.split("?")[0] ?? "").split("/").length - 2)

/**
 * Asks before Folio uses a link. `other`: the account of the browser's current session. The form posts to the page's
 * own address.
 */
export const openingPage = (
  language: "en" | "es",
  url: string,
  { account_name, livemode }: Pick<Linked, "account_name" | "livemode">,
  other: string | undefined
): string => {
  const t = translating(language)
  const title = t(`Open the portal of ${account_name}?`, `¿Abrir el portal de ${account_name}?`)
  const mode = livemode ? t("Live mode.", "Producción.") : t("Test mode.", "Modo de pruebas.")
  const left =
    other === undefined
      ? t("The link works once.", "El enlace funciona una vez.")
      : t(
          `This browser has a session of ${other}. If you continue, that session ends in this browser.`,
          `Este navegador tiene una sesión de ${other}. Si continúa, esa sesión se cierra en este navegador.`
        )
  return alone(
    language,
    rootFrom(url),
    title,
    html`<h1>${title}</h1>
      <p class="sub">${mode} ${left}</p>
      <form method="post"><button class="first">${t("Open the portal", "Abrir el portal")}</button></form>`
  )
}

/** The page for a visitor without a session. `url`: the requested address. */
export const shutPage = (language: "en" | "es", url: string, why: Why): string => {
  const t = translating(language)
  const [title, sentence] = wordsOf(t, why)
  return alone(
    language,
    rootFrom(url),
    title,
    html`<h1 id="${why}">${title}</h1>
      <p class="sub">${sentence}</p>
      <h2>${t("New link", "Enlace nuevo")}</h2>
      <pre><code>npx folio portal</code></pre>
      <p>${t("or, with an API key,", "o, con una clave de la API,")} <code>POST /v1/portal-sessions</code>.</p>
      <p>
        <a href="${rootFrom(url)}docs/guides/portal?${parameter}=${language}"
          >${t("Guide: use the portal", "Guía: usar el portal")}</a
        >
      </p>`
  )
}
