import { Effect, Layer } from "effect"
import { html, type Part } from "../../http/pages/Html.ts"
import { bodyOf } from "../forms/FormBody.ts"
import * as Form from "../forms/SentForm.ts"
import { action, faultOf, field, form, refusedForm } from "../forms/Fields.ts"
import { kindWords } from "../frame/DocumentWords.ts"
import { titled } from "../frame/Layout.ts"
import { linkButton } from "../frame/Parts.ts"
import { orShown, type Refusal } from "../frame/Refusal.ts"
import { change, page } from "../frame/Routes.ts"
import type { Visit } from "../frame/Visit.ts"
import { named } from "./Shown.ts"

/** A page that asks before something is done that cannot be undone, or that needs one more word. */
const asking = (visit: Visit, title: string, text: string, formAt: (path: string) => Part) =>
  Effect.map(named(visit), ({ document, kind }) => {
    const { t, to } = visit
    const path = `/portal/documents/${document.id}`
    return titled(
      "documents",
      {
        title,
        sub: html`${kindWords(t, kind)} ${document.full_number} ·
          <a href="${to(path)}">${t("back to the document", "volver al documento")}</a>`
      },
      html`<section aria-label="${title}">
        <p>${text}</p>
        ${formAt(path)}
      </section>`
    )
  })

const cancelPage = (visit: Visit) => {
  const { t, to } = visit
  const title = t("Cancel the draft", "Cancelar el borrador")
  const text = t(
    "It has no number yet, so nothing is lost. A canceled draft is never issued, and this cannot be undone.",
    "Aún no tiene número, así que nada se pierde. Un borrador cancelado no se emite nunca; esto no se puede deshacer."
  )
  return asking(
    visit,
    title,
    text,
    (path) =>
      html`<div class="do">
        ${action(visit, { action: `${path}/cancel`, submit: title, kind: "danger" })}
        ${linkButton(to(path), t("Keep it", "Conservarlo"))}
      </div>`
  )
}

const annulPage = (visit: Visit, sent: Form.Form, refusal?: Refusal) => {
  const { t } = visit
  const title = t("Annul the invoice", "Anular la factura")
  const text = t(
    "A credit note over all of its lines is issued and sent to the authority. The invoice keeps its number. This cannot be undone.",
    "Se emite una nota crédito por todas sus líneas y se envía a la DIAN. La factura conserva su número. Esto no se puede deshacer."
  )
  const reason = field("reason", t("Why, in words for the credit note", "Por qué, como lo dirá la nota crédito"), {
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
    "It goes with its XML and its PDF, as it went the first time. Without an address it goes to the customer’s.",
    "Va con su XML y su PDF, como la primera vez. Sin dirección, va a la del cliente."
  )
  const address = field("to", t("Address", "Dirección"), {
    type: "email",
    value: sent.text("to"),
    error: faultOf(refusal, "to")
  })
  const content = [refusedForm(visit, refusal, (param) => param === "to"), address]
  return asking(visit, t("E-mail the document", "Enviar el documento por correo"), text, (path) =>
    form(visit, { action: `${path}/email`, submit: t("Send", "Enviar"), kind: "first", content })
  )
}

const documentAt = (id: string, notice: string) => ({ to: `/portal/documents/${id}`, notice })

/** Sends the command of a form that asks for nothing more. */
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

/** What can be done with a document besides correcting it. */
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
