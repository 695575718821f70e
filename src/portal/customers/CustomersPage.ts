import { Effect, Layer } from "effect"
import type { Customer } from "../../../schemas/Customer.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import type { Form } from "../forms/SentForm.ts"
import { type Page, titled } from "../frame/PortalLayout.ts"
import { listed, listTable } from "../frame/Lists.ts"
import { type Column, emptyState, linkButton, notice } from "../frame/Parts.ts"
import { isOfForm, orShown } from "../frame/Refusal.ts"
import { change, page } from "../frame/PortalRoutes.ts"
import type { Visit } from "../frame/Visit.ts"
import { blankForm, customerBody, customerForm, type CustomerShown, formOf, refusedFormOf } from "./CustomerForm.ts"
import { customerOfPath, customerPage } from "./CustomerPage.ts"
import { cityWords, identificationWords } from "./PartyWords.ts"
import { isSearch, searchForm, searchQuery } from "./Search.ts"

const path = "/portal/customers"

const emptyList = (visit: Visit): Html => {
  const { may, t, to } = visit
  if (isSearch(visit)) {
    return emptyState(
      t("No matching customers", "Ningún cliente coincide"),
      html`${t("Try a shorter part of the name, or fill in one field only.", "Pruebe con una parte más corta del nombre, o llene un solo campo.")}`
    )
  }
  return emptyState(
    t("No customers yet", "Todavía no hay clientes"),
    may("documents")
      ? html`<a href="${to(`${path}/new`)}">${t("Register the first customer", "Registre el primer cliente")}</a>${t(
            " here, or with ",
            " aquí, o con "
          )}<code>POST /v1/customers</code>.`
      : html`${t("Register customers with", "Registre clientes con")} <code>POST /v1/customers</code>.`
  )
}

const columns = (visit: Visit): ReadonlyArray<Column<Customer>> => {
  const { t, to } = visit
  return [
    {
      title: t("Name", "Nombre"),
      cell: ({ id, legal_name, trade_name }) =>
        html`<a href="${to(`${path}/${id}`)}">${legal_name}</a>${
            trade_name === undefined ? null : html`<br /><small>${trade_name}</small>`
          }`
    },
    {
      title: t("Identification", "Identificación"),
      cell: ({ identification }) => identificationWords(visit, identification)
    },
    { title: t("Email", "Correo"), cell: ({ email }) => email ?? null, isWide: true },
    {
      title: t("Municipality", "Municipio"),
      cell: ({ city_code }) => (city_code === undefined ? null : cityWords(city_code)),
      isWide: true
    }
  ]
}

const listPage = (visit: Visit, shown: Html, status = 200): Page => {
  const { may, t, to } = visit
  const title = t("Customers", "Clientes")
  const sub = t(
    "The buyers of your invoices, newest first",
    "Los adquirientes de sus facturas, los más recientes primero"
  )
  const actions = may("documents")
    ? linkButton(to(`${path}/new`), t("Register customer", "Registrar cliente"), "first")
    : null
  const above = notice(visit, { deleted: t("Customer deleted.", "Cliente eliminado.") })
  return { ...titled("customers", { title, sub, actions, above }, shown), status }
}

/** The list of customers, or the results of a search. If the API rejects a search, its field shows the error. */
const customersPage = (visit: Visit) =>
  listed<Customer>(visit, "/v1/customers", 25, searchQuery(visit)).pipe(
    Effect.map((list) => {
      const shown = { caption: visit.t("Customers", "Clientes"), columns: columns(visit), nothing: emptyList(visit) }
      const found = listTable(visit, path, list, shown)
      return listPage(
        visit,
        html`${searchForm(visit)}
          <section>${found}</section>`
      )
    }),
    Effect.catchIf(
      (refusal) => isOfForm(refusal) && isSearch(visit),
      (refusal) => Effect.succeed(listPage(visit, searchForm(visit, refusal), refusal.status))
    )
  )

const newPage = (visit: Visit, shown: CustomerShown): Page => {
  const { t } = visit
  const sub = t(
    "Only the identification and the name are required. Folio emails documents to customers that have an email address.",
    "Solo se requieren la identificación y el nombre. Folio envía los documentos por correo a los clientes que tienen correo."
  )
  return titled(
    "customers",
    { title: t("Register customer", "Registrar cliente"), sub },
    customerForm(visit, { action: `${path}/new`, shown, submit: t("Register customer", "Registrar cliente") })
  )
}

const changePage = (visit: Visit, { id, legal_name }: Customer, shown: CustomerShown): Page => {
  const { t, to } = visit
  return titled(
    "customers",
    {
      title: `${t("Change", "Cambiar")} ${legal_name}`,
      heading: legal_name,
      sub: html`${t(
          "Existing documents keep their copy of the customer.",
          "Los documentos existentes conservan su copia del cliente."
        )} <a href="${to(`${path}/${id}`)}">${t("Cancel", "Cancelar")}</a>`
    },
    customerForm(visit, { action: `${path}/${id}/change`, shown, submit: t("Save", "Guardar") })
  )
}

const create = (visit: Visit, sent: Form) =>
  customerBody(visit, sent).pipe(
    Effect.flatMap((body) => visit.send<Customer>("POST", "/v1/customers", body, sent)),
    Effect.map(({ id }) => ({ to: `${path}/${id}`, notice: "created" })),
    orShown((refusal) => newPage(visit, refusedFormOf(sent, refusal)))
  )

const save = (visit: Visit, sent: Form) =>
  Effect.flatMap(customerOfPath(visit), (before) =>
    customerBody(visit, sent, before).pipe(
      Effect.flatMap((body) => visit.send("PATCH", `/v1/customers/${before.id}`, body, sent)),
      Effect.as({ to: `${path}/${before.id}`, notice: "changed" }),
      orShown((refusal) => changePage(visit, before, refusedFormOf(sent, refusal)))
    )
  )

/** The pages of customers. */
export const layer = Layer.mergeAll(
  page(path, customersPage),
  page(`${path}/new`, (visit) => newPage(visit, blankForm)),
  change(`${path}/new`, create),
  page(`${path}/:id`, customerPage),
  page(`${path}/:id/change`, (visit) =>
    Effect.map(customerOfPath(visit), (customer) => changePage(visit, customer, formOf(customer)))
  ),
  change(`${path}/:id/change`, save),
  change(`${path}/:id/delete`, ({ id, send }) =>
    Effect.as(send("DELETE", `/v1/customers/${id}`), { to: path, notice: "deleted" })
  )
)
