import { Option } from "effect"
import { timestamp } from "../../../src/domain/documents/AuthorityTime.ts"
import { InvoiceCommands } from "../../../src/store/documents/InvoiceCommands.ts"
import { timelineMax, Timelines } from "../../../src/store/documents/Timelines.ts"
import type { TimelineEntry } from "../../../schemas/Timeline.ts"
import { DeliveryId, WebhookEndpointId } from "../../../schemas/Id.ts"
import { firstOf } from "./MemoryPages.ts"
import { existing, inMemory, optionOf, type Tables } from "./MemoryTables.ts"

const retryAlarmMs = 5_000

export const invoiceCommandsLayer = inMemory(InvoiceCommands, ({ call }) => ({
  lock: (key) =>
    call("InvoiceCommands.lock", ({ invoices }) =>
      Option.map(
        optionOf(invoices, key, key.id),
        ({ contingency_since, failure, full_number, state, submitted_at, version }) => ({
          state,
          version,
          has_number: full_number !== null,
          is_issued: submitted_at !== null || contingency_since !== null,
          failure
        })
      )
    ),
  move: ({ id }, from, command, to) =>
    call("InvoiceCommands.move", ({ invoices, transitions }, now) => {
      const row = existing(invoices, id)
      const version = row.version + 1
      invoices.set(row.id, {
        ...row,
        state: to,
        version,
        attempts: 0,
        next_action_at: command === "Retry" ? now + retryAlarmMs : null,
        failure: null,
        updated_at: new Date(now)
      })
      transitions.push({ invoice_id: row.id, version, command, from: from.state, to, at: now })
    })
}))

const entriesOf = (tables: Tables, id: string): ReadonlyArray<TimelineEntry> => {
  const row = tables.invoices.get(id)
  if (row === undefined) return []
  const entry = { object: "timeline_entry" as const }
  const made = { ...entry, type: "transition" as const, command: "Create", from: null, to: "queued", version: 1 }
  const events = tables.events.filter(({ object_id }) => object_id === id)
  const happened: ReadonlyArray<readonly [at: number, entry: Omit<TimelineEntry, "at">]> = [
    [row.created_at.getTime(), made],
    ...tables.transitions
      .filter(({ invoice_id }) => invoice_id === id)
      .map(({ at, command, from, to, version }) => {
        return [at, { ...entry, type: "transition", command, from, to, version }] as const
      }),
    ...[...tables.emails.values()]
      .filter(({ invoice_id }) => invoice_id === id)
      .map(({ attempts, id: email_id, reason, recipient, status, status_at }) => {
        return [status_at, { ...entry, type: "email", email_id, to: recipient, status, attempts, reason }] as const
      }),
    ...events.map((event) => {
      return [event.created_at, { ...entry, type: "event", event_id: event.id, event_type: event.type }] as const
    }),
    ...tables.attempts.flatMap(({ delivery, duration_ms, error, number, response_status, started_at, trigger }) => {
      const stored = tables.deliveries.get(delivery.id)
      if (stored?.object_id !== id) return []
      return [
        [
          started_at.getTime(),
          {
            ...entry,
            type: "delivery_attempt",
            event_id: stored.event_id,
            webhook_delivery_id: DeliveryId.make(stored.id),
            webhook_endpoint_id: WebhookEndpointId.make(stored.endpoint_id),
            number,
            trigger,
            duration_ms,
            response_status,
            error
          }
        ] as const
      ]
    })
  ]
  return happened.toSorted(([a], [b]) => a - b).map(([at, one]) => ({ ...one, at: timestamp(at) }) as TimelineEntry)
}

export const timelinesLayer = inMemory(Timelines, ({ call }) => ({
  ofInvoice: (account, id) =>
    call("Timelines.ofInvoice", (tables) => {
      const entries = Option.isSome(optionOf(tables.invoices, account, id)) ? entriesOf(tables, id) : []
      const rows = firstOf(entries, timelineMax)
      return { rows, has_more: entries.length > rows.length }
    })
}))
