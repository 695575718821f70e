import { Clock, Effect, Layer } from "effect"
import type { Account } from "../../../schemas/Account.ts"
import type { Resolution } from "../../../schemas/Resolution.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { identificationWords } from "../customers/PartyWords.ts"
import { logWords } from "./issuer/IssuerFacts.ts"
import { figure } from "../frame/Formats.ts"
import { titled } from "../frame/PortalLayout.ts"
import { section, state } from "../frame/Parts.ts"
import { type Listed } from "../frame/Lists.ts"
import { page } from "../frame/PortalRoutes.ts"
import type { Visit } from "../frame/Visit.ts"
import { liveSteps } from "./live/LiveStepsPart.ts"
import { readAccount, setupRoot } from "./SetupPage.ts"
import { untilMoment } from "./SetupTerms.ts"

/** A setup page: its path, its name, and its current value. */
type Row = readonly [page: string, name: string, says: Html | string]

const certificateWords = ({ t }: Visit, { certificate }: Account, now: number): Html | string => {
  if (certificate === null) return state("bad", t("None", "Ninguno"))
  const { tone, words } = untilMoment(t, certificate.not_after, now)
  return state(tone, words)
}

const rangesWords = ({ t }: Visit, { data }: Listed<Resolution>): Html | string => {
  const used = data.filter(({ document_type, status }) => status === "active" && document_type === "invoice")
  if (used.length === 0) return state("bad", t("No active range", "Ningún rango activo"))
  const left = used.reduce((sum, { remaining }) => sum + remaining, 0)
  const tone = used.every(({ warnings }) => warnings.length > 0) ? "wait" : "ok"
  return html`${state(tone, figure(t, left))} ${t("numbers left", "números disponibles")}`
}

const partsOf = (visit: Visit, account: Account, ranges: Listed<Resolution>, now: number): ReadonlyArray<Row> => {
  const { session, t } = visit
  const { identification, legal_name, logo, request_log, software } = account
  const issuer =
    identification === null
      ? state("bad", t("Not set", "Sin definir"))
      : html`${legal_name ?? ""} · ${identificationWords(visit, identification)}`
  const picture = logo === undefined ? t("None", "Ninguno") : `${logo.width} × ${logo.height} ${t("pixels", "píxeles")}`
  const ofSoftware =
    software === null ? t("Service software", "Software del servicio") : t("Own software", "Software propio")
  const live: ReadonlyArray<Row> = [
    ["software", t("Software and PIN", "Software y PIN"), ofSoftware],
    ["enablement", t("Enablement", "Habilitación"), t("The authority’s test set", "El set de pruebas de la DIAN")]
  ]
  return [
    ["issuer", t("Issuer and account", "Emisor y cuenta"), issuer],
    ["logo", t("Logo", "Logo"), picture],
    ["certificate", t("Certificate", "Certificado"), certificateWords(visit, account, now)],
    ...(session.principal.livemode ? live : []),
    ["ranges", t("Numbering ranges", "Rangos de numeración"), rangesWords(visit, ranges)],
    ["keys", t("API keys", "Claves de la API"), t("Create, roll and revoke", "Crear, renovar y revocar")],
    ["sessions", t("Portal sessions", "Sesiones del portal"), t("Open sessions", "Sesiones abiertas")],
    ["audit-log", t("Audit log", "Registro de auditoría"), t("All changes", "Todos los cambios")],
    ["issuer#account", t("Request log", "Registro de solicitudes"), logWords(t)[request_log]]
  ]
}

const overview = Effect.fnUntraced(function* (visit: Visit) {
  const { get, session, t, to } = visit
  const account = yield* readAccount(visit)
  const ranges = yield* get<Listed<Resolution>>("/v1/resolutions", { limit: "100" })
  const now = yield* Clock.currentTimeMillis
  const rows = partsOf(visit, account, ranges, now).map(
    ([where, name, says]) =>
      html`<dt><a href="${to(`${setupRoot}/${where}`)}">${name}</a></dt>
        <dd>${says}</dd>`
  )
  const mode = session.principal.livemode ? t("live mode", "producción") : t("test mode", "modo de pruebas")
  return titled(
    "setup",
    { title: t("Setup", "Ajustes"), sub: `${account.name} · ${mode}` },
    html`<div class="grid">
      <div>${section("parts", t("Settings", "Configuración"), html`<dl>${rows}</dl>`)}</div>
      <div>${liveSteps(visit, account)}</div>
    </div>`
  )
})

/** The overview of the setup. */
export const layer = Layer.mergeAll(page(setupRoot, overview), page(`${setupRoot}/live`, overview))
