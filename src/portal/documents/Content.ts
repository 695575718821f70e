import {
  creditConcepts,
  debitConcepts,
  paymentMeans,
  taxes as taxNames,
  units,
  withholdingTaxes,
  type CodeEntry
} from "../../../schemas/Code.ts"
import type { Line, Tax } from "../../../schemas/Line.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { codeName } from "../customers/PartyWords.ts"
import { day, figure, money, percent, time } from "../frame/Formats.ts"
import { copied, facts, fileLink, idLink, section, table } from "../frame/Parts.ts"
import type { Translate, Visit } from "../frame/Visit.ts"
import { codeOf, isMoving, type Shown } from "./DocumentView.ts"

const nameOf = (visit: Visit, entries: ReadonlyArray<CodeEntry>, code: string): string => {
  const entry = entries.find((each) => each.code === code)
  return entry === undefined ? code : codeName(visit, entry)
}

/** A figure without trailing zeros: "10.00" as "10", "0.345" as "0,345". */
const plain = (t: Translate, value: string): string => figure(t, value.replace(/\.0+$/, ""))

const taxName = (code: string) => [...taxNames, ...withholdingTaxes].find((each) => each.code === code)?.name ?? code

/** "IVA 19%", or only the name of a tax per unit. */
const taxWords = (t: Translate, { code, rate }: Pick<Tax, "code" | "rate">) =>
  rate === undefined ? taxName(code) : `${taxName(code)} ${percent(t, rate)}`

interface Amount {
  readonly words: Html | string
  readonly quantity: string
  readonly price: string
  readonly amount: string
}

const lineRow = (visit: Visit, { currency, totals }: Shown["document"], line: Line): Amount => {
  const { t } = visit
  const { allowance_charges = [], notes = [], item } = line
  const below = [
    ...(item === undefined ? [] : [`${item.code}${item.brand === undefined ? "" : ` · ${item.brand}`}`]),
    ...allowance_charges.map(
      ({ amount, reason, type }) => `${type === "discount" ? "−" : "+"} ${money(t, amount, currency)} ${reason}`
    ),
    // With one tax, the total below the lines is enough.
    ...(totals.taxes.length > 1 ? line.taxes : [])
      .filter(({ code }) => code !== "ZZ")
      .map((tax) => `${taxWords(t, tax)}: ${money(t, tax.value, currency)}`),
    ...notes
  ]
  return {
    words: html`${line.description}${below.map((words) => html`<br /><small>${words}</small>`)}`,
    quantity:
      `${plain(t, line.quantity)} ${line.unit_code === "94" ? "" : nameOf(visit, units, line.unit_code).toLowerCase()}`.trim(),
    price: money(t, line.unit_price, currency),
    amount: money(t, line.line_extension_amount, currency)
  }
}

/** The lines of a document and their totals. */
export const lines = (visit: Visit, { document }: Shown): Html => {
  const { t } = visit
  const { allowance_charges = [], currency, totals, withholdings = [] } = document
  const sum = (words: string, amount: string | undefined): ReadonlyArray<Amount> =>
    amount === undefined ? [] : [{ words, quantity: "", price: "", amount: money(t, amount, currency) }]
  const rows = [
    ...document.lines.map((line) => lineRow(visit, document, line)),
    ...totals.taxes.flatMap((tax) => sum(taxWords(t, tax), tax.value)),
    ...allowance_charges.flatMap(({ amount, reason, type }) =>
      sum(`${type === "discount" ? "−" : "+"} ${reason}`, amount)
    ),
    ...sum(t("Rounding", "Redondeo"), totals.payable_rounding_amount),
    {
      words: html`<b>${t("Total", "Total")}</b>`,
      quantity: "",
      price: "",
      amount: money(t, totals.payable_amount, currency)
    },
    ...sum(t("Prepayments", "Anticipos"), totals.prepaid_amount),
    ...sum(t("Cash rounding", "Redondeo en efectivo"), totals.cash_rounding_amount),
    ...sum(t("Balance due", "Saldo por pagar"), totals.due_amount),
    ...withholdings.flatMap(({ code, rate, value }) =>
      sum(`${t("Withholding", "Retención")}: ${taxWords(t, { code: code as Tax["code"], rate })}`, value)
    ),
    ...sum(t("Net amount", "Neto a recibir"), totals.net_amount)
  ]
  return section(
    "lines",
    t("Lines", "Líneas"),
    table(
      t("Lines and taxes", "Líneas e impuestos"),
      [
        { title: t("Description", "Descripción"), cell: (row) => row.words },
        { title: t("Quantity", "Cantidad"), isFigure: true, isNamed: true, cell: (row) => row.quantity },
        { title: t("Price", "Precio"), isFigure: true, isWide: true, cell: (row) => row.price },
        { title: t("Amount", "Valor"), isFigure: true, cell: (row) => row.amount }
      ],
      rows
    )
  )
}

