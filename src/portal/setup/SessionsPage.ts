import { Effect, Layer } from "effect"
import type { PortalSession } from "../../../schemas/PortalSession.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { warned } from "../forms/FormFields.ts"
import { shortTime } from "../frame/Formats.ts"
import { capabilityWords } from "../frame/PortalLayout.ts"
import { listed, listTable } from "../frame/Lists.ts"
import { type Column, notice, section, state } from "../frame/Parts.ts"
import { change, page } from "../frame/PortalRoutes.ts"
import type { Visit } from "../frame/Visit.ts"
import { setupPage, setupRoot } from "./SetupPage.ts"

const path = `${setupRoot}/sessions` as const

const sessionState = ({ t }: Visit, { status }: PortalSession): Html => {
  const states: Record<PortalSession["status"], Html> = {
    waiting: state("wait", t("Link unused", "Enlace sin usar")),
    active: state("ok", t("Open", "Abierta")),
    expired: state("still", t("Expired", "Vencida")),
    ended: state("still", t("Ended", "Cerrada"))
  }
  return states[status]
}

const isOwn = ({ session }: Visit, { id }: PortalSession) => session.id === id

const ending = (visit: Visit, session: PortalSession): Html | null => {
  const { may, t } = visit
  if (!may("keys") || (session.status !== "active" && session.status !== "waiting")) return null
  const warning = isOwn(visit, session) ? t("This is your session.", "Esta es su sesión.") : null
  return warned(visit, t("End…", "Cerrar…"), warning, {
    action: `${path}/${session.id}/end`,
    submit: t("End now", "Cerrar ahora")
  })
}

const columns = (visit: Visit): ReadonlyArray<Column<PortalSession>> => {
  const { t } = visit
  const words = capabilityWords(t)
  return [
    {
      title: t("Opened", "Abierta"),
      isNamed: true,
      cell: (session) =>
        html`${shortTime(visit, session.used_at ?? session.created_at)}${
          isOwn(visit, session) ? html`<br /><small>${t("your session", "su sesión")}</small>` : null
        }`
    },
    {
      title: t("Until", "Hasta"),
      isNamed: true,
      cell: ({ ended_at, expires_at }) => shortTime(visit, ended_at ?? expires_at)
    },
    {
      title: t("Capabilities", "Permisos"),
      cell: ({ capabilities }) => capabilities.map((one) => words[one]).join(", "),
      isWide: true
    },
    { title: t("Status", "Estado"), cell: (session) => sessionState(visit, session) },
    { title: t("End", "Cerrar"), cell: (session) => ending(visit, session) }
  ]
}

const sessionsPage = Effect.fnUntraced(function* (visit: Visit) {
  const { t } = visit
  const list = yield* listed<PortalSession>(visit, "/v1/portal-sessions", 50)
  const shown = { caption: t("Portal sessions", "Sesiones del portal"), columns: columns(visit) }
  const about = t(
    "Browsers that opened the portal with a link. A session ends when the key that created its link stops working.",
    "Navegadores que abrieron el portal con un enlace. Una sesión termina cuando deja de funcionar la clave que creó su enlace."
  )
  return setupPage(visit, t("Portal sessions", "Sesiones del portal"), about, [
    notice(visit, { ended: t("Session ended.", "Sesión cerrada.") }),
    section("list", t("Sessions", "Sesiones"), listTable(visit, path, list, shown))
  ])
})

/** The pages of portal sessions. */
export const layer = Layer.mergeAll(
  page(path, sessionsPage),
  change(`${path}/:id/end`, ({ id, send }) =>
    Effect.as(send("DELETE", `/v1/portal-sessions/${id}`), { to: path, notice: "ended" })
  )
)
