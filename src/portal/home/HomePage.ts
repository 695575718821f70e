import { Clock, Effect } from "effect"
import type { Account } from "../../../schemas/Account.ts"
import type { InvoiceStatus } from "../../../schemas/Invoice.ts"
import { statusOf } from "../../domain/documents/InvoiceLifecycle.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { type AccountOverview, type LatestRow, type TodayRow, todayMax } from "../../store/overview/OverviewRows.ts"
import { kindWords, statusMark, statusWords } from "../frame/DocumentWords.ts"
import { day, figure, money, shortTime } from "../frame/Formats.ts"
import { titled } from "../frame/Layout.ts"
import { type Column, idLink, linkButton, section, state, table, twoColumns } from "../frame/Parts.ts"
import type { Visit } from "../frame/Visit.ts"
import { page } from "../frame/Routes.ts"
import { Overview } from "../../store/overview/Overview.ts"
import { SandboxAuthorities } from "../../store/sandbox/SandboxAuthorities.ts"
import { dayLine } from "./DayLine.ts"
import type { Need } from "./Need.ts"
import { needsOf } from "./Needs.ts"

const needsSection = ({ t, to }: Visit, needs: ReadonlyArray<Need>): Html =>
  section(
    "needs",
    t("Needs attention", "Requiere atención"),
    needs.length === 0
      ? html`<p>${state("ok", t("All is well.", "Todo está en orden."))}</p>`
      : html`${needs.map(
          ({ link, to: path, tone, words }) =>
            html`<div class="rule ${tone === "wait" ? "mild" : ""}">
              ${words}
              <a href="${to(path)}">${link}</a>
            </div>`
        )}`
  )

const shownFirst: ReadonlyArray<InvoiceStatus> = [
  "accepted_by_authority",
  "draft",
  "accepted_contingency",
  "rejected_by_authority",
  "failed",
  "canceled"
]

const countsOf = (today: ReadonlyArray<TodayRow>) => {
  const counts = new Map<InvoiceStatus, number>()
  for (const { count, state: one } of today) {
    const status = statusOf(one)
    counts.set(status, (counts.get(status) ?? 0) + count)
  }
  return counts
}

const todaySection = ({ t, to }: Visit, { days, today }: AccountOverview): Html => {
  const counts = countsOf(today)
  const date = days.at(-1)?.date ?? ""
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const shown = shownFirst.filter((status) => status === "accepted_by_authority" || (counts.get(status) ?? 0) > 0)
  const numbers = shown.map(
    (status) =>
      html`<div>
        <b>${figure(t, counts.get(status) ?? 0)}</b
        ><a href="${to("/portal/documents", { status, from: date, to: date })}"
          >${statusWords(t, status, counts.get(status) ?? 0)}</a
        >
      </div>`
  )
  const isCapped = all >= todayMax
  return section(
    "today",
    t("Today", "Hoy"),
    all === 0
      ? html`<p class="soft">${t("No document yet.", "Todavía ningún documento.")}</p>`
      : html`<div class="numbers">${numbers}</div>
          ${isCapped ? html`<p class="soft">${t("Of the newest ones of today.", "De los más recientes de hoy.")}</p>` : null}`
  )
}

const latestSection = (visit: Visit, latest: ReadonlyArray<LatestRow>): Html => {
  const { t, to } = visit
  const title = t("Newest documents", "Documentos más recientes")
  const columns: ReadonlyArray<Column<LatestRow>> = [
    {
      title: t("Document", "Documento"),
      cell: ({ created_at, full_number, id, kind }) =>
        html`${idLink(visit, id, full_number ?? kindWords(t, kind))}<br />
          <small>${shortTime(visit, created_at)}</small>`
    },
    { title: t("Customer", "Cliente"), cell: ({ buyer }) => buyer, isWide: true },
    { title: t("Status", "Estado"), cell: (row) => statusMark(t, statusOf(row.state)) },
    { title: t("Amount", "Valor"), cell: ({ currency, total }) => money(t, total, currency), isFigure: true }
  ]
  return section(
    "latest",
    title,
    table(title, columns, latest),
    html`<p class="pager"><a href="${to("/portal/documents")}">${t("All documents", "Todos los documentos")}</a></p>`
  )
}

