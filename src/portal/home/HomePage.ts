import { Clock, Effect, Layer } from "effect"
import type { Account } from "../../../schemas/Account.ts"
import type { InvoiceStatus } from "../../../schemas/Invoice.ts"
import { statusOf } from "../../invoices/rules/InvoiceLifecycle.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { type AccountOverview, type LatestRow, type TodayRow, todayMax } from "../../operations/store/OverviewRows.ts"
import { kindWords, statusMark, statusWords } from "../frame/DocumentWords.ts"
import { day, figure, money, shortTime } from "../frame/Formats.ts"
import { titled } from "../frame/PortalLayout.ts"
import { type Column, idLink, linkButton, section, state, table, twoColumns } from "../frame/Parts.ts"
import type { Visit } from "../frame/Visit.ts"
import { page } from "../frame/PortalRoutes.ts"
import { Overview } from "../../operations/store/Overview.ts"
import { SandboxAuthorities } from "../../accounts/store/sandbox/SandboxAuthorities.ts"
import * as AccountPages from "../accounts/AccountPages.ts"
import { makeReads } from "../accounts/Fleet.ts"
import { makeFleetPage } from "../accounts/FleetPage.ts"
import * as Opening from "../accounts/Opening.ts"
import { dayLine } from "./DayLine.ts"
import type { Need } from "./Need.ts"
import { needsOf } from "./Needs.ts"

const needsSection = ({ t, to }: Visit, needs: ReadonlyArray<Need>): Html =>
  section(
    "needs",
    t("Needs attention", "Requiere atención"),
    needs.length === 0
      ? html`<p>${state("ok", t("Nothing needs attention.", "Nada requiere atención."))}</p>`
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
      ? html`<p class="soft">${t("No documents yet.", "Todavía no hay documentos.")}</p>`
      : html`<div class="numbers">${numbers}</div>
          ${isCapped ? html`<p class="soft">${t("Counts only today’s newest documents.", "Cuenta solo los documentos más recientes de hoy.")}</p>` : null}`
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
    { title: t("Total", "Total"), cell: ({ currency, total }) => money(t, total, currency), isFigure: true }
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
    ? t("This account can’t issue documents yet.", "Esta cuenta todavía no puede emitir documentos.")
    : t("Try everything in test mode.", "Pruebe todo en el modo de pruebas.")
  return section(
    "live",
    t("Going live", "Salida a producción"),
    html`<p>
        ${words}
        ${left === 1 ? t("1 step remains.", "Falta 1 paso.") : t(`${left} steps remain.`, `Faltan ${left} pasos.`)}
      </p>
      ${linkButton(to("/portal/setup"), t("View steps", "Ver pasos"))}`
  )
}

/** The mark of a completed step, or a link to the step's page. */
const stepMark = ({ t, to }: Visit, isDone: boolean, path: string, words: string): Html =>
  isDone ? state("ok", t("Done", "Listo")) : html`<a href="${to(path)}">${words}</a>`

const firstInvoice = ({ session, t, to }: Visit): Html => {
  const how = html`<a href="${to("/docs/guides/first-invoice")}" hx-boost="false">${t("Guide", "Guía")}</a>`
  if (session.principal.livemode)
    return html`<p>
      ${t("Invoice: your program sends it with a live key.", "Factura: su programa la envía con una clave de producción.")}
      ${how}
    </p>`
  return html`<p>${t("Invoice: your program sends it.", "Factura: su programa la envía.")} ${how}</p>
    <p>
      ${t("To create a test invoice with its own customer now:", "Para crear ya una factura de prueba con su propio cliente:")}
    </p>
    <pre><code>npx folio trigger invoice.accepted_by_authority --wait</code></pre>`
}

const firstSteps = (visit: Visit, { customers, endpoints }: AccountOverview): Html => {
  const { t, to } = visit
  const customer = stepMark(visit, customers > 0, "/portal/customers", t("Register customer", "Registrar cliente"))
  const endpoint = stepMark(visit, endpoints.length > 0, "/portal/endpoints", t("Add endpoint", "Agregar destino"))
  return section(
    "first",
    t("First steps", "Primeros pasos"),
    html`<ol>
        <li>
          <p>${t("Customer: the buyer on the invoice.", "Cliente: el adquiriente de la factura.")} ${customer}</p>
        </li>
        <li>${firstInvoice(visit)}</li>
        <li>
          <p>
            ${t("Endpoint: the address where your program receives the outcome.", "Destino: la dirección donde su programa recibe el resultado.")}
            ${endpoint}
          </p>
        </li>
      </ol>
      <p>
        <a href="${to("/docs")}" hx-boost="false"
          >${t("Quickstart: ten minutes, step by step", "Inicio rápido: diez minutos, paso a paso")}</a
        >
      </p>`
  )
}

/** The home page: problems that need attention, today's documents, and the last 30 days. */
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
        section("days", t("Last 30 days", "Últimos 30 días"), dayLine(visit, days)),
        latestSection(visit, latest)
      ]
  return titled(
    "home",
    { title: t("Home", "Inicio"), heading: account.name, sub: day(visit, date) },
    account.live.ready ? wide : twoColumns(wide, liveSection(visit, account), t("Going live", "Salida a producción"))
  )
})

/** The first page: of a platform its accounts, of an account the home page. */
export const layer = Layer.unwrap(
  Effect.map(makeReads, (reads) => {
    const fleet = makeFleetPage(reads)
    return Layer.mergeAll(
      page("/portal", (visit) => (visit.isPlatform ? fleet(visit) : home(visit))),
      AccountPages.makeLayer(reads),
      Opening.layer
    )
  })
)
