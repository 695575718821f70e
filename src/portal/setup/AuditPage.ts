import { Effect } from "effect"
import { type AuditAction, auditActions, type AuditEntry } from "../../../schemas/AuditEntry.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { faultOf, inputs, refusedForm } from "../forms/FormFields.ts"
import { shortTime } from "../frame/Formats.ts"
import { asked, filterForm, listTable, momentOf, noneFits } from "../frame/Lists.ts"
import { type Column, emptyState, idLink, section } from "../frame/Parts.ts"
import type { Refusal } from "../frame/Refusal.ts"
import { page } from "../frame/PortalRoutes.ts"
import type { Translate, Visit } from "../frame/Visit.ts"
import { setupPage, setupRoot } from "./SetupPage.ts"

const path = `${setupRoot}/audit-log` as const

/** The fields of the filter, and their API parameters. */
const parameters: Readonly<Record<string, string>> = {
  action: "action",
  actor: "actor",
  object: "object_id",
  from: "created[gte]",
  to: "created[lte]"
}

/** The actions in words. */
const actionWords = (t: Translate): Readonly<Record<AuditAction, string>> => ({
  "account.closed": t("Account closed", "Cuenta cerrada"),
  "account.created": t("Account created", "Cuenta creada"),
  "account.resumed": t("Account resumed", "Cuenta reactivada"),
  "account.suspended": t("Account suspended", "Cuenta suspendida"),
  "account.updated": t("Account changed", "Cuenta modificada"),
  "api_key.created": t("API key created", "Clave de la API creada"),
  "api_key.rolled": t("API key rolled", "Clave de la API renovada"),
  "api_key.revoked": t("API key revoked", "Clave de la API revocada"),
  "certificate.uploaded": t("Certificate uploaded", "Certificado cargado"),
  "customer.created": t("Customer created", "Cliente creado"),
  "customer.deleted": t("Customer deleted", "Cliente eliminado"),
  "customer.saved": t("Customer created or replaced", "Cliente creado o reemplazado"),
  "customer.updated": t("Customer changed", "Cliente modificado"),
  "document.annulled": t("Invoice annulled", "Factura anulada"),
  "document.canceled": t("Document canceled", "Documento cancelado"),
  "document.corrected": t("Document corrected", "Documento corregido"),
  "document.created": t("Document created", "Documento creado"),
  "document.retried": t("Document retried", "Documento reintentado"),
  "email.resent": t("Document emailed", "Documento enviado por correo"),
  "enablement.started": t("Test set started", "Set de pruebas iniciado"),
  "platform.created": t("Platform created", "Plataforma creada"),
  "platform.updated": t("Platform changed", "Plataforma modificada"),
  "portal_session.created": t("Portal link created", "Enlace al portal creado"),
  "portal_session.entered": t("Portal opened", "Portal abierto"),
  "portal_session.ended": t("Portal session ended", "Sesión del portal cerrada"),
  "request.refused": t("Request rejected", "Solicitud rechazada"),
  "resolution.created": t("Numbering range created", "Rango de numeración creado"),
  "resolution.imported": t("Numbering range imported", "Rango de numeración importado"),
  "resolution.resumed": t("Numbering range resumed", "Rango de numeración reanudado"),
  "resolution.updated": t("Numbering range changed", "Rango de numeración modificado"),
  "sandbox.advanced": t("Test clock advanced", "Reloj de pruebas adelantado"),
  "sandbox.set": t("Simulated authority changed", "DIAN simulada actualizada"),
  "software.removed": t("Software removed", "Software eliminado"),
  "software.set": t("Software set", "Software configurado"),
  "webhook_delivery.redelivered": t("Webhook redelivered", "Webhook reenviado"),
  "webhook_endpoint.created": t("Endpoint created", "Destino creado"),
  "webhook_endpoint.deleted": t("Endpoint deleted", "Destino eliminado"),
  "webhook_endpoint.recovered": t("Deliveries recovered", "Entregas recuperadas"),
  "webhook_endpoint.secret_rotated": t("Signing secret rotated", "Secreto de firma rotado"),
  "webhook_endpoint.tested": t("Endpoint tested", "Destino probado"),
  "webhook_endpoint.updated": t("Endpoint changed", "Destino modificado")
})

