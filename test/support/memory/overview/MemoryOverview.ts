import type { AccountMode } from "../../../../schemas/Account.ts"
import { type InvoiceState, isOpen, states } from "../../../../src/domain/documents/InvoiceLifecycle.ts"
import { daysUntil } from "../../../../src/store/overview/Days.ts"
import {
  bouncedMs,
  lateSeconds,
  latestCount,
  Overview,
  overviewDays,
  returnedTypes,
  undeliveredMs
} from "../../../../src/store/overview/Overview.ts"
import { type InvoiceRow, inMemory, isOf, type Tables } from "../MemoryTables.ts"

/* The part of the memory store that the portal alone reads. It counts all that there is. */

const troubled = (rows: ReadonlyArray<InvoiceRow>) => {
  const [first] = rows.toSorted((a, b) => a.created_at.getTime() - b.created_at.getTime() || (a.id < b.id ? -1 : 1))
  return first === undefined
    ? []
    : [{ count: rows.length, id: first.id, full_number: first.full_number, oldest: first.created_at }]
}

const waitingOf = (documents: ReadonlyArray<InvoiceRow>) => {
  const waits = documents.filter(
    (row) => isOpen(row.state) && (row.waiting !== null || row.state === "accepted_contingency")
  )
  const groups = Map.groupBy(waits, (row) => `${row.state === "accepted_contingency"} ${row.waiting?.code ?? ""}`)
  return [...groups.values()].flatMap((rows) => {
    const times = rows.flatMap(({ transmit_before }) => (transmit_before === null ? [] : [transmit_before.getTime()]))
    return troubled(rows).map((common) => ({
      is_contingency: rows[0]!.state === "accepted_contingency",
      code: rows[0]!.waiting?.code ?? null,
      ...common,
      transmit_before: times.length === 0 ? null : new Date(Math.min(...times))
    }))
  })
}

const endpointsOf = ({ deliveries, endpoints }: Tables, account: AccountMode, from: number) =>
  [...endpoints.values()]
    .filter((row) => isOf(row, account))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ failing_since, full_since, id, is_active, url }) => {
      const own = [...deliveries.values()].filter(({ endpoint_id }) => endpoint_id === id)
      const failed = own.filter(({ created_at, status }) => status === "failed" && created_at >= from).length
      const pending = own.filter(({ status }) => status === "pending").length
      return { id, url, is_active, failing_since, full_since, failed, pending }
    })

const bouncedOf = ({ emails, events }: Tables, account: AccountMode, from: number) => {
  const told = events.filter(
    (row) => isOf(row, account) && !row.is_test && row.created_at >= from && returnedTypes.includes(row.type)
  )
  const newest = (id: string) => [...emails.values()].filter(({ invoice_id }) => invoice_id === id).at(-1)?.status
  const ids = [...new Set(told.map(({ object_id }) => object_id))].filter((id) =>
    ["bounced", "complained"].includes(newest(id) ?? "")
  )
  return { count: ids.length, id: ids.toSorted()[0] ?? null }
}

export const layerOverview = inMemory(Overview, ({ call }, { localDate }) => ({
  read: (account) =>
    call("Overview.read", (tables, now) => {
      const days = daysUntil(now, overviewDays, localDate)
      const documents = [...tables.invoices.values()].filter((row) => isOf(row, account))
      const between = (from: number, to: number) =>
        documents.filter(({ created_at }) => created_at.getTime() >= from && created_at.getTime() < to)
      const today = between(days.at(-1)!.from, Infinity)
      const inState = (state: InvoiceState) => today.filter((row) => row.state === state)
      const isLate = ({ created_at }: InvoiceRow) => created_at.getTime() < now - lateSeconds * 1000
      const recent = between(days[0]!.from, Infinity)
      const certificates = [...tables.certificates.values()].filter(
        ({ account_id }) => account_id === account.account_id
      )
      return {
        today: states.flatMap((state) => {
          const rows = inState(state)
          return rows.length === 0 ? [] : [{ state, count: rows.length, late: rows.filter(isLate).length }]
        }),
        days: days.map(({ date, from, to }) => ({ date, count: between(from, to).length })),
        unaccepted: (["failed", "rejected_by_authority"] as const).flatMap((state) =>
          troubled(recent.filter((row) => row.state === state)).map((common) => ({ state, ...common }))
        ),
        waiting: waitingOf(documents),
        endpoints: endpointsOf(tables, account, now - undeliveredMs),
        ranges: [...tables.resolutions.values()].filter((row) => isOf(row, account) && row.is_active),
        certificate_ends: account.livemode ? (certificates.at(-1)?.not_after ?? null) : null,
        bounced: bouncedOf(tables, account, now - bouncedMs),
        latest: documents
          .toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime() || (a.id < b.id ? 1 : -1))
          .slice(0, latestCount)
          .map(({ acquirer, created_at, currency, full_number, id, kind, state, totals }) => ({
            id,
            kind,
            state,
            full_number,
            currency,
            created_at,
            buyer: acquirer.legal_name,
            total: totals.payable_amount
          })),
        customers: [...tables.customers.values()].filter((row) => isOf(row, account)).length
      }
    })
}))
