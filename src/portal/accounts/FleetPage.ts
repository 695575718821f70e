import { Effect } from "effect"
import type { Account } from "../../../schemas/Account.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { identificationWords } from "../customers/PartyWords.ts"
import { action, inputs } from "../forms/FormFields.ts"
import { figure } from "../frame/Formats.ts"
import { filterForm, noneFits } from "../frame/Lists.ts"
import { type Page, titled } from "../frame/PortalLayout.ts"
import { type Column, emptyState, linkButton, notice, state, table } from "../frame/Parts.ts"
import type { Visit } from "../frame/Visit.ts"
import type { AccountNeed } from "./AccountNeeds.ts"
import { arranged, fleetMax, type FleetQuery, fleetQuery, type FleetRow, type Reads } from "./Fleet.ts"

export const accountsPath = "/portal/accounts"
const home = "/portal"

const pageSize = 50

/** The status of an account, with its reason. */
export const statusPart = ({ t }: Pick<Visit, "t">, { status, status_reason }: Account): Html => {
  const states: Record<Account["status"], Html> = {
    active: state("ok", t("Active", "Activa")),
    suspended: state("bad", t("Suspended", "Suspendida")),
    closed: state("still", t("Closed", "Cerrada"))
  }
  return html`${states[status]}${status_reason === null ? null : html`<br /><small>${status_reason}</small>`}`
}

/** Whether an account can issue live documents. Null for a closed account, which issues no documents. */
export const readyPart = ({ t }: Pick<Visit, "t">, { live: { ready, steps }, status }: Account): Html | null => {
  if (status === "closed") return null
  if (ready) return state("ok", t("Ready", "Lista"))
  const [one, more] = [
    t("1 step left", "Falta 1 paso"),
    t(`${steps.length} steps left`, `Faltan ${steps.length} pasos`)
  ]
  return state("wait", steps.length === 1 ? one : more)
}

/** The needs of an account, one a line. */
export const needsPart = ({ t }: Pick<Visit, "t">, needs: ReadonlyArray<AccountNeed>): Html =>
  needs.length === 0
    ? html`<span class="soft">${t("Nothing", "Nada")}</span>`
    : html`${needs.map(({ tone, words }) => html`<div class="${tone}">${words}</div>`)}`

/** The button that opens the account's own portal. */
export const openButton = (visit: Visit, id: string): Html =>
  action(visit, { action: `${accountsPath}/${id}/open`, submit: visit.t("Open", "Abrir") })

const columns = (visit: Visit): ReadonlyArray<Column<FleetRow>> => {
  const { t, to } = visit
  return [
    {
      title: t("Account", "Cuenta"),
      cell: ({ account: { identification, name }, id }) =>
        html`<a href="${to(`${accountsPath}/${id}`)}">${name}</a>${
            identification === null ? null : html`<br /><small>${identificationWords(visit, identification)}</small>`
          }`
    },
    { title: t("Status", "Estado"), cell: ({ account }) => statusPart(visit, account) },
    { title: t("Live", "Producción"), isNamed: true, cell: ({ account }) => readyPart(visit, account) },
    { title: t("Needs", "Requiere"), isNamed: true, cell: ({ needs }) => needsPart(visit, needs) },
    { title: t("Portal", "Portal"), isUntitled: true, cell: ({ id }) => openButton(visit, id) }
  ]
}

const chosenNames = ["search", "status", "only", "sort"] as const

/** The choices of the query, for the links to other pages of the list. */
const chosen = ({ query }: Visit): Record<string, string | undefined> =>
  Object.fromEntries(chosenNames.map((name) => [name, query.get(name) ?? undefined]))

