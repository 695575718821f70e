import { Effect, Layer } from "effect"
import type { PortalSession } from "../../../../schemas/PortalSession.ts"
import { type Html, html } from "../../../http/pages/Html.ts"
import { shortTime } from "../../frame/Formats.ts"
import { form } from "../../forms/Fields.ts"
import { capabilityWords } from "../../frame/Layout.ts"
import { cursors, type Listed, notice, pager, placeOf, section, state, table } from "../../frame/Parts.ts"
import { change, page } from "../../frame/Routes.ts"
import type { Visit } from "../../frame/Visit.ts"
import { setupPage, setupRoot } from "../SetupPage.ts"

const path = `${setupRoot}/sessions` as const

const sessionState = ({ t }: Visit, { status }: PortalSession): Html => {
  const states: Record<PortalSession["status"], Html> = {
    waiting: state("wait", t("Link not used yet", "Enlace sin usar")),
    active: state("ok", t("Open", "Abierta")),
    expired: state("still", t("Over", "Terminada")),
    ended: state("still", t("Ended", "Cerrada"))
  }
  return states[status]
}

const isOwn = ({ session }: Visit, { id }: PortalSession) => session.id === id

const ending = (visit: Visit, session: PortalSession): Html | null => {
  const { may, t } = visit
  if (!may("keys") || (session.status !== "active" && session.status !== "waiting")) return null
  return html`<details>
    <summary>${t("End…", "Cerrar…")}</summary>
    ${isOwn(visit, session) ? html`<p>${t("This is your own session.", "Esta es su propia sesión.")}</p>` : null}
    ${form(visit, {
      action: `${path}/${session.id}/end`,
      submit: t("End it now", "Cerrar ahora"),
      kind: "danger",
      content: html``
    })}
  </details>`
}

const sessionsPage = Effect.fnUntraced(function* (visit: Visit) {
  const { get, t } = visit
  const found = yield* get<Listed<PortalSession>>("/v1/portal-sessions", { ...cursors(visit), limit: "50" })
  const words = capabilityWords(t)
  return setupPage(
    visit,
    t("Portal sessions", "Sesiones del portal"),
    t(
      "Browsers that were let in by a link. A session ends with the key that made its link.",
      "Navegadores que entraron con un enlace. Una sesión termina con la clave que creó su enlace."
    ),
    html`${notice(visit, { ended: t("The session was ended.", "La sesión se cerró.") })}
    ${section(
      "list",
      t("Sessions", "Sesiones"),
      html`${table<PortalSession>(
        t("Sessions of the portal", "Sesiones del portal"),
        [
          {
            title: t("Opened", "Abierta"),
            cell: (session) =>
              html`${shortTime(visit, session.used_at ?? session.created_at)}${
                isOwn(visit, session) ? html`<br /><small>${t("your own", "la suya")}</small>` : null
              }`
          },
          { title: t("Until", "Hasta"), cell: ({ ended_at, expires_at }) => shortTime(visit, ended_at ?? expires_at) },
          {
            title: t("May", "Puede"),
            cell: ({ capabilities }) => capabilities.map((one) => words[one]).join(", "),
            isWide: true
          },
          { title: t("State", "Estado"), cell: (session) => sessionState(visit, session) },
          { title: t("End", "Cerrar"), cell: (session) => ending(visit, session) }
        ],
        found.data
      )}
      ${pager(visit, path, placeOf(visit, found))}`
    )}`
  )
})

/** The pages of the portal's sessions. */
export const layer = Layer.mergeAll(
  page(path, sessionsPage),
  change(`${path}/:id/end`, ({ id, send }) =>
    Effect.gen(function* () {
      yield* send("DELETE", `/v1/portal-sessions/${id}`)
      return { to: path, notice: "ended" }
    })
  )
)