const liveSection = ({ session, t, to }: Visit, { live }: Account): Html => {
  const { livemode } = session.principal
  const left = live.steps.length
  const words = livemode
    ? t("Nothing can be issued yet.", "Todavía no se puede emitir nada.")
    : t("This test mode is yours to try things out.", "Este modo de pruebas es suyo para ensayar.")
  return section(
    "live",
    t("Going live", "Salir a producción"),
    html`<p>
        ${words}
        ${left === 1 ? t("1 step is left.", "Falta 1 paso.") : t(`${left} steps are left.`, `Faltan ${left} pasos.`)}
      </p>
      ${linkButton(to("/portal/setup"), t("See the steps", "Ver los pasos"))}`
  )
}

/** A step that is done, or the page on which to do it. */
const stepMark = ({ t, to }: Visit, isDone: boolean, path: string, words: string): Html =>
  isDone ? state("ok", t("You have one.", "Ya tiene uno.")) : html`<a href="${to(path)}">${words}</a>`

const firstInvoice = ({ session, t, to }: Visit): Html => {
  const how = html`<a href="${to("/docs/guides/first-invoice")}" hx-boost="false">${t("How", "Cómo")}</a>`
  if (session.principal.livemode)
    return html`<p>
      ${t("An invoice, sent by your program with a live key.", "Una factura, enviada por su programa con una clave de producción.")}
      ${how}
    </p>`
  return html`<p>${t("An invoice, sent by your program.", "Una factura, enviada por su programa.")} ${how}</p>
    <p>${t("To see one immediately, with its own customer:", "Para ver una de inmediato, con su propio cliente:")}</p>
    <pre><code>npx folio trigger invoice.accepted_by_authority --wait</code></pre>`
}

const firstSteps = (visit: Visit, { customers, endpoints }: AccountOverview): Html => {
  const { t, to } = visit
  const customer = stepMark(visit, customers > 0, "/portal/customers", t("Register one", "Registrar uno"))
  const endpoint = stepMark(visit, endpoints.length > 0, "/portal/endpoints", t("Add one", "Agregar uno"))
  return section(
    "first",
    t("What to do first", "Qué hacer primero"),
    html`<ol>
        <li>
          <p>${t("A customer: who the invoice is for.", "Un cliente: a quién se le factura.")} ${customer}</p>
        </li>
        <li>${firstInvoice(visit)}</li>
        <li>
          <p>
            ${t("An endpoint, where your program learns the outcome.", "Un destino, donde su programa se entera del resultado.")}
            ${endpoint}
          </p>
        </li>
      </ol>
      <p>
        <a href="${to("/docs")}" hx-boost="false"
          >${t("The first ten minutes, step by step", "Los primeros diez minutos, paso a paso")}</a
        >
      </p>`
  )
}

/** The first page: what needs somebody, what happened today, and the last days. */
const home = Effect.fnUntraced(function* (visit: Visit) {
  const { session, t } = visit
  const account = yield* visit.get<Account>("/v1/account")
  const overview = yield* visit.read((yield* Overview).read)
  const { days, latest } = overview
  const mode = session.principal.livemode ? "up" : (yield* visit.read((yield* SandboxAuthorities).setting)).mode
  const now = new Date(yield* Clock.currentTimeMillis)
  const date = days.at(-1)?.date ?? ""
  const needs = needsOf(visit, { ...overview, now, date, isHindered: mode !== "up" })
  // A new account has no activity yet.
  const isNew = latest.length === 0
  const wide = isNew
    ? [needs.length === 0 ? null : needsSection(visit, needs), firstSteps(visit, overview)]
    : [
        needsSection(visit, needs),
        todaySection(visit, overview),
        section("days", t("The last 30 days", "Los últimos 30 días"), dayLine(visit, days)),
        latestSection(visit, latest)
      ]
  return titled(
    "home",
    { title: t("Home", "Inicio"), heading: account.name, sub: day(visit, date) },
    account.live.ready ? wide : twoColumns(wide, liveSection(visit, account), t("Going live", "Salir a producción"))
  )
})

export const layer = page("/portal", home)
