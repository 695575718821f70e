import { creditConcepts, debitConcepts, paymentMeans, taxes as taxNames } from "../../../../schemas/Code.ts"
import type { Customer } from "../../../../schemas/Customer.ts"
import { isPerUnit, type Line, type Tax, type Totals } from "../../../../schemas/Line.ts"
import { attributes, type Html, html } from "../../../http/pages/Html.ts"
import { codeName } from "../../customers/PartyWords.ts"
import { figure, money, percent } from "../../frame/Formats.ts"
import type * as Form from "../../forms/SentForm.ts"
import { checkbox, faultOf, field, form as formAt, refusedForm } from "../../forms/FormFields.ts"
import { idLink, linkButton, section } from "../../frame/Parts.ts"
import type { Refusal } from "../../frame/Refusal.ts"
import { languageOfMessage } from "../../frame/SpanishRefusals.ts"
import type { Visit } from "../../frame/Visit.ts"
import { linesShown, newLine, noTax, notesText, type Request, taxValue } from "./Corrected.ts"
import type { Named } from "../DocumentView.ts"

/** The content of the form. */
export interface Filled extends Named {
  readonly request: Request
  readonly sent: Form.Form
  readonly refusal?: Refusal | undefined
  /** The current customer of the document. Null if deleted, or if the invoice determines the customer. */
  readonly customer: Customer | null
  /** The customers that the search found. */
  readonly found: ReadonlyArray<Customer> | null
  /** The totals of the request, if Folio checked it and it is valid. */
  readonly checked: { readonly totals: Totals; readonly warnings: ReadonlyArray<string> } | null
}

interface Options extends NonNullable<Parameters<typeof field>[2]> {
  /** Other parameters whose errors the field shows. */
  readonly also?: ReadonlyArray<string>
}

/** Makes the fields of the form, each with its typed value or else the document's value. */
const inputsIn =
  ({ refusal, sent }: Pick<Filled, "refusal" | "sent">) =>
  (name: string, label: string, current = "", { also = [], ...options }: Options = {}): Html =>
    field(name, label, {
      value: sent.names.includes(name) ? sent.raw(name) : current,
      error: faultOf(refusal, name, ...also),
      ...options
    })
type Input = ReturnType<typeof inputsIn>

/** The tax choices of a line: common taxes with their usual rates, and the line's current tax. */
const taxChoices = ({ t }: Visit, tax: Tax) => {
  const usual = taxNames
    .filter(({ code }) => !isPerUnit({ code }) && code !== "ZZ")
    .flatMap((entry) =>
      "typical_rates" in entry ? entry.typical_rates.map((rate) => taxValue({ code: entry.code, rate })) : []
    )
  return [...new Set([...usual, taxValue(noTax), taxValue(tax)])].map((value) => {
    const [code = "", rate = "0.00"] = value.split(" ")
    const name = taxNames.find((entry) => entry.code === code)?.name ?? code
    return [value, code === "ZZ" ? t("No tax", "Sin impuesto") : `${name} ${percent(t, rate)}`] as const
  })
}

const taxFields = (visit: Visit, path: string, line: Line, currency: string, input: Input) =>
  line.taxes.map((tax, index) => {
    const { t } = visit
    const at = `${path}.taxes[${index}]`
    if (isPerUnit(tax)) {
      const { code, unit_amount = "", units = "" } = tax
      return html`<p class="soft">${code}: ${money(t, unit_amount, currency)} × ${figure(t, units)}</p>`
    }
    return input(at, t("Tax", "Impuesto"), taxValue(tax), {
      choices: taxChoices(visit, tax),
      also: [`${at}.code`, `${at}.rate`, `${at}.base`, `${at}.value`]
    })
  })