const payment = (visit: Visit, { payment_means: { code, due_date, type } }: Shown["document"]): Html => {
  const { t } = visit
  const means = nameOf(visit, paymentMeans, code)
  return type === "1"
    ? html`${t("Immediate", "De contado")} · ${means}`
    : html`${t("On credit", "A crédito")}${due_date === undefined ? null : html` · ${t("due", "vence el")} ${day(visit, due_date)}`}`
}

const corrects = (visit: Visit, { document, kind }: Shown): Html | string | null => {
  const { invoice_id, original } = document
  if (kind === "invoice") return null
  if (invoice_id !== null && invoice_id !== undefined)
    return idLink(visit, invoice_id, visit.t("the invoice", "la factura"))
  return original === undefined ? visit.t("no single invoice", "ninguna factura en particular") : original.full_number
}

const acceptanceWords = ({ t }: Visit, status: NonNullable<Shown["document"]["acceptance"]>["status"]): string => {
  const words: Record<typeof status, string> = {
    pending: t("no response yet", "aún sin respuesta"),
    acknowledged: t("invoice received", "factura recibida"),
    received: t("goods or services received", "bien o servicio recibido"),
    claimed: t("claimed", "con reclamo"),
    accepted: t("accepted", "aceptada"),
    accepted_tacitly: t("accepted tacitly", "aceptada tácitamente"),
    unanswered: t("no response in 30 days", "sin respuesta en 30 días")
  }
  return words[status]
}

const documentFacts = (visit: Visit, shown: Shown): Html => {
  const { t } = visit
  const { document, kind, listed, range } = shown
  const concepts = kind === "credit_note" ? creditConcepts : debitConcepts
  const left =
    range === null
      ? null
      : `${range.prefix}, ${t(`${figure(t, range.remaining)} left`, `quedan ${figure(t, range.remaining)}`)}`
  const { currency, exchange_rate: rate, totals } = document
  const { due_amount, payable_amount } = totals
  return facts([
    [t("Total", "Total"), html`<b class="whole">${money(t, payable_amount, currency)}</b>`],
    [
      t("Balance due", "Saldo por pagar"),
      due_amount === undefined ? null : html`<span class="whole">${money(t, due_amount, currency)}</span>`
    ],
    [
      t("Issue date", "Fecha de emisión"),
      document.issue_date === null
        ? null
        : html`${day(visit, document.issue_date)}${listed?.issue_time === null || listed === undefined ? null : `, ${listed.issue_time.slice(0, 5)}`}`
    ],
    [t("Payment", "Pago"), payment(visit, document)],
    [
      t("Buyer’s response", "Respuesta del adquiriente"),
      document.acceptance === undefined ? null : acceptanceWords(visit, document.acceptance.status)
    ],
    [t("Corrects", "Corrige"), corrects(visit, shown)],
    [
      t("Reason", "Motivo"),
      document.correction_code === undefined
        ? null
        : html`${nameOf(visit, concepts, document.correction_code)}: ${document.reason ?? ""}`
    ],
    [t("Purchase order", "Orden de compra"), document.order_reference?.id],
    [t("Despatch", "Despacho"), document.despatch_reference?.id],
    [t("Exchange rate", "Tasa de cambio"), rate === null ? null : money(t, rate, "COP")],
    [t("Range", "Rango"), left],
    ...Object.entries(document.metadata).map(([name, value]) => [name, value] as const)
  ])
}

