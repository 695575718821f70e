import { creditConcepts, debitConcepts, paymentMeans, taxes as taxNames } from "../../../../schemas/Code.ts"
import type { Customer } from "../../../../schemas/Customer.ts"
import { isPerUnit, type Line, type Tax, type Totals } from "../../../../schemas/Line.ts"
import { attributes, type Html, html } from "../../../http/pages/Html.ts"
import { figure, money } from "../../frame/Formats.ts"
import type * as Form from "../../forms/SentForm.ts"
import { checkbox, faultOf, field, form as formAt, refusedForm } from "../../forms/Fields.ts"
import { idLink } from "../../frame/Links.ts"
import { linkButton, section } from "../../frame/Parts.ts"
import type { Refusal } from "../../frame/Refusal.ts"
import { languageOfMessage } from "../../frame/SpanishRefusals.ts"
import type { Visit } from "../../frame/Visit.ts"
import { linesShown, newLine, noTax, notesText, type Request, taxValue } from "./Corrected.ts"
import type { Named } from "../Shown.ts"

/** What the form is shown with. */
export interface Filled extends Named {
  readonly request: Request
  readonly sent: Form.Form
  readonly refusal?: Refusal | undefined
  /** The customer of the document as it is now; null if it was deleted or is the invoice's. */
  readonly customer: Customer | null
  /** The customers that were looked for. */
  readonly found: ReadonlyArray<Customer> | null
  /** What the checked request comes to, if it was checked and is right. */
  readonly checked: { readonly totals: Totals; readonly warnings: ReadonlyArray<string> } | null
}

type Value = (name: string, current: string) => string

/** The values of the form: what was typed, or else what the document has. */
const valueIn =
  (sent: Form.Form): Value =>
  (name, current) =>
    sent.names.includes(name) ? sent.raw(name) : current

const languageName = ({ language }: Visit, entry: { readonly name: string; readonly name_en: string }) =>
  language === "es" ? entry.name : entry.name_en

/** The taxes that a line can be given, with their usual rates, and the one that it has. */
const taxChoices = ({ t }: Visit, tax: Tax) => {
  const usual = taxNames
    .filter(({ code }) => !isPerUnit({ code }) && code !== "ZZ")
    .flatMap((entry) =>
      "typical_rates" in entry ? entry.typical_rates.map((rate) => taxValue({ code: entry.code, rate })) : []
    )
  return [...new Set([...usual, taxValue(noTax), taxValue(tax)])].map((value) => {
    const [code = "", rate = "0.00"] = value.split(" ")
    const name = taxNames.find((entry) => entry.code === code)?.name ?? code
    return [
      value,
      code === "ZZ" ? t("No tax", "Sin impuesto") : `${name} ${figure(t, rate.replace(/\.0+$/, ""))}\u00a0%`
    ] as const
  })
}

const taxFields = (
  visit: Visit,
  path: string,
  line: Line,
  value: Value,
  fault: (...params: Array<string>) => string | undefined
) =>
  line.taxes.map((tax, index) => {
    const at = `${path}.taxes[${index}]`
    if (isPerUnit(tax)) return html`<p class="soft">${tax.code}: ${tax.unit_amount ?? ""} × ${tax.units ?? ""}</p>`
    return field({
      name: at,
      label: visit.t("Tax", "Impuesto"),
      choices: taxChoices(visit, tax),
      value: value(at, taxValue(tax)),
      error: fault(at, `${at}.code`, `${at}.rate`, `${at}.base`, `${at}.value`)
    })
  })

const lineFields = (visit: Visit, filled: Filled, value: Value, line: Line, index: number): Html => {
  const { t } = visit
  const { refusal, request, sent } = filled
  const path = `lines[${index}]`
  const fault = (...params: Array<string>) => faultOf(refusal, ...params)
  const isNew = index === request.lines.length
  return html`<fieldset>
    <legend>${isNew ? t("Another line", "Una línea más") : t(`Line ${index + 1}`, `Línea ${index + 1}`)}</legend>
    ${field({ name: `${path}.description`, label: t("Description", "Descripción"), value: value(`${path}.description`, line.description), error: fault(`${path}.description`, path) })}
    <div class="fields">
      ${field({ name: `${path}.quantity`, label: t("Quantity", "Cantidad"), value: value(`${path}.quantity`, line.quantity), inputMode: "decimal", error: fault(`${path}.quantity`) })}
      ${field({ name: `${path}.unit_code`, label: t("Unit (94: unit)", "Unidad (94: unidad)"), value: value(`${path}.unit_code`, line.unit_code), error: fault(`${path}.unit_code`) })}
      ${field({ name: `${path}.unit_price`, label: t("Price of one, before taxes", "Precio de una, antes de impuestos"), value: value(`${path}.unit_price`, line.unit_price), inputMode: "decimal", error: fault(`${path}.unit_price`, `${path}.line_extension_amount`) })}
      ${taxFields(visit, path, line, value, fault)}
    </div>
    ${isNew ? null : checkbox(`${path}.remove`, t("Remove this line", "Quitar esta línea"), sent.names.includes(`${path}.remove`))}
  </fieldset>`
}

