import { Effect } from "effect"
import type { Customer } from "../../../schemas/Customer.ts"
import type { Invoice } from "../../../schemas/Invoice.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { statusMark } from "../frame/DocumentWords.ts"
import { day, money, shortTime, time } from "../frame/Formats.ts"
import { form } from "../forms/Fields.ts"
import type { Page } from "../frame/Layout.ts"
import { idLink } from "../frame/Links.ts"
import { copied, emptyState, facts, linkButton, type Listed, notice, section, table } from "../frame/Parts.ts"
import type { Visit } from "../frame/Visit.ts"
import {
  chosen,
  identificationWords,
  organizationChoices,
  placeWords,
  responsibilityChoices,
  taxSchemeChoices
} from "./PartyWords.ts"

const shownInvoices = 8

/** The customer that the path of the page names. */
export const customerOfPath = Effect.fnUntraced(function* ({ get, id }: Visit) {
  return yield* get<Customer>(`/v1/customers/${id}`)
})

const documents = (visit: Visit, customer: Customer, { data }: Listed<Invoice>): Html => {
  const { t, to } = visit
  if (data.length === 0) {
    return emptyState(
      t("No invoices yet", "Todavía no hay facturas"),
      html`${t("An invoice names this customer by its id:", "Una factura nombra a este cliente por su id:")}
        <code>${customer.id}</code>`
    )
  }
  return html`${table<Invoice>(
      t("The newest invoices of the customer", "Las facturas más recientes del cliente"),
      [
        {
          title: t("Number", "Número"),
          cell: ({ full_number, id }) => idLink(visit, id, full_number ?? t("Without a number", "Sin número"))
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
  const { organization_type, tax_responsibilities = [], tax_scheme } = customer
  const lines = responsibilityChoices(visit)
  return facts([
    [t("Identification", "Identificación"), identificationWords(customer.identification)],
    [t("Legal name", "Razón social o nombre"), customer.legal_name],
    [t("Trade name", "Nombre comercial"), customer.trade_name],
    [t("Kind of person", "Tipo de persona"), chosen(organizationChoices(t), organization_type)],
    [t("E-mail", "Correo electrónico"), customer.email],
    [t("Telephone", "Teléfono"), customer.phone],
    [t("Address", "Dirección"), placeWords(visit, customer)],
    [t("Postal code", "Código postal"), customer.postal_code],
    [
      t("Tax responsibilities", "Responsabilidades fiscales"),
      tax_responsibilities.map((code) => `${code} ${chosen(lines, code)}`).join(", ")
    ],
    [t("Registered for the tax", "Responsable del tributo"), tax_scheme && chosen(taxSchemeChoices(visit), tax_scheme)],
    [t("Registered", "Registrado"), time(visit, customer.created_at)],
    [
      t("Last change", "Último cambio"),
      customer.updated_at === customer.created_at ? null : time(visit, customer.updated_at)
    ],
    [t("Id", "Id"), copied(visit, customer.id)]
  ])
}

const ownData = ({ t }: Visit, { metadata }: Customer): Html | null => {
  const rows = Object.entries(metadata)
  if (rows.length === 0) return null
  return section("own", t("Your own data", "Datos propios"), facts(rows.map(([key, value]) => [key, html`${value}`])))
}

const removal = (visit: Visit, { id }: Customer): Html => {
  const { t } = visit
  return html`<details>
    <summary>${t("Delete the customer…", "Eliminar el cliente…")}</summary>
    <p>
      ${t(
        "This cannot be undone. Its documents stay, each with its own copy of the customer. New invoices can no longer name it.",
        "No se puede deshacer. Sus documentos quedan, cada uno con su propia copia del cliente. Las facturas nuevas ya no pueden nombrarlo."
      )}
    </p>
    ${form(visit, {
      action: `/portal/customers/${id}/delete`,
      submit: t("Delete for good", "Eliminar definitivamente"),
      kind: "danger",
      content: html``
    })}
  </details>`
}

/** One customer: all that is known of it, and its newest invoices. */
export const customerPage = Effect.fnUntraced(function* (visit: Visit) {
  const { get, may, t, to } = visit
  const customer = yield* customerOfPath(visit)
  const invoices = yield* get<Listed<Invoice>>("/v1/invoices", {
    customer_id: customer.id,
    limit: String(shownInvoices)
  })
  const mayChange = may("documents")
  const page: Page = {
    title: customer.legal_name,
    current: "customers",
    content: html`${notice(visit, {
        created: t("The customer was registered.", "El cliente quedó registrado."),
        changed: t("The customer was changed.", "El cliente se cambió.")
      })}
      <div class="head">
        <div>
          <h1>${customer.legal_name}</h1>
          <p class="sub">${identificationWords(customer.identification)}</p>
        </div>
        ${
          mayChange
            ? html`<div class="do">
                ${linkButton(to(`/portal/customers/${customer.id}/change`), t("Change", "Cambiar"), "first")}
              </div>`
            : null
        }
      </div>
      <div class="grid">
        <div>
          ${section("data", t("Customer", "Cliente"), html`<div class="left">${party(visit, customer)}</div>`)}
          ${section("documents", t("Invoices", "Facturas"), documents(visit, customer, invoices))}
        </div>
        <aside aria-label="${t("Beside", "Al lado")}">
          ${ownData(visit, customer)} ${mayChange ? removal(visit, customer) : null}
        </aside>
      </div>`
  }
  return page
})
