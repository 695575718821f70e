import { Effect, Layer, Option } from "effect"
import { PoisonInvoices, reminderLeaseSeconds } from "../../src/store/PoisonInvoices.ts"
import { Retention } from "../../src/store/Retention.ts"
import { MemoryTables } from "./MemoryTables.ts"

/* The part of the memory store that keeps the house: what breaks, what is past its time, what is waiting. */

const parkSecondsMax = 300

export const poisonInvoicesLayer = Layer.effect(
  PoisonInvoices,
  Effect.map(MemoryTables, ({ call }) =>
    PoisonInvoices.of({
      vitals: (key) =>
        call("PoisonInvoices.vitals", ({ invoices }) =>
          Option.filter(Option.fromUndefinedOr(invoices.get(key.id)), (row) => row.account_id === key.account_id)
        ),
      park: (keys) =>
        call("PoisonInvoices.park", ({ invoices }, now) => {
          for (const { id } of keys) {
            const row = invoices.get(id)
            if (row === undefined || row.next_action_at === null) continue
            const next_action_at = now + (reminderLeaseSeconds + Math.min(2 ** row.attempts, parkSecondsMax)) * 1000
            invoices.set(id, { ...row, attempts: row.attempts + 1, next_action_at })
          }
        })
    })
  )
)

// Nothing here lives for a day.
export const retentionLayer = Layer.succeed(Retention, {
  purgeIdempotencyKeys: Effect.succeed(0),
  purgeDeliveries: Effect.succeed(0),
  purgeEvents: Effect.succeed(0)
})