const customerWords = ({ identification: { check_digit, number }, legal_name }: Customer) =>
  `${legal_name}, ${number}${check_digit === undefined ? "" : `-${check_digit}`}`

const customerPart = (visit: Visit, { customer, found, refusal, request, sent }: Filled, value: Value): Html => {
  const { t } = visit
  if (request.customer_id === undefined) return html``
  const chosen = value("customer_id", request.customer_id)
  const offered = [...(customer === null ? [] : [customer]), ...(found ?? []).filter(({ id }) => id !== customer?.id)]
  const radio = (one: Customer) =>
    html`<label class="check"
      ><input ${attributes({ type: "radio", name: "customer_id", value: one.id, checked: one.id === chosen })} />
      <span
        >${customerWords(one)} ${one.id === customer?.id ? t("(of this document)", "(de este documento)") : ""}</span
      ></label
    >`
  const error = faultOf(refusal, "customer_id")
  return section(
    "customer",
    t("Customer", "Cliente"),
    html`<p>
        ${t("The document takes the data of the customer as they are now.", "El documento toma los datos del cliente como están ahora.")}
        ${customer === null ? null : idLink(visit, customer.id, t("Change the customer", "Cambiar los datos del cliente"))}
      </p>
      ${offered.map(radio)}
      ${error === undefined ? null : html`<p><small class="bad" lang="${languageOfMessage(error)}">${error}</small></p>`}
      ${found?.length === 0 ? html`<p>${t("No customer was found.", "No se encontró ningún cliente.")}</p>` : null}
      <div class="fields">
        ${field({ name: "customer_search", label: t("Another customer: name or number", "Otro cliente: nombre o número"), value: sent.raw("customer_search") })}
      </div>
      <button name="step" value="find">${t("Look for it", "Buscarlo")}</button>`
  )
}

const termsPart = (visit: Visit, { kind, refusal, request }: Filled, value: Value): Html => {
  const { t } = visit
  const { notes, order_reference, payment_means } = request
  const fault = (...params: Array<string>) => faultOf(refusal, ...params)
  const concepts = kind === "credit_note" ? creditConcepts : debitConcepts
  const correction =
    kind === "invoice"
      ? null
      : html`<div class="fields">
          ${field({ name: "correction_code", label: t("Kind of correction", "Concepto de corrección"), value: value("correction_code", String(request["correction_code"] ?? "")), choices: concepts.map((each) => [each.code, languageName(visit, each)] as const), error: fault("correction_code") })}
          ${field({ name: "reason", label: t("Why", "Motivo"), value: value("reason", String(request["reason"] ?? "")), error: fault("reason") })}
        </div>`
  const payment =
    payment_means === undefined
      ? null
      : html`<div class="fields">
          ${field({
            name: "payment_means.type",
            label: t("Payment", "Pago"),
            value: value("payment_means.type", payment_means.type),
            choices: [
              ["1", t("Immediate", "De contado")],
              ["2", t("On credit", "A crédito")]
            ],
            error: fault("payment_means.type")
          })}
          ${field({ name: "payment_means.due_date", label: t("Due", "Vence"), type: "date", value: value("payment_means.due_date", payment_means.due_date ?? ""), error: fault("payment_means.due_date") })}
          ${field({ name: "payment_means.code", label: t("By", "Medio"), value: value("payment_means.code", payment_means.code), choices: paymentMeans.map((each) => [each.code, languageName(visit, each)] as const), error: fault("payment_means.code", "payment_means") })}
          ${field({ name: "payment_means.reference", label: t("Reference", "Referencia"), value: value("payment_means.reference", payment_means.reference ?? ""), error: fault("payment_means.reference") })}
        </div>`
  return section(
    "terms",
    t("Payment, order and notes", "Pago, pedido y notas"),
    html`${correction} ${payment}
    ${field({ name: "order_reference.id", label: t("Order of the buyer", "Orden de compra"), value: value("order_reference.id", order_reference?.id ?? ""), error: fault("order_reference.id") })}
    ${field({ name: "notes", label: t("Notes, with an empty line between two", "Notas, con una línea vacía entre dos"), rows: 4, value: value("notes", notesText(notes)), error: fault("notes", "notes[0]", "notes[1]", "notes[2]") })}`
  )
}