const codeRow = (visit: Visit, name: string, value: string) =>
  html`<p><small>${name}</small><br />${copied(visit, value)}</p>`

/** The code and the id of a document, which are too long for a column. */
const codes = (visit: Visit, { document, kind }: Shown): Html => {
  const code = codeOf(document)
  return html`${code === null ? null : codeRow(visit, kind === "invoice" ? "CUFE" : "CUDE", code)}${codeRow(visit, "Id", document.id)}${
    document.external_id === null ? null : codeRow(visit, visit.t("External id", "Id externo"), document.external_id)
  }`
}

/** The addition to the PDF link of a document without legal validity, whose PDF is marked. Null for other documents. */
const invalidWords = ({ t }: Visit, { status }: Shown["document"]): string | null => {
  if (status === "rejected_by_authority") return t("rejected, not valid", "rechazada, sin validez")
  return status === "failed" ? t("failed, not valid", "fallida, sin validez") : null
}

const files = (visit: Visit, { document, signedBytes }: Shown): Html => {
  const { session, t, to } = visit
  const file = (name: string) => to(`/portal/documents/${document.id}/${name}`)
  if (signedBytes === null) {
    return html`<p class="soft">
      ${t("The files appear after Folio signs the document.", "Los archivos aparecen cuando Folio firma el documento.")}
    </p>`
  }
  const invalid = invalidWords(visit, document)
  const qr =
    document.qr_url === null || invalid !== null
      ? null
      : html`<p>
          <img
            src="${file("qr.svg")}"
            width="148"
            height="148"
            alt="${t("QR code of the authority’s page on this document", "Código QR de la página de la DIAN sobre este documento")}"
          />${
            // The authority has no page about a test document.
            session.principal.livemode
              ? html`<br /><a href="${document.qr_url}" rel="noreferrer noopener" hx-boost="false"
                    >${t("View at authority", "Ver en la DIAN")}</a
                  >`
              : null
          }
        </p>`
  const pdf = invalid === null ? "PDF" : `PDF (${invalid})`
  return html`<p class="do">${fileLink(file("pdf"), pdf)} ${fileLink(file("xml"), "XML")}</p>
    ${qr}`
}

const notesOf = ({ t }: Visit, { notes = [] }: Shown["document"]): Html =>
  notes.length === 0
    ? html``
    : section("notes", t("Notes", "Notas"), html`${notes.map((note) => html`<p>${note}</p>`)}`)

/** The column next to the timeline: the facts of a document, and its files. */
export const aside = (visit: Visit, shown: Shown): Html => {
  const { t } = visit
  return html`${section(
    "facts",
    t("Document", "Documento"),
    html`${documentFacts(visit, shown)}
      <hr />
      ${codes(visit, shown)}`
  )}
  ${section("files", t("Files", "Archivos"), files(visit, shown))} ${notesOf(visit, shown.document)}`
}

/** The embedded PDF, on a wide screen and after the document is final. */
export const preview = ({ t, to }: Visit, { document, signedBytes }: Shown): Html => {
  if (signedBytes === null || isMoving(document)) return html``
  return html`<section class="wide" aria-labelledby="pdf">
    <h2 id="pdf">PDF</h2>
    <iframe
      src="${to(`/portal/documents/${document.id}/pdf`)}#toolbar=0&amp;navpanes=0&amp;view=FitH"
      title="${t("PDF", "PDF")}"
      loading="lazy"
      width="100%"
      height="900"
    ></iframe>
  </section>`
}

/** The line below the headline: creation time, buyer and total of a document. */
export const summary = (visit: Visit, { customer, document, listed }: Shown): Html => {
  const name = listed?.customer_name ?? document.customer_id
  const buyer = customer === null ? html`${name}` : idLink(visit, customer.id, name)
  return html`${time(visit, document.created_at)} · ${buyer} ·
  ${money(visit.t, document.totals.payable_amount, document.currency)}`
}
