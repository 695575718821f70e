import { Effect, Layer } from "effect"
import type { Customer } from "../../../schemas/Customer.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import type { Page } from "../frame/Layout.ts"
import { cursors, emptyState, linkButton, type Listed, notice, pager, placeOf, table } from "../frame/Parts.ts"
import { isOfForm, orShown, type Refusal } from "../frame/Refusal.ts"
import { change, page } from "../frame/Routes.ts"
import type { Visit } from "../frame/Visit.ts"
import { blankForm, customerBody, customerForm, type CustomerShown, formOf, refusedFormOf } from "./CustomerForm.ts"
import { customerOfPath, customerPage } from "./CustomerPage.ts"
import { cityWords, identificationWords } from "./PartyWords.ts"
import { isSearch, searchForm, searchQuery } from "./Search.ts"

const list = "/portal/customers"
const pageSize = "25"

const nobody = (visit: Visit): Html => {
  const { may, t, to } = visit
  if (isSearch(visit)) {
    return emptyState(
      t("No customer fits", "Ningún cliente coincide"),
      html`${t("Try a shorter part of the name, or look for one thing at a time.", "Pruebe con una parte más corta del nombre, o busque una sola cosa.")}`
    )
  }
  return emptyState(
    t("No customers yet", "Todavía no hay clientes"),
    may("documents")
      ? html`<a href="${to(`${list}/new`)}">${t("Register the first one", "Registre el primero")}</a>${t(
            ", or send it to ",
            ", o envíelo a "
          )}<code>POST /v1/customers</code>.`
      : html`${t("They are registered by", "Se registran con")} <code>POST /v1/customers</code>.`
  )
}

const rows = (visit: Visit, customers: ReadonlyArray<Customer>): Html => {
  const { t, to } = visit
  return table<Customer>(
    t("Customers", "Clientes"),
    [
      {
        title: t("Name", "Nombre"),
        cell: ({ id, legal_name, trade_name }) =>
          html`<a href="${to(`${list}/${id}`)}">${legal_name}</a>${
              trade_name === undefined ? null : html`<br /><small>${trade_name}</small>`
            }`
      },
      {
        title: t("Identification", "Identificación"),
        cell: ({ identification }) => identificationWords(identification)
      },
      { title: t("E-mail", "Correo electrónico"), cell: ({ email }) => email ?? null, isWide: true },
      {
        title: t("Municipality", "Municipio"),
        cell: ({ city_code }) => (city_code === undefined ? null : cityWords(city_code)),
        isWide: true
      }
    ],
    customers
  )
}

const none: Listed<Customer> = { data: [], has_more: false }

/** The list of customers, or those that a search finds. A search that the API refuses says why beside its field. */
const customersPage = Effect.fnUntraced(function* (visit: Visit) {
  const { get, may, t, to } = visit
  const asked = get<Listed<Customer>>("/v1/customers", { ...searchQuery(visit), ...cursors(visit), limit: pageSize })
  const { found, refusal } = yield* asked.pipe(
    Effect.map((answer) => ({ found: answer, refusal: undefined })),
    Effect.catchTag("Refusal", (refused: Refusal) =>
      isOfForm(refused) && isSearch(visit) ? Effect.succeed({ found: none, refusal: refused }) : Effect.fail(refused)
    )
  )
  const { data } = found
  const shown: Page = {
    title: t("Customers", "Clientes"),
    current: "customers",
    ...(refusal === undefined ? {} : { status: refusal.status }),
    content: html`${notice(visit, { deleted: t("The customer was deleted.", "El cliente se eliminó.") })}
      <div class="head">
        <div>
          <h1>${t("Customers", "Clientes")}</h1>
          <p class="sub">
            ${t("The buyers of your invoices, newest first", "Los compradores de sus facturas, los más recientes primero")}
          </p>
        </div>
        ${
          may("documents")
            ? html`<div class="do">${linkButton(to(`${list}/new`), t("New customer", "Cliente nuevo"), "first")}</div>`
            : null
        }
      </div>
      ${searchForm(visit, refusal)}
      ${
        refusal !== undefined
          ? null
          : html`<section>
              ${data.length === 0 ? nobody(visit) : rows(visit, data)} ${pager(visit, list, placeOf(visit, found))}
            </section>`
      }`
  }
  return shown
})

const newPage = (visit: Visit, shown: CustomerShown): Page => {
  const { t } = visit
  const title = t("New customer", "Cliente nuevo")
  return {
    title,
    current: "customers",
    content: html`<h1>${title}</h1>
      <p class="sub">
        ${t(
          "The identification and the name are enough. Documents are e-mailed to a customer that has an e-mail address.",
          "Bastan la identificación y el nombre. Los documentos se envían por correo a los clientes que tienen uno."
        )}
      </p>
      ${customerForm(visit, { action: `${list}/new`, shown, submit: t("Register", "Registrar") })}`
  }
}

const changePage = (visit: Visit, { id, legal_name }: Customer, shown: CustomerShown): Page => {
  const { t, to } = visit
  return {
    title: `${t("Change", "Cambiar")} ${legal_name}`,
    current: "customers",
    content: html`<h1>${legal_name}</h1>
      <p class="sub">
        ${t(
          "Documents that were created before keep their copy of the customer.",
          "Los documentos ya creados conservan su copia del cliente."
        )}
        <a href="${to(`${list}/${id}`)}">${t("Leave without a change", "Salir sin cambiar nada")}</a>
      </p>
      ${customerForm(visit, { action: `${list}/${id}/change`, shown, submit: t("Save", "Guardar") })}`
  }
}

const changes = Layer.mergeAll(
  change(`${list}/new`, (visit, sent) =>
    Effect.gen(function* () {
      return yield* customerBody(visit, sent).pipe(
        Effect.flatMap((body) => visit.send<Customer>("POST", "/v1/customers", body, sent)),
        Effect.map(({ id }) => ({ to: `${list}/${id}`, notice: "created" })),
        orShown((refusal) => newPage(visit, refusedFormOf(sent, refusal)))
      )
    })
  ),
  change(`${list}/:id/change`, (visit, sent) =>
    Effect.gen(function* () {
      const before = yield* customerOfPath(visit)
      const { id } = before
      return yield* customerBody(visit, sent, before).pipe(
        Effect.flatMap((body) => visit.send("PATCH", `/v1/customers/${id}`, body, sent)),
        Effect.as({ to: `${list}/${id}`, notice: "changed" }),
        orShown((refusal) => changePage(visit, before, refusedFormOf(sent, refusal)))
      )
    })
  ),
  change(`${list}/:id/delete`, ({ id, send }) =>
    Effect.gen(function* () {
      yield* send("DELETE", `/v1/customers/${id}`)
      return { to: list, notice: "deleted" }
    })
  )
)

/** The pages of customers. */
export const layer = Layer.mergeAll(
  page(list, customersPage),
  page(`${list}/new`, (visit) => newPage(visit, blankForm)),
  page(`${list}/:id`, customerPage),
  page(`${list}/:id/change`, (visit) =>
    Effect.map(customerOfPath(visit), (customer) => changePage(visit, customer, formOf(customer)))
  ),
  changes
)