/** The parameters that have a field of their own in the form. */
const isShown =
  ({ request }: Filled) =>
  (param: string): boolean => {
    const [, index] = /^lines\[(\d+)\]/.exec(param) ?? []
    if (index !== undefined) {
      return (
        Number(index) <= Math.min(request.lines.length, linesShown) &&
        /^lines\[\d+\](\.(description|quantity|unit_code|unit_price|line_extension_amount|taxes\[\d+\](\.(code|rate|base|value))?))?$/.test(
          param
        )
      )
    }
    return /^(customer_id|payment_means(\.\w+)?|order_reference\.id|notes(\[[012]\])?|reason|correction_code)$/.test(
      param
    )
  }

const checkedNotice = ({ t }: Visit, { checked, document }: Filled): Html =>
  checked === null
    ? html``
    : html`<p class="notice" role="status" data-notice="checked">
          ${t("Nothing is wrong with it. It comes to", "No tiene errores. Suma")}
          ${money(t, checked.totals.payable_amount, document.currency)}.
          ${t("It is not sent yet.", "Aún no se ha enviado.")}
        </p>
        ${checked.warnings.map((warning) => html`<div class="rule mild"><p lang="en">${warning}</p></div>`)}`

/** The form in which a rejected document is corrected, and the whole request for what has no field. */
export const correctionForm = (visit: Visit, filled: Filled): Html => {
  const { t, to } = visit
  const { document, refusal, request, sent } = filled
  const path = `/portal/documents/${document.id}/correct`
  const value = valueIn(sent)
  const isJson = sent.names.includes("request")
  const lines = request.lines.slice(0, linesShown)
  const more = request.lines.length - lines.length
  const added = more > 0 ? [] : [lineFields(visit, filled, value, newLine, request.lines.length)]
  const buttons = html`<div class="do">
    <button class="first" name="step" value="send">${t("Correct and send again", "Corregir y enviar de nuevo")}</button>
    <button name="step" value="check">${t("Check only", "Solo revisar")}</button>
    ${linkButton(to(`/portal/documents/${document.id}`), t("Back", "Volver"))}
  </div>`
  // Enter in a field presses the first button of a form: it is one that only checks.
  const enter = html`<button class="skip" name="step" value="check" tabindex="-1" aria-hidden="true"></button>`
  const fieldForm = formAt(visit, {
    action: path,
    content: html`${enter}${isJson ? null : refusedForm(visit, refusal, isShown(filled))}
    ${customerPart(visit, filled, value)}
    ${section(
      "lines",
      t("Lines", "Líneas"),
      html`<p class="soft">
          ${t("Amounts and taxes are computed from quantity, price and rate.", "Los valores y los impuestos se calculan de cantidad, precio y tarifa.")}
        </p>
        ${lines.map((line, index) => lineFields(visit, filled, value, line, index))} ${added}
        ${more > 0 ? html`<p>${t(`${more} further lines are in the request below.`, `Hay ${more} líneas más en la solicitud de abajo.`)}</p>` : null}`
    )}
    ${termsPart(visit, filled, value)} ${buttons}`
  })
  const json = isJson ? sent.raw("request") : JSON.stringify(request, null, 2)
  const jsonForm = formAt(visit, {
    action: path,
    content: html`${isJson ? refusedForm(visit, refusal, () => false) : null}
    ${field({ name: "request", label: t("The whole request, as JSON", "La solicitud completa, en JSON"), rows: 24, isCode: true, value: json })}
    ${buttons}`
  })
  return html`${checkedNotice(visit, filled)} ${fieldForm}
    <p></p>
    <details ${attributes({ open: isJson })}>
      <summary>${t("Everything else: the request as JSON", "Todo lo demás: la solicitud en JSON")}</summary>
      ${jsonForm}
    </details>`
}