const filters = (visit: Visit, isFiltered: boolean): Html => {
  const { query, t } = visit
  const input = inputs(
    (name) => query.get(name) ?? "",
    () => undefined
  )
  const all = ["", t("All", "Todas")] as const
  return filterForm(
    visit,
    home,
    [
      input("search", t("Name or NIT", "Nombre o NIT"), { type: "search" }),
      input("status", t("Status", "Estado"), {
        choices: [
          all,
          ["active", t("Active", "Activa")],
          ["suspended", t("Suspended", "Suspendida")],
          ["closed", t("Closed", "Cerrada")]
        ]
      }),
      input("only", t("Show", "Mostrar"), {
        choices: [
          all,
          ["needs", t("With needs", "Con pendientes")],
          ["not_ready", t("Not ready for live", "No listas para producción")],
          ["ready", t("Ready for live", "Listas para producción")]
        ]
      }),
      input("sort", t("Order", "Orden"), {
        choices: [
          ["newest", t("Newest first", "Más recientes primero")],
          ["name", t("By name", "Por nombre")],
          ["needs", t("Most needs first", "Más pendientes primero")]
        ]
      })
    ],
    isFiltered
  )
}

/** The links to the other pages of the list, and to the accounts that are older than those read together. */
const pages = (visit: Visit, { after, page }: FleetQuery, count: number, older: string | null): Html | null => {
  const { t, to } = visit
  const of = (number: number) => to(home, { ...chosen(visit), after: after ?? undefined, page: String(number) })
  const isLast = page * pageSize >= count
  if (page === 1 && isLast && older === null) return null
  return html`${
      older === null
        ? null
        : html`<p class="soft">
            ${t(
              `Folio sorts at most ${fleetMax} accounts together. To find others, search or open the older accounts.`,
              `Folio ordena máximo ${fleetMax} cuentas juntas. Para encontrar otras, busque o abra las cuentas más antiguas.`
            )}
            <a href="${to(home, { ...chosen(visit), after: older })}">${t("Older accounts", "Cuentas más antiguas")}</a>
          </p>`
    }
    <nav class="pager" aria-label="${t("List pages", "Páginas de la lista")}">
      ${page === 1 ? null : html`<a class="b" rel="prev" href="${of(page - 1)}">${t("Previous", "Anterior")}</a>`}
      ${isLast ? null : html`<a class="b" rel="next" href="${of(page + 1)}">${t("Next", "Siguiente")}</a>`}
    </nav>`
}

const emptyList = (visit: Visit): Html => {
  const { may, t, to } = visit
  return emptyState(
    t("No accounts yet", "Todavía no hay cuentas"),
    may("setup")
      ? html`<a href="${to(`${accountsPath}/new`)}">${t("Create the first account", "Cree la primera cuenta")}</a>${t(
            " here, or with ",
            " aquí, o con "
          )}<code>POST /v1/accounts</code>.`
      : html`${t("Create accounts with", "Cree cuentas con")} <code>POST /v1/accounts</code>.`
  )
}

/** Makes the first page of a platform: its accounts, and what each needs. */
export const makeFleetPage = (reads: Reads) =>
  Effect.fnUntraced(function* (visit: Visit): Effect.fn.Return<Page, Effect.Error<ReturnType<Reads["list"]>>> {
    const { may, session, t, to } = visit
    const asked = fleetQuery(visit.query)
    const { has_more, last, rows: found } = yield* reads.list(visit, asked)
    const rows = arranged(visit, found, asked)
    const isFiltered = chosenNames.some((name) => (visit.query.get(name) ?? "") !== "") || asked.after !== null
    const shown = rows.slice((asked.page - 1) * pageSize, asked.page * pageSize)
    const title = t("Accounts", "Cuentas")
    const count =
      rows.length === 1
        ? t("1 account", "1 cuenta")
        : t(`${figure(t, rows.length)} accounts`, `${figure(t, rows.length)} cuentas`)
    const actions = may("setup")
      ? linkButton(to(`${accountsPath}/new`), t("Create account", "Crear cuenta"), "first")
      : null
    return titled(
      "home",
      {
        title,
        heading: session.account_name,
        sub: has_more ? t(`The newest ${count}`, `Las ${count} más recientes`) : count,
        actions
      },
      notice(visit, { back: t("You are back at your accounts.", "Está de vuelta en sus cuentas.") }),
      found.length === 0 && !isFiltered
        ? emptyList(visit)
        : html`${filters(visit, isFiltered)}
            <section>
              ${rows.length === 0 ? noneFits(visit, home, t("No matching accounts", "Ninguna cuenta coincide")) : table(title, columns(visit), shown)}
              ${pages(visit, asked, rows.length, has_more ? last : null)}
            </section>`
    )
  })