const filterOf = (query: URLSearchParams): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => {
      const value = query.get(name)?.trim() ?? ""
      return [parameter, name === "from" || name === "to" ? momentOf(value) : value]
    })
  )

const isFiltered = ({ query }: Visit) => Object.keys(parameters).some((name) => (query.get(name) ?? "") !== "")

const filters = (visit: Visit, refusal: Refusal | undefined): Html => {
  const { query, t } = visit
  const input = inputs(
    (name) => query.get(name) ?? "",
    (name) => faultOf(refusal, parameters[name] ?? "")
  )
  const words = actionWords(t)
  const hint = t("Colombian time", "Hora de Colombia")
  return filterForm(
    visit,
    path,
    [
      input("action", t("Action", "Acción"), {
        choices: [["", t("All", "Todas")], ...auditActions.map((action) => [action, words[action]] as const)]
      }),
      input("actor", t("Key or session id", "Id de clave o sesión"), { isCode: true }),
      input("object", t("Object id", "Id del objeto"), { isCode: true }),
      input("from", t("From", "Desde"), { type: "datetime-local", hint }),
      input("to", t("Until", "Hasta"), { type: "datetime-local", hint })
    ],
    isFiltered(visit)
  )
}

const actorCell = ({ t }: Visit, { actor }: AuditEntry): Html => {
  if (actor.type === "platform") return html`${t("Platform", "Plataforma")}`
  if (actor.type === "operator") return html`${t("Service operator", "Operador del servicio")}`
  const kind = actor.type === "api_key" ? t("API key", "Clave de la API") : t("Portal", "Portal")
  return html`${kind} <small><code>${actor.id}</code></small>`
}

const columns = (visit: Visit): ReadonlyArray<Column<AuditEntry>> => {
  const { t } = visit
  const words: Readonly<Record<string, string>> = actionWords(t)
  return [
    { title: t("Time", "Hora"), cell: ({ created_at }) => shortTime(visit, created_at) },
    { title: t("Action", "Acción"), isNamed: true, cell: ({ action }) => words[action] ?? action },
    {
      title: t("Object", "Objeto"),
      cell: ({ object_id }) => (object_id === null ? null : idLink(visit, object_id))
    },
    { title: t("Actor", "Autor"), isNamed: true, cell: (entry) => actorCell(visit, entry) },
    {
      title: t("Request", "Solicitud"),
      isWide: true,
      cell: ({ ip, request_id }) =>
        html`${request_id === null ? null : idLink(visit, request_id, t("request", "solicitud"))}
          <small>${ip ?? ""}</small>`
    }
  ]
}

const auditPage = Effect.fnUntraced(function* (visit: Visit) {
  const { t } = visit
  const { list, refusal } = yield* asked<AuditEntry>(visit, "/v1/audit-log", 25, filterOf(visit.query))
  const title = t("Audit log", "Registro de auditoría")
  const nothing = isFiltered(visit)
    ? noneFits(visit, path, t("No matching entries", "Ninguna entrada coincide"))
    : emptyState(
        t("No changes yet", "Todavía no hay cambios"),
        t("Each change of this account appears here.", "Cada cambio de esta cuenta aparece aquí.")
      )
  const about = t(
    "All changes of this account by API keys, portal sessions and the service operator.",
    "Todos los cambios de esta cuenta por claves de la API, sesiones del portal y el operador del servicio."
  )
  return setupPage(visit, title, about, [
    refusedForm(visit, refusal, (param) => Object.values(parameters).includes(param)),
    filters(visit, refusal),
    section(
      "list",
      t("Newest first", "Más recientes primero"),
      listTable(visit, path, list, { caption: title, columns: columns(visit), nothing })
    )
  ])
})

/** The audit log, newest first. */
export const layer = page(path, auditPage)
