import { Clock, Effect } from "effect"
import { type Html, html } from "../../http/pages/Html.ts"
import { kindWords, statusMark } from "../frame/DocumentWords.ts"
import { action } from "../forms/FormFields.ts"
import { linkButton, notice, polling, twoColumns } from "../frame/Parts.ts"
import { headline } from "../frame/PortalLayout.ts"
import { page } from "../frame/PortalRoutes.ts"
import type { Visit } from "../frame/Visit.ts"
import { aside, lines, preview, summary } from "./Content.ts"
import { type AnyDocument, isMoving, load, type Shown } from "./DocumentView.ts"
import { timeline } from "./TimelinePart.ts"
import { isKnown, why } from "./Why.ts"

/** The status of a document, and the progress of a document without an outcome. */
const stateWords = ({ t }: Visit, { stage, status, waiting }: AnyDocument): Html => {
  const mark = statusMark(t, status)
  if (status !== "draft") return mark
  if (waiting !== undefined) return html`${mark}: ${t("waiting for the authority", "en espera de la DIAN")}`
  const words: Record<typeof stage, string> = {
    queued: t("waiting for its number", "en espera de su número"),
    numbered: t("signing", "en firma"),
    signed: t("transmission to the authority", "en transmisión a la DIAN"),
    submitted: t("validation by the authority", "en validación de la DIAN"),
    done: ""
  }
  return words[stage] === "" ? mark : html`${mark}: ${words[stage]}`
}

/** The actions next to the reason of a document's status. */
const remedies = (visit: Visit, shown: Shown): Html => {
  const { may, t, to } = visit
  const { document } = shown
  const path = `/portal/documents/${document.id}`
  if (!may("documents")) return html``
  if (document.status === "rejected_by_authority" && !isKnown(shown)) {
    return html`<div class="do">${linkButton(to(`${path}/correct`), t("Correct", "Corregir"), "first")}</div>`
  }
  return document.failure?.retryable === true
    ? html`<div class="do">
        ${action(visit, { action: `${path}/retry`, submit: t("Retry", "Reintentar"), kind: "first" })}
      </div>`
    : html``
}

/** The other actions on a document in its status. */
const others = ({ may, t, to }: Visit, { document, kind }: Shown): ReadonlyArray<Html> => {
  const { stage, status } = document
  const path = `/portal/documents/${document.id}`
  if (!may("documents")) return []
  const isIssued = status === "accepted_by_authority" || status === "accepted_contingency"
  return [
    ...(isIssued ? [linkButton(to(`${path}/email`), t("Send by email", "Enviar por correo"))] : []),
    ...(status === "accepted_by_authority" && kind === "invoice"
      ? [linkButton(to(`${path}/annul`), t("Annul", "Anular"))]
      : []),
    ...(stage === "queued" && status === "draft" ? [linkButton(to(`${path}/cancel`), t("Cancel", "Cancelar"))] : [])
  ]
}

// Reloads less often after a document has waited for long.
const pollSeconds = (created_at: string, now: number) => (now - Date.parse(created_at) < 120_000 ? 2 : 15)

const notices = ({ t }: Visit) => ({
  retried: t("Retry started.", "Reintento iniciado."),
  corrected: t(
    "Document corrected. Folio transmits it to the authority.",
    "Documento corregido. Folio lo transmite a la DIAN."
  ),
  canceled: t("Draft canceled.", "Borrador cancelado."),
  annulled: t("This credit note annuls the invoice.", "Esta nota crédito anula la factura."),
  emailed: t("Folio is sending the email.", "Folio está enviando el correo."),
  redelivered: t("Redelivery started.", "Reenvío iniciado.")
})

const document = Effect.fnUntraced(function* (visit: Visit) {
  const { t, to } = visit
  const shown = yield* load(visit)
  const { document: of, kind } = shown
  const path = `/portal/documents/${of.id}`
  const title = `${kindWords(t, kind)} ${of.full_number}`.trim()
  const moves = isMoving(of)
  // The moving part of the page reloads itself until the document is final.
  const polled = moves ? polling(visit, "document", pollSeconds(of.created_at, yield* Clock.currentTimeMillis)) : null
  const refresh = moves ? linkButton(to(path), t("Refresh", "Actualizar")) : null
  return {
    title: title === kindWords(t, kind) ? `${title}, ${t("no number yet", "aún sin número")}` : title,
    current: "documents" as const,
    content: html`${notice(visit, notices(visit))}
      <div id="document" ${polled}>
        ${headline({
          title,
          sub: html`${stateWords(visit, of)} · ${summary(visit, shown)}`,
          actions: [others(visit, shown), refresh]
        })}
        ${twoColumns(
          [why(visit, shown, remedies(visit, shown)), timeline(visit, shown), lines(visit, shown)],
          aside(visit, shown)
        )}
        ${preview(visit, shown)}
      </div>`
  }
})

export const layer = page("/portal/documents/:id", document)
