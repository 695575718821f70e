import { Effect } from "effect"
import type { Customer } from "../../../schemas/Customer.ts"
import type { Invoice } from "../../../schemas/Invoice.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { warned } from "../forms/FormFields.ts"
import { statusMark } from "../frame/DocumentWords.ts"
import { day, money, shortTime, time } from "../frame/Formats.ts"
import { titled } from "../frame/PortalLayout.ts"
import type { Listed } from "../frame/Lists.ts"
import {
  copied,
  emptyState,
  facts,
  idLink,
  linkButton,
  notice,
  section,
  table,
  twoColumns,
  wideFacts
} from "../frame/Parts.ts"
import type { Visit } from "../frame/Visit.ts"
import { chosen, identificationWords, partyRows, responsibilityChoices, taxSchemeChoices } from "./PartyWords.ts"

const shownInvoices = 8

/** The customer in the path of the page. */
export const customerOfPath = ({ get, id }: Visit) => get<Customer>(`/v1/customers/${id}`)

const documents = (visit: Visit, customer: Customer, { data }: Listed<Invoice>): Html => {
  const { t, to } = visit
  if (data.length === 0) {
    return emptyState(
      t("No invoices yet", "Todavía no hay facturas"),
      html`${t("To invoice this customer, use its id:", "Para facturar a este cliente, use su id:")}
        <code>${customer.id}</code>`
    )
  }
  return html`${table<Invoice>(
      t("Newest invoices", "Facturas más recientes"),
      [
        {
          title: t("Number", "Número"),
          cell: ({ full_number, id }) => idLink(visit, id, full_number ?? t("No number yet", "Aún sin número"))
        },
        {
          title: t("Date", "Fecha"),
          cell: ({ created_at, issue_date }) =>
            issue_date === null ? shortTime(visit, created_at) : day(visit, issue_date),
          isWide: true
        },
        { title: t("Status", "Estado"), cell: ({ status }) => statusMark(t, status) },
        {
          title: t("Total", "Total"),
          cell: ({ currency, totals }) => money(t, totals.payable_amount, currency),
          isFigure: true
        }
      ],
      data
    )}
    <p class="pager">
      ${linkButton(to("/portal/documents", { customer: customer.id }), t("All documents", "Todos los documentos"))}
    </p>`
}

const party = (visit: Visit, customer: Customer): Html => {
  const { t } = visit
  const { created_at, external_id, id, tax_responsibilities = [], tax_scheme, updated_at } = customer
  const lines = responsibilityChoices(visit)
  return wideFacts([
    ...partyRows(visit, customer),
    [
      t("Tax responsibilities", "Responsabilidades fiscales"),
      tax_responsibilities.map((code) => `${code} ${chosen(lines, code)}`).join(", ")
    ],
    [t("Tax registration", "Responsable del tributo"), tax_scheme && chosen(taxSchemeChoices(visit), tax_scheme)],
    [t("Registered", "Registrado"), time(visit, created_at)],
    [t("Last change", "Último cambio"), updated_at === created_at ? null : time(visit, updated_at)],
    [t("Id", "Id"), copied(visit, id)],
    [t("External id", "Id externo"), external_id === null ? null : copied(visit, external_id)]
  ])
}

const ownData = ({ t }: Visit, { metadata }: Customer): Html | null => {
  const rows = Object.entries(metadata)
  return rows.length === 0 ? null : section("own", t("Metadata", "Datos propios"), facts(rows))
}

const removal = (visit: Visit, { id }: Customer): Html => {
  const { t } = visit
  return warned(
    visit,
    t("Delete customer…", "Eliminar cliente…"),
    t(
      "You can’t undo this. Existing documents keep their copy of the customer. New invoices can no longer use the customer.",
      "No se puede deshacer. Los documentos existentes conservan su copia del cliente. Las facturas nuevas ya no pueden usarlo."
    ),
    { action: `/portal/customers/${id}/delete`, submit: t("Delete permanently", "Eliminar definitivamente") }
  )
}

/** The page of a customer: its data and its newest invoices. */
export const customerPage = Effect.fnUntraced(function* (visit: Visit) {
  const { get, may, t, to } = visit
  const customer = yield* customerOfPath(visit)
  const { id, identification, legal_name } = customer
  const invoices = yield* get<Listed<Invoice>>("/v1/invoices", { customer_id: id, limit: String(shownInvoices) })
  const mayChange = may("documents")
  const above = notice(visit, {
    created: t("Customer registered.", "Cliente registrado."),
    changed: t("Customer changed.", "Cliente actualizado.")
  })
  const actions = mayChange ? linkButton(to(`/portal/customers/${id}/change`), t("Change", "Cambiar"), "first") : null
  return titled(
    "customers",
    { above, title: legal_name, sub: identificationWords(visit, identification), actions },
    twoColumns(
      [
        section("data", t("Customer", "Cliente"), party(visit, customer)),
        section("documents", t("Invoices", "Facturas"), documents(visit, customer, invoices))
      ],
      [ownData(visit, customer), mayChange ? removal(visit, customer) : null],
      t("Details", "Detalles")
    )
  )
})