const lineFields = (visit: Visit, filled: Filled, line: Line, index: number): Html => {
  const { t } = visit
  const { document, request, sent } = filled
  const path = `lines[${index}]`
  const input = inputsIn(filled)
  const isNew = index === request.lines.length
  return html`<fieldset>
    <legend>${isNew ? t("New line", "Línea nueva") : t(`Line ${index + 1}`, `Línea ${index + 1}`)}</legend>
    ${input(`${path}.description`, t("Description", "Descripción"), line.description, { also: [path] })}
    <div class="fields">
      ${input(`${path}.quantity`, t("Quantity", "Cantidad"), line.quantity, { inputMode: "decimal" })}
      ${input(`${path}.unit_code`, t("Unit", "Unidad"), line.unit_code, { hint: t("Code, such as 94: unit", "Código, como 94: unidad") })}
      ${input(`${path}.unit_price`, t("Price before taxes", "Precio sin impuestos"), line.unit_price, {
        inputMode: "decimal",
        also: [`${path}.line_extension_amount`]
      })}
      ${taxFields(visit, path, line, document.currency, input)}
    </div>
    ${isNew ? null : checkbox(`${path}.remove`, t("Remove line", "Quitar línea"), sent.names.includes(`${path}.remove`))}
  </fieldset>`
}

const customerWords = ({ identification: { check_digit, number }, legal_name }: Customer) =>
  `${legal_name}, ${number}${check_digit === undefined ? "" : `-${check_digit}`}`

const customerPart = (visit: Visit, { customer, found, refusal, request, sent }: Filled): Html => {
  const { t } = visit
  if (request.customer_id === undefined) return html``
  const chosen = sent.names.includes("customer_id") ? sent.raw("customer_id") : request.customer_id
  const offered = [...(customer === null ? [] : [customer]), ...(found ?? []).filter(({ id }) => id !== customer?.id)]
  const radio = (one: Customer) =>
    html`<label class="check"
      ><input ${attributes({ type: "radio", name: "customer_id", value: one.id, checked: one.id === chosen })} />
      <span>${customerWords(one)} ${one.id === customer?.id ? t("(current)", "(actual)") : ""}</span></label
    >`
  const error = faultOf(refusal, "customer_id")
  return section(
    "customer",
    t("Customer", "Cliente"),
    html`<p>
        ${t("The document copies the customer’s current data.", "El documento copia los datos actuales del cliente.")}
        ${customer === null ? null : idLink(visit, customer.id, t("View customer", "Ver cliente"))}
      </p>
      ${offered.map(radio)}
      ${error === undefined ? null : html`<p><small class="bad" lang="${languageOfMessage(error)}">${error}</small></p>`}
      ${found?.length === 0 ? html`<p>${t("No matching customers.", "Ningún cliente coincide.")}</p>` : null}
      <div class="fields">
        ${field("customer_search", t("Other customer", "Otro cliente"), { hint: t("Name or number", "Nombre o número"), value: sent.raw("customer_search") })}
      </div>
      <button name="step" value="find">${t("Search", "Buscar")}</button>`
  )
}

/** The correction code and the reason of a note. */
const reasonFields = (visit: Visit, kind: "credit_note" | "debit_note", request: Request, input: Input): Html => {
  const { t } = visit
  const concepts = kind === "credit_note" ? creditConcepts : debitConcepts
  return html`<div class="fields">
    ${input(
      "correction_code",
      t("Correction code", "Concepto de corrección"),
      String(request["correction_code"] ?? ""),
      { choices: concepts.map((each) => [each.code, codeName(visit, each)] as const) }
    )}
    ${input("reason", t("Reason", "Motivo"), String(request["reason"] ?? ""))}
  </div>`
}

const paymentFields = (visit: Visit, means: NonNullable<Request["payment_means"]>, input: Input): Html => {
  const { t } = visit
  const types = [
    ["1", t("Immediate", "De contado")],
    ["2", t("On credit", "A crédito")]
  ] as const
  const choices = paymentMeans.map((each) => [each.code, codeName(visit, each)] as const)
  return html`<div class="fields">
    ${input("payment_means.type", t("Payment", "Pago"), means.type, { choices: types })}
    ${input("payment_means.due_date", t("Due date", "Fecha de vencimiento"), means.due_date, { type: "date" })}
    ${input("payment_means.code", t("Payment means", "Medio de pago"), means.code, { choices, also: ["payment_means"] })}
    ${input("payment_means.reference", t("Reference", "Referencia"), means.reference)}
  </div>`
}

