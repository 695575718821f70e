import type { Enablement, EnablementDocument } from "../../../../schemas/Enablement.ts"
import { type Html, html } from "../../../http/pages/Html.ts"
import { hintWords, kindWords } from "../../frame/DocumentWords.ts"
import { testSetFailureInSpanish, testSetTroubleInSpanish } from "../../documents/TroubleWords.ts"
import { clock, figure, time } from "../../frame/Formats.ts"
import { inCode, polling, returnLink, section, state, table, type Tone, wideFacts } from "../../frame/Parts.ts"
import type { Translate, Visit } from "../../frame/Visit.ts"

const shownDocuments = 60

const verdict = (t: Translate, { status }: EnablementDocument): Html => {
  const states: Record<EnablementDocument["status"], readonly [Tone, string]> = {
    waiting: ["still", t("Not transmitted", "Sin transmitir")],
    sent: ["wait", t("Waiting for outcome", "En espera")],
    accepted: ["ok", t("Accepted", "Aceptada")],
    rejected: ["bad", t("Rejected", "Rechazada")],
    number_used: ["wait", t("Number used", "Número usado")],
    refused: ["bad", t("Sender rejected", "Emisor rechazado")],
    unanswered: ["wait", t("No response", "Sin respuesta")]
  }
  return state(...states[status])
}

const rules = (visit: Visit, { authority_errors, message, status }: EnablementDocument): Html => {
  const broken = authority_errors.map(
    ({ hint, message: text, rule }) =>
      html`<small
          ><b>${rule}</b>
          <span lang="es">${text}</span>${hint === null ? null : html` ${hintWords(visit, hint)}`}</small
        ><br />`
  )
  return html`${broken}${
    broken.length === 0 && message !== null && status !== "accepted" ? html`<small lang="es">${message}</small>` : null
  }`
}

/** The progress of one document kind, as a figure and a bar. */
const count = (t: Translate, { accepted, wanted }: Enablement["invoices"]): Html => {
  const words = t(
    `${figure(t, accepted)} of ${figure(t, wanted)} accepted`,
    `${figure(t, accepted)} de ${figure(t, wanted)} aceptadas`
  )
  return html`${words}<br /><progress
      aria-label="${words}"
      max="${Math.max(wanted, 1)}"
      value="${wanted === 0 ? 1 : Math.min(accepted, wanted)}"
    ></progress>`
}

const stateOf = (t: Translate, { status, waiting }: Enablement): Html => {
  if (status === "passed") return state("ok", t("Passed", "Superado"))
  if (status === "failed") return state("bad", t("Failed", "Fallido"))
  return waiting === null
    ? state("wait", t("In progress", "En curso"))
    : state("wait", t("Waiting for authority", "En espera"))
}

const reason = ({ language, t }: Visit, { failure, waiting }: Enablement): Html | null => {
  if (failure !== null) {
    const spanish = language === "es" ? testSetFailureInSpanish(failure) : undefined
    return html`<div class="rule">
      <b>${t("Reason", "Motivo")}</b>
      ${spanish === undefined ? html`<span lang="en">${failure.message}</span>` : html`<span>${spanish}</span>`}
    </div>`
  }
  if (waiting === null) return null
  const spanish = language === "es" ? testSetTroubleInSpanish(waiting.code) : undefined
  return html`<div class="rule mild">
    ${spanish === undefined ? html`<span lang="en">${waiting.message}</span>` : html`<span>${spanish}</span>`}
  </div>`
}

const next = (visit: Visit, { status }: Enablement): Html | null => {
  const { t, to } = visit
  return status === "passed"
    ? html`<p>
          ${t(
            "In the authority’s portal, check that the test set is accepted and request the numbering ranges. Then ",
            "En el portal de la DIAN, revise que el set de pruebas esté aceptado y solicite los rangos de numeración. Después, "
          )}<a href="${to("/portal/setup/ranges")}">${t("import them here", "impórtelos aquí")}</a>.
        </p>
        ${returnLink(visit)}`
    : null
}

/** The progress of a test set. The part reloads itself while the test set runs. */
export const progress = (visit: Visit, path: string, enablement: Enablement): Html => {
  const { t, to } = visit
  const { credit_notes, debit_notes, documents, finished_at, invoices, started_at, status, test_set_id } = enablement
  const newest = documents.slice(-shownDocuments).toReversed()
  const content = html`${section(
    "far",
    t("Progress", "Avance"),
    html`${reason(visit, enablement)}
    ${wideFacts([
      [t("Status", "Estado"), stateOf(t, enablement)],
      [t("Invoices", "Facturas"), count(t, invoices)],
      [t("Credit notes", "Notas crédito"), count(t, credit_notes)],
      [t("Debit notes", "Notas débito"), count(t, debit_notes)],
      [t("Started", "Inicio"), time(visit, started_at)],
      [t("Ended", "Fin"), finished_at === null ? null : time(visit, finished_at)],
      [t("Test set", "Set de pruebas"), inCode(test_set_id)]
    ])}
    ${next(visit, enablement)}`
  )}
  ${
    newest.length === 0
      ? null
      : section(
          "documents",
          documents.length > newest.length
            ? t(
                `Newest ${newest.length} of ${figure(t, documents.length)} documents`,
                `${newest.length} documentos más recientes de ${figure(t, documents.length)}`
              )
            : t("Documents", "Documentos"),
          table<EnablementDocument>(
            t("Test set documents", "Documentos del set"),
            [
              {
                title: t("Number", "Número"),
                cell: (one) => html`${one.full_number}<br /><small>${kindWords(t, one.kind)}</small>`
              },
              { title: t("Outcome", "Resultado"), cell: (one) => html`${verdict(t, one)}<br />${rules(visit, one)}` },
              {
                title: t("Time", "Hora"),
                cell: ({ created_at, judged_at, sent_at }) => clock(judged_at ?? sent_at ?? created_at),
                isFigure: true,
                isWide: true
              }
            ],
            newest
          )
        )
  }`
  return status === "running"
    ? html`<div id="progress" ${polling(visit, "progress", 3)}>
        ${content}
        <p class="soft">
          ${t("Folio continues automatically.", "Folio continúa automáticamente.")}
          <a href="${to(path)}">${t("Refresh", "Actualizar")}</a>
        </p>
      </div>`
    : html`<div id="progress">${content}</div>`
}
