import { Effect } from "effect"
import { type Customer, nameMin, plainText } from "../../../schemas/Customer.ts"
import { invoiceStatuses } from "../../../schemas/Invoice.ts"
import { attributes, type Html, html } from "../../http/pages/Html.ts"
import { statusOf } from "../../domain/documents/InvoiceLifecycle.ts"
import type { ListedDocument } from "../../store/documents/DocumentList.ts"
import { Invoices } from "../../store/documents/Invoices.ts"
import { kindWords, statusMark, statusWords } from "../frame/DocumentWords.ts"
import { figure, money, shortTime } from "../frame/Formats.ts"
import { field } from "../forms/Fields.ts"
import { idLink } from "../frame/Links.ts"
import { emptyState, type Listed, pager, placeOf as placeIn, section, table } from "../frame/Parts.ts"
import { page } from "../frame/Routes.ts"
import type { Visit } from "../frame/Visit.ts"
import { archiveMax, exportMax } from "./Exports.ts"
import { type Asked, askedOf, filterOf, isEverything, kinds, placeOf, queryOf } from "./Filter.ts"

/** The documents of a page. */
export const pageSize = 50

const path = "/portal/documents"

/** What a person calls a document: its number, or that it has none yet. */
const nameOf = ({ t }: Visit, { full_number }: ListedDocument) => full_number ?? t("No number yet", "Aún sin número")

const stateOf = ({ t }: Visit, { state: at, waiting_code }: ListedDocument): Html =>
  html`${statusMark(t, statusOf(at))}${waiting_code === null ? null : html` <small>${t("waiting", "en espera")}</small>`}`

const searchForm = (visit: Visit, { customer, from, kind, search, status, to }: Asked): Html => {
  const { t } = visit
  return html`<form class="filters" method="get" action="${visit.to(path)}" role="search">
    ${field({ name: "q", label: t("Number, CUFE, id, customer, order=1001", "Número, CUFE, id, cliente, pedido=1001"), value: search, type: "search" })}
    ${field({
      name: "status",
      label: t("State", "Estado"),
      value: status ?? "",
      choices: [["", t("Any", "Todos")], ...invoiceStatuses.map((each) => [each, statusWords(t, each)] as const)]
    })}
    ${field({
      name: "kind",
      label: t("Kind", "Tipo"),
      value: kind ?? "",
      choices: [["", t("Any", "Todos")], ...kinds.map((each) => [each, kindWords(t, each)] as const)]
    })}
    ${field({ name: "from", label: t("From", "Desde"), type: "date", value: from })}
    ${field({ name: "to", label: t("Until", "Hasta"), type: "date", value: to })}
    ${customer === null ? null : html`<input type="hidden" name="customer" value="${customer}" />`}
    <button>${t("Find", "Buscar")}</button>
  </form>`
}

const columns = (visit: Visit) => {
  const { t } = visit
  return [
    {
      title: t("Select", "Elegir"),
      isUntitled: true,
      cell: (row: ListedDocument) => {
        const label = `${t("Select", "Elegir")} ${nameOf(visit, row)}`
        return html`<input ${attributes({ type: "checkbox", name: "id", value: row.id, "aria-label": label })} />`
      }
    },
    { title: t("Number", "Número"), cell: (row: ListedDocument) => idLink(visit, row.id, nameOf(visit, row)) },
    { title: t("Kind", "Tipo"), isWide: true, cell: (row: ListedDocument) => kindWords(t, row.kind) },
    { title: t("State", "Estado"), cell: (row: ListedDocument) => stateOf(visit, row) },
    { title: t("Customer", "Cliente"), cell: (row: ListedDocument) => row.customer_name },
    { title: t("Created", "Creado"), cell: (row: ListedDocument) => shortTime(visit, row.created_at) },
    {
      title: t("Total", "Total"),
      isFigure: true,
      cell: (row: ListedDocument) => money(t, row.payable_amount, row.currency)
    }
  ]
}

