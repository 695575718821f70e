import { Effect, Layer } from "effect"
import { html, type Html } from "../../http/pages/Html.ts"
import { kindWords } from "../frame/DocumentWords.ts"
import * as Form from "../forms/SentForm.ts"
import { faultOf, field, form, refusedForm } from "../forms/Fields.ts"
import { linkButton } from "../frame/Parts.ts"
import { orShownWith, type Refusal } from "../frame/Refusal.ts"
import { change, idOf, page } from "../frame/Routes.ts"
import { CurrentVisit, type Visit } from "../frame/Visit.ts"
import { named, type Named } from "./Shown.ts"

const pathOf = (id: string, step: string) => `/portal/documents/${id}/${step}`

/** A page that asks before something is done that cannot be undone, or that needs one more word. */
const asking = (
  visit: Visit,
  { document, kind }: Named,
  step: { readonly title: string; readonly text: string; readonly form: Html }
) => {
  const { t, to } = visit
  return {
    title: step.title,
    current: "documents" as const,
    content: html`<h1>${step.title}</h1>
      <p class="sub">
        ${kindWords(t, kind)} ${document.full_number} ·
        <a href="${to(`/portal/documents/${document.id}`)}">${t("back to the document", "volver al documento")}</a>
      </p>
      <section aria-label="${step.title}">
        <p>${step.text}</p>
        ${step.form}
      </section>`
  }
}

const cancelPage = Effect.gen(function* () {
  const visit = yield* CurrentVisit
  const found = yield* named
  const { t, to } = visit
  const path = pathOf(found.document.id, "cancel")
  return asking(visit, found, {
    title: t("Cancel the draft", "Cancelar el borrador"),
    text: t(
      "It has no number yet, so nothing is lost. A canceled draft is never issued, and this cannot be undone.",
      "Aún no tiene número, así que nada se pierde. Un borrador cancelado no se emite nunca; esto no se puede deshacer."
    ),
    form: html`<div class="do">
      ${form(visit, { action: path, content: html``, className: "inline", submit: t("Cancel the draft", "Cancelar el borrador"), kind: "danger" })}
      ${linkButton(to(`/portal/documents/${found.document.id}`), t("Keep it", "Conservarlo"))}
    </div>`
  })
})

const annulPage = Effect.fnUntraced(function* (sent: Form.Form, refusal?: Refusal) {
  const visit = yield* CurrentVisit
  const found = yield* named
  const { t } = visit
  return asking(visit, found, {
    title: t("Annul the invoice", "Anular la factura"),
    text: t(
      "A credit note over all of its lines is issued and sent to the authority. The invoice keeps its number. This cannot be undone.",
      "Se emite una nota crédito por todas sus líneas y se envía a la DIAN. La factura conserva su número. Esto no se puede deshacer."
    ),
    form: form(visit, {
      action: pathOf(found.document.id, "annul"),
      submit: t("Annul the invoice", "Anular la factura"),
      kind: "danger",
      content: html`${refusedForm(visit, refusal, (param) => param === "reason")}
      ${field({
        name: "reason",
        label: t("Why, in words for the credit note", "Por qué, como lo dirá la nota crédito"),
        value: sent.text("reason"),
        error: faultOf(refusal, "reason"),
        isRequired: true
      })}`
    })
  })
})

const emailPage = Effect.fnUntraced(function* (sent: Form.Form, refusal?: Refusal) {
  const visit = yield* CurrentVisit
  const found = yield* named
  const { t } = visit
  return asking(visit, found, {
    title: t("E-mail the document", "Enviar el documento por correo"),
    text: t(
      "It goes with its XML and its PDF, as it went the first time. Without an address it goes to the customer’s.",
      "Va con su XML y su PDF, como la primera vez. Sin dirección, va a la del cliente."
    ),
    form: form(visit, {
      action: pathOf(found.document.id, "email"),
      submit: t("Send", "Enviar"),
      kind: "first",
      content: html`${refusedForm(visit, refusal, (param) => param === "to")}
      ${field({
        name: "to",
        label: t("Address", "Dirección"),
        type: "email",
        value: sent.text("to"),
        error: faultOf(refusal, "to")
      })}`
    })
  })
})

const retry = (sent: Form.Form) =>
  Effect.gen(function* () {
    const { send } = yield* CurrentVisit
    const { document, path } = yield* named
    yield* send("POST", `${path}/retry`, undefined, { key: sent.raw("once") })
    return { to: `/portal/documents/${document.id}`, notice: "retried" }
  })

const cancel = (sent: Form.Form) =>
  Effect.gen(function* () {
    const { send } = yield* CurrentVisit
    const { document, path } = yield* named
    yield* send("POST", `${path}/cancel`, undefined, { key: sent.raw("once") })
    return { to: `/portal/documents/${document.id}`, notice: "canceled" }
  })

const annul = (sent: Form.Form) =>
  Effect.gen(function* () {
    const { send } = yield* CurrentVisit
    const { path } = yield* named
    const body = { reason: sent.text("reason") }
    const note = yield* send<{ readonly id: string }>("POST", `${path}/annul`, body, { key: sent.raw("once") })
    return { to: `/portal/documents/${note.id}`, notice: "annulled" }
  }).pipe(orShownWith((refusal) => annulPage(sent, refusal)))

const email = (sent: Form.Form) =>
  Effect.gen(function* () {
    const { send } = yield* CurrentVisit
    const { document, path } = yield* named
    const to = sent.text("to")
    yield* send("POST", `${path}/email`, to === "" ? {} : { to }, { key: sent.raw("once") })
    return { to: `/portal/documents/${document.id}`, notice: "emailed" }
  }).pipe(orShownWith((refusal) => emailPage(sent, refusal)))

const redeliver = (sent: Form.Form) =>
  Effect.gen(function* () {
    const { send } = yield* CurrentVisit
    const { document } = yield* named
    const delivery = yield* idOf("delivery")
    yield* send("POST", `/v1/webhook-deliveries/${delivery}/redeliver`, undefined, { key: sent.raw("once") })
    return { to: `/portal/documents/${document.id}`, notice: "redelivered" }
  })

const item = "/portal/documents/:id"

/** What can be done with a document besides correcting it. */
export const layerActions = Layer.mergeAll(
  page(`${item}/cancel`, cancelPage),
  page(`${item}/annul`, annulPage(Form.empty)),
  page(`${item}/email`, emailPage(Form.empty)),
  change(`${item}/retry`, retry),
  change(`${item}/cancel`, cancel),
  change(`${item}/annul`, annul),
  change(`${item}/email`, email),
  change(`${item}/redeliver/:delivery`, redeliver)
)
