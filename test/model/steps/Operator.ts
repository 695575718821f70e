import { Clock, Effect } from "effect"
import { timestamp } from "../../../src/runtime/AuthorityTime.ts"
import { eventOf, type InvoiceCommand, sources, transition } from "../../../src/invoices/rules/InvoiceLifecycle.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { type StoredInvoice } from "../../../src/invoices/store/Invoices.ts"
import { invoiceSnapshot } from "../../../src/invoices/store/InvoiceViews.ts"
import { Transitions } from "../../../src/invoices/store/Transitions.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"

/**
 * Executes a command on a document without its actor, if the lifecycle allows it: contingency and its ends. Only the
 * authority accepts or rejects a document that was sent to it.
 */
export const operate = Effect.fnUntraced(function* (command: InvoiceCommand, place: number) {
  const { tables } = yield* MemoryTables
  const rows: ReadonlyArray<StoredInvoice> = [...tables.invoices.values()].filter(({ state, submitted_at }) =>
    command === "EnterContingency"
      ? sources(command).includes(state) && state !== "numbered" && submitted_at === null
      : state === "accepted_contingency"
  )
  const row = rows[place % rows.length]
  if (row === undefined) return
  const to = transition(row.state, command, { hasNumber: true, isIssued: row.submitted_at !== null })
  if (to._tag === "Failure") return
  const transitions = yield* Transitions
  const event_id = yield* (yield* Ids).event
  const now = yield* Clock.currentTimeMillis
  const type = `${row.kind}.${eventOf(command) ?? "failed"}` as const
  const next: StoredInvoice = { ...row, state: to.success, version: row.version + 1 }
  const body = JSON.stringify({
    id: event_id,
    object: "event",
    type,
    created: timestamp(now),
    livemode: row.livemode,
    account: row.account_id,
    data: { object: invoiceSnapshot(next, { pdf_url: null, xml_url: null, qr_url: null }) }
  })
  yield* transitions.move({
    key: row,
    version: row.version,
    from: row.state,
    command,
    to: to.success,
    alarmMs: null,
    event: { id: event_id, type, body, created_at: new Date(now) }
  })
})
