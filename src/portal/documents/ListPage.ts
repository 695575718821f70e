import { Effect } from "effect"
import { type Customer, nameMin, plainText } from "../../../schemas/Customer.ts"
import { invoiceStatuses } from "../../../schemas/Invoice.ts"
import { attributes, type Html, html } from "../../http/pages/Html.ts"
import { statusOf } from "../../invoices/rules/InvoiceLifecycle.ts"
import type { ListedDocument } from "../../invoices/store/DocumentList.ts"
import { Invoices } from "../../invoices/store/Invoices.ts"
import { kindWords, statusMark, statusWords } from "../frame/DocumentWords.ts"
import { figure, money, shortTime } from "../frame/Formats.ts"
import { inputs } from "../forms/FormFields.ts"
import { titled } from "../frame/PortalLayout.ts"
import { type Column, emptyState, idLink, section, table } from "../frame/Parts.ts"
import { type Listed, pager } from "../frame/Lists.ts"
import { page } from "../frame/PortalRoutes.ts"
import type { Visit } from "../frame/Visit.ts"
import { archiveMax, exportMax } from "./Exports.ts"
import { type Asked, askedOf, filterOf, isEverything, kinds, pageOfQuery, queryOf } from "./Filter.ts"

/** The documents of a page. */
export const pageSize = 50

const path = "/portal/documents"

/** The name of a document: its number, or that it has no number yet. */
const nameOf = ({ t }: Visit, { full_number }: ListedDocument) => full_number ?? t("No number yet", "Aún sin número")

const stateOf = ({ t }: Visit, { state: at, waiting_code }: ListedDocument): Html =>
  html`${statusMark(t, statusOf(at))}${waiting_code === null ? null : html` <small>${t("waiting", "en espera")}</small>`}`

const searchForm = (visit: Visit, wanted: Asked): Html => {
  const { t } = visit
  const values: Readonly<Record<string, string>> = queryOf(wanted)
  const input = inputs(
    (name) => values[name] ?? "",
    () => undefined
  )
  const any = ["", t("All", "Todos")] as const
  const statuses = invoiceStatuses.map((each) => [each, statusWords(t, each)] as const)
  const kindChoices = kinds.map((each) => [each, kindWords(t, each)] as const)
  return html`<form class="filters" method="get" action="${visit.to(path)}" role="search">
    ${input("q", t("Number, CUFE, id, customer or key=value", "Número, CUFE, id, cliente o clave=valor"), { type: "search" })}
    ${input("status", t("Status", "Estado"), { choices: [any, ...statuses] })}
    ${input("kind", t("Type", "Tipo"), { choices: [any, ...kindChoices] })}
    ${input("from", t("From", "Desde"), { type: "date" })} ${input("to", t("Until", "Hasta"), { type: "date" })}
    ${wanted.customer === null ? null : html`<input type="hidden" name="customer" value="${wanted.customer}" />`}
    <button>${t("Search", "Buscar")}</button>
  </form>`
}

const columns = (visit: Visit): ReadonlyArray<Column<ListedDocument>> => {
  const { t } = visit
  return [
    {
      title: t("Select", "Elegir"),
      isUntitled: true,
      cell: (row) => {
        const label = `${t("Select", "Elegir")} ${nameOf(visit, row)}`
        return html`<input ${attributes({ type: "checkbox", name: "id", value: row.id, "aria-label": label })} />`
      }
    },
    { title: t("Number", "Número"), cell: (row) => idLink(visit, row.id, nameOf(visit, row)) },
    {
      title: t("Type", "Tipo"),
      isWide: true,
      cell: ({ kind }) => html`<span class="whole">${kindWords(t, kind)}</span>`
    },
    { title: t("Status", "Estado"), cell: (row) => stateOf(visit, row) },
    { title: t("Customer", "Cliente"), cell: (row) => row.customer_name },
    { title: t("Created", "Creado"), cell: (row) => shortTime(visit, row.created_at) },
    { title: t("Total", "Total"), isFigure: true, cell: (row) => money(t, row.payable_amount, row.currency) }
  ]
}

/** The customers whose names contain the search text, as links to their documents. */
const customersNamed = Effect.fnUntraced(function* ({ get, t, to }: Visit, search: string) {
  if (plainText(search).trim().length < nameMin || search.length > 450 || search.includes("=")) return null
  const { data } = yield* get<Listed<Customer>>("/v1/customers", { name: search, limit: "10" })
  if (data.length === 0) return null
  return section(
    "customers",
    t("Matching customers", "Clientes que coinciden"),
    html`<ul>
      ${data.map(({ id, legal_name }) => html`<li><a href="${to(path, { customer: id })}">${legal_name}</a></li>`)}
    </ul>`
  )
})

const nothing = ({ t, to }: Visit, wanted: Asked): Html =>
  isEverything(wanted)
    ? emptyState(
        t("No documents yet", "Todavía no hay documentos"),
        html`${t("Send the first invoice with one request:", "Envíe la primera factura con una solicitud:")}
          <a href="${to("/docs/guides/first-invoice")}" hx-boost="false">${t("Guide", "Guía")}</a>.`
      )
    : emptyState(
        t("No matching documents", "Ningún documento coincide"),
        html`${t(
            "Search for a number with or without its prefix, a complete CUFE or id, or metadata as key=value.",
            "Busque un número con o sin su prefijo, un CUFE o un id completo, o un dato propio como clave=valor."
          )} <a href="${to(path)}">${t("Show all", "Ver todo")}</a>`
      )

/** The form around the list. Exports the selected documents, or else the documents of the list. */
const exporting = ({ query, t, to }: Visit, wanted: Asked, list: Html): Html => {
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
          `Exports the selected documents. Without a selection, CSV exports all matches (up to ${figure(t, exportMax)}) and ZIP exports this page (up to ${archiveMax}).`,
          `Exporta los documentos elegidos. Si no elige ninguno, el CSV exporta todos los encontrados (hasta ${figure(t, exportMax)}) y el ZIP exporta esta página (hasta ${archiveMax}).`
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
    <a href="${to(path, others)}">${t("All customers", "Todos los clientes")}</a>
  </p>`
}

const list = Effect.fnUntraced(function* (visit: Visit) {
  const documents = yield* Invoices
  const { query, t } = visit
  const wanted = askedOf(query)
  const { filter, isExact } = yield* filterOf(visit, wanted)
  const found = yield* visit.read((account) => documents.listAll(account, pageOfQuery(query, pageSize), filter))
  const [first, second] = found.rows
  // A number, a code or an id names one document. Opens its page instead of a list.
  if (isExact && first !== undefined && second === undefined) return { to: `${path}/${first.id}` }
  const named = isExact && first === undefined ? yield* customersNamed(visit, wanted.search) : null
  const caption = t("Documents, newest first", "Documentos, más recientes primero")
  const rows = table(caption, columns(visit), found.rows)
  return titled(
    "documents",
    { title: t("Documents", "Documentos") },
    searchForm(visit, wanted),
    ofCustomer(visit, wanted.customer, first?.customer_name),
    first === undefined
      ? (named ?? html`<section>${nothing(visit, wanted)}</section>`)
      : html`<section>
          ${exporting(visit, wanted, rows)} ${pager(visit, path, { data: found.rows, has_more: found.has_more })}
        </section>`
  )
})

export const layer = page(path, list)