const termsPart = (visit: Visit, filled: Filled): Html => {
  const { t } = visit
  const { kind, request } = filled
  const { notes, order_reference, payment_means } = request
  const input = inputsIn(filled)
  return section(
    "terms",
    t("Payment and notes", "Pago y notas"),
    kind === "invoice" ? null : reasonFields(visit, kind, request, input),
    payment_means === undefined ? null : paymentFields(visit, payment_means, input),
    input("order_reference.id", t("Purchase order", "Orden de compra"), order_reference?.id),
    input("notes", t("Notes", "Notas"), notesText(notes), {
      hint: t("Separated by empty lines", "Separadas por líneas vacías"),
      rows: 4,
      also: ["notes[0]", "notes[1]", "notes[2]"]
    })
  )
}

/** The parameters with their own field in the form. */
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
          ${t("The document is valid. Total:", "El documento es válido. Total:")}
          ${money(t, checked.totals.payable_amount, document.currency)}.
          ${t("Folio has not transmitted it yet.", "Folio todavía no lo ha transmitido.")}
        </p>
        ${checked.warnings.map((warning) => html`<div class="rule mild"><p lang="en">${warning}</p></div>`)}`

/** The form that corrects a rejected document, and the complete request for values without a field. */
export const correctionForm = (visit: Visit, filled: Filled): Html => {
  const { t, to } = visit
  const { document, refusal, request, sent } = filled
  const path = `/portal/documents/${document.id}/correct`
  const isJson = sent.names.includes("request")
  const lines = request.lines.slice(0, linesShown)
  const more = request.lines.length - lines.length
  const added = more > 0 ? [] : [lineFields(visit, filled, newLine, request.lines.length)]
  const buttons = html`<div class="do">
    <button class="first" name="step" value="send">${t("Send correction", "Enviar corrección")}</button>
    <button name="step" value="check">${t("Check only", "Solo revisar")}</button>
    ${linkButton(to(`/portal/documents/${document.id}`), t("Back", "Volver"))}
  </div>`
  // Enter in a field presses the form's first button, so the first button only checks.
  const enter = html`<button class="skip" name="step" value="check" tabindex="-1" aria-hidden="true"></button>`
  const fieldForm = formAt(visit, {
    action: path,
    content: html`${enter}${isJson ? null : refusedForm(visit, refusal, isShown(filled))} ${customerPart(visit, filled)}
    ${section(
      "lines",
      t("Lines", "Líneas"),
      html`<p class="soft">
          ${t("Folio computes amounts and taxes from quantity, price and rate.", "Folio calcula los valores y los impuestos con la cantidad, el precio y la tarifa.")}
        </p>
        ${lines.map((line, index) => lineFields(visit, filled, line, index))} ${added}
        ${more > 0 ? html`<p>${t(`The request below has ${figure(t, more)} more lines.`, `La solicitud de abajo tiene ${figure(t, more)} líneas más.`)}</p>` : null}`
    )}
    ${termsPart(visit, filled)} ${buttons}`
  })
  const json = isJson ? sent.raw("request") : JSON.stringify(request, null, 2)
  const jsonForm = formAt(visit, {
    action: path,
    content: html`${isJson ? refusedForm(visit, refusal, () => false) : null}
    ${field("request", t("Request (JSON)", "Solicitud (JSON)"), { rows: 24, isCode: true, value: json })} ${buttons}`
  })
  return html`${checkedNotice(visit, filled)} ${fieldForm}
    <p></p>
    <details ${attributes({ open: isJson })}>
      <summary>${t("Other fields (JSON)", "Otros campos (JSON)")}</summary>
      ${jsonForm}
    </details>`
}
