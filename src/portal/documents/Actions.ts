import { Effect, Layer } from "effect"
import { html, type Part } from "../../http/pages/Html.ts"
import { bodyOf } from "../forms/FormBody.ts"
import * as Form from "../forms/SentForm.ts"
import { action, faultOf, field, form, refusedForm } from "../forms/FormFields.ts"
import { kindWords } from "../frame/DocumentWords.ts"
import { titled } from "../frame/PortalLayout.ts"
import { linkButton } from "../frame/Parts.ts"
import { orShown, type Refusal } from "../frame/Refusal.ts"
import { change, page } from "../frame/PortalRoutes.ts"
import type { Visit } from "../frame/Visit.ts"
import { named } from "./DocumentView.ts"

/** A page that confirms an irreversible action, or that needs one more input. */
const asking = (visit: Visit, title: string, text: string, formAt: (path: string) => Part) =>
  Effect.map(named(visit), ({ document, kind }) => {
    const { t, to } = visit
    const path = `/portal/documents/${document.id}`
    return titled(
      "documents",
      {
        title,
        sub: html`${kindWords(t, kind)} ${document.full_number} · <a href="${to(path)}">${t("Back", "Volver")}</a>`
      },
      html`<section aria-label="${title}">
        <p>${text}</p>
        ${formAt(path)}
      </section>`
    )
  })

const cancelPage = (visit: Visit) => {
  const { t, to } = visit
  const title = t("Cancel draft", "Cancelar borrador")
  const text = t(
    "The draft has no number yet, so no number is lost. Folio never issues a canceled draft. You can’t undo this.",
    "El borrador todavía no tiene número. Por eso no se pierde ninguno. Folio nunca emite un borrador cancelado. No se puede deshacer."
  )
  return asking(
    visit,
    title,
    text,
    (path) =>
      html`<div class="do">
        ${action(visit, { action: `${path}/cancel`, submit: title, kind: "danger" })}
        ${linkButton(to(path), t("Back", "Volver"))}
      </div>`
  )
}

const annulPage = (visit: Visit, sent: Form.Form, refusal?: Refusal) => {
  const { t } = visit
  const title = t("Annul invoice", "Anular factura")
  const text = t(
    "Folio issues a credit note for all lines and transmits it to the authority. The invoice keeps its number. You can’t undo this.",
    "Folio emite una nota crédito por todas las líneas y la transmite a la DIAN. La factura conserva su número. No se puede deshacer."
  )
  const reason = field("reason", t("Reason (on the credit note)", "Motivo (en la nota crédito)"), {
    value: sent.text("reason"),
    error: faultOf(refusal, "reason"),
    isRequired: true
  })
  const content = [refusedForm(visit, refusal, (param) => param === "reason"), reason]
  return asking(visit, title, text, (path) =>
    form(visit, { action: `${path}/annul`, submit: title, kind: "danger", content })
  )
}

const emailPage = (visit: Visit, sent: Form.Form, refusal?: Refusal) => {
  const { t } = visit
  const text = t(
    "Folio sends the XML and the PDF, as in the first email. If you leave the address empty, Folio uses the customer’s email address.",
    "Folio envía el XML y el PDF, como en el primer correo. Si deja el correo vacío, Folio usa el correo del cliente."
  )
  const address = field("to", t("Email", "Correo"), {
    type: "email",
    value: sent.text("to"),
    error: faultOf(refusal, "to")
  })
  const content = [refusedForm(visit, refusal, (param) => param === "to"), address]
  return asking(visit, t("Send by email", "Enviar por correo"), text, (path) =>
    form(visit, { action: `${path}/email`, submit: t("Send", "Enviar"), kind: "first", content })
  )
}

const documentAt = (id: string, notice: string) => ({ to: `/portal/documents/${id}`, notice })

/** Runs a command that needs no further input. */
const commanding = (command: "retry" | "cancel", notice: string) => (visit: Visit, sent: Form.Form) =>
  Effect.flatMap(named(visit), ({ document, path }) =>
    Effect.as(visit.send("POST", `${path}/${command}`, undefined, sent), documentAt(document.id, notice))
  )

const annul = (visit: Visit, sent: Form.Form) =>
  named(visit).pipe(
    Effect.flatMap(({ path }) =>
      visit.send<{ readonly id: string }>("POST", `${path}/annul`, { reason: sent.text("reason") }, sent)
    ),
    Effect.map(({ id }) => documentAt(id, "annulled")),
    orShown((refusal) => annulPage(visit, sent, refusal))
  )

const email = (visit: Visit, sent: Form.Form) =>
  named(visit).pipe(
    Effect.flatMap(({ document, path }) =>
      Effect.as(
        visit.send("POST", `${path}/email`, bodyOf(sent, { to: { empty: "omit" } }), sent),
        documentAt(document.id, "emailed")
      )
    ),
    orShown((refusal) => emailPage(visit, sent, refusal))
  )

const redeliver = (visit: Visit, sent: Form.Form) =>
  Effect.flatMap(named(visit), ({ document }) =>
    Effect.as(
      visit.send("POST", `/v1/webhook-deliveries/${visit.ids["delivery"]}/redeliver`, undefined, sent),
      documentAt(document.id, "redelivered")
    )
  )

const item = "/portal/documents/:id"

/** The actions on a document, except the correction. */
export const layer = Layer.mergeAll(
  page(`${item}/cancel`, cancelPage),
  page(`${item}/annul`, (visit) => annulPage(visit, Form.empty)),
  page(`${item}/email`, (visit) => emailPage(visit, Form.empty)),
  change(`${item}/retry`, commanding("retry", "retried")),
  change(`${item}/cancel`, commanding("cancel", "canceled")),
  change(`${item}/annul`, annul),
  change(`${item}/email`, email),
  change(`${item}/redeliver/:delivery`, redeliver)
)