/** The customers whose names hold what was searched for, as links to their documents. */
const customersNamed = Effect.fnUntraced(function* (visit: Visit, search: string) {
  const { get, t, to } = visit
  if (plainText(search).trim().length < nameMin || search.length > 450 || search.includes("=")) return null
  const { data } = yield* get<Listed<Customer>>("/v1/customers", { name: search, limit: "10" })
  if (data.length === 0) return null
  return section(
    "customers",
    t("Documents of a customer", "Documentos de un cliente"),
    html`<ul>
      ${data.map(({ id, legal_name }) => html`<li><a href="${to(path, { customer: id })}">${legal_name}</a></li>`)}
    </ul>`
  )
})

const nothing = ({ t, to }: Visit, wanted: Asked): Html =>
  isEverything(wanted)
    ? emptyState(
        t("No documents yet", "Aún no hay documentos"),
        html`${t("The first invoice is one request away:", "La primera factura está a una solicitud:")}
          <a href="${to("/docs/guides/first-invoice")}" hx-boost="false"
            >${t("how to send it", "cómo enviarla (en inglés)")}</a
          >.`
      )
    : emptyState(
        t("Nothing fits", "Nada coincide"),
        html`${t(
            "A number is found with or without its prefix, and a CUFE or an id when it is whole. Metadata is found as key=value.",
            "Un número se encuentra con o sin su prefijo; un CUFE o un id, cuando está completo. Los metadatos se buscan como clave=valor."
          )} <a href="${to(path)}">${t("Show all documents", "Ver todos los documentos")}</a>`
      )

/** The form around the list: what is ticked, or else what the list shows, is written into a file. */
const exporting = (visit: Visit, wanted: Asked, list: Html): Html => {
  const { query, t, to } = visit
  const place = { after: query.get("after") ?? "", before: query.get("before") ?? "" }
  const kept = Object.entries({ ...queryOf(wanted), ...place }).filter(([, value]) => value !== "")
  return html`<form method="get" action="${to(`${path}/export.csv`)}" hx-boost="false">
    ${kept.map(([name, value]) => html`<input ${attributes({ type: "hidden", name, value })} />`)}
    <div class="field">${list}</div>
    <div class="do">
      <button>CSV</button>
      <button ${attributes({ formaction: to(`${path}/export.zip`) })}>ZIP (XML + PDF)</button>
      <small
        >${t(
          `Of the documents you select. Without a selection: CSV of all that are found, up to ${figure(t, exportMax)}; ZIP of this page, up to ${archiveMax}.`,
          `De los documentos elegidos. Sin elegir: CSV de todos los encontrados, hasta ${figure(t, exportMax)}; ZIP de esta página, hasta ${archiveMax}.`
        )}</small
      >
    </div>
  </form>`
}

const ofCustomer = (visit: Visit, customer: string | null, name: string | undefined): Html => {
  if (customer === null) return html``
  const { t, to } = visit
  const others = Object.fromEntries([...visit.query].filter(([key]) => key !== "customer"))
  return html`<p>
    ${t("Customer", "Cliente")}: ${idLink(visit, customer, name ?? customer)} ·
    <a href="${to(path, others)}">${t("of all customers", "de todos los clientes")}</a>
  </p>`
}

const list = Effect.fnUntraced(function* (visit: Visit) {
  const documents = yield* Invoices
  const { query, t } = visit
  const wanted = askedOf(query)
  const { filter, isExact } = yield* filterOf(visit, wanted)
  const found = yield* visit.read((account) => documents.listAll(account, placeOf(query, pageSize), filter))
  const [first, second] = found.rows
  // A number, a code or an id names a document, which is shown and not listed.
  if (isExact && first !== undefined && second === undefined) return { to: `${path}/${first.id}` }
  const named = isExact && first === undefined ? yield* customersNamed(visit, wanted.search) : null
  const place = placeIn(visit, { data: found.rows, has_more: found.has_more })
  const caption = t("Documents, newest first", "Documentos, del más reciente al más antiguo")
  const rows =
    first === undefined
      ? (named ?? nothing(visit, wanted))
      : html`<section>
          ${exporting(visit, wanted, table(caption, columns(visit), found.rows))} ${pager(visit, path, place)}
        </section>`
  return {
    title: t("Documents", "Documentos"),
    current: "documents" as const,
    content: html`<div class="head"><h1>${t("Documents", "Documentos")}</h1></div>
      ${searchForm(visit, wanted)} ${ofCustomer(visit, wanted.customer, found.rows[0]?.customer_name)} ${rows}`
  }
})

export const layerList = page(path, list)
