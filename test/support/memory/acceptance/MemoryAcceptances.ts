import type { DocumentKey } from "../../../../schemas/FiscalDocument.ts"
import type { DocumentId } from "../../../../schemas/Id.ts"
import { finalCodes } from "../../../../src/invoices/rules/AcceptanceRules.ts"
import { Acceptances, questionLeaseSeconds, type StoredAcceptance } from "../../../../src/invoices/store/Acceptances.ts"
import { existing, inMemory, type InvoiceRow, type Tables } from "../MemoryTables.ts"

/* The part of the memory store for buyers' answers. */

const dayMs = 24 * 3_600_000

/** Times in milliseconds. */
export interface AcceptanceRow extends DocumentKey {
  readonly events: StoredAcceptance["events"]
  readonly next_question_at: number | null
  readonly ask_until: number
}

/** The query that follows from the acceptance of an invoice on credit terms. */
export const askBuyer = ({ acceptances }: Tables, { account_id, id, livemode }: InvoiceRow, now: number) =>
  acceptances.set(id, {
    account_id,
    livemode,
    id,
    events: {},
    next_question_at: now + dayMs / 2,
    ask_until: now + 30 * dayMs
  })

/** The acceptance of an invoice, as the API shows it. */
export const acceptanceOf = ({ acceptances }: Tables, id: string): StoredAcceptance | null => {
  const row = acceptances.get(id)
  return row === undefined ? null : { events: row.events, is_over: row.next_question_at === null }
}

export const layerAcceptances = inMemory(Acceptances, ({ call }) => ({
  take: (limit, without) =>
    call("Acceptances.take", ({ acceptances }, now) => {
      const due = [...acceptances.values()].filter(
        ({ account_id, next_question_at }) => (next_question_at ?? Infinity) <= now && !without.includes(account_id)
      )
      const taken = due
        .toSorted((a, b) => (a.next_question_at ?? 0) - (b.next_question_at ?? 0))
        .slice(0, limit)
        .map((row) => ({ ...row, next_question_at: now + questionLeaseSeconds * 1000 }))
      for (const row of taken) acceptances.set(row.id, row)
      return taken.map(({ account_id, id, livemode }) => ({ account_id, livemode, id: id as DocumentId }))
    }),
  keep: ({ id }, came) =>
    call("Acceptances.keep", ({ acceptances }, now) => {
      const row = existing(acceptances, id)
      const events = { ...Object.fromEntries(came.map(({ code, ...event }) => [code, event])), ...row.events }
      const isOver = finalCodes.some((code) => Object.hasOwn(events, code)) || now >= row.ask_until
      acceptances.set(id, {
        ...row,
        events,
        next_question_at: isOver ? null : Math.min(now + dayMs - 1_800_000, row.ask_until)
      })
    }),
  postpone: (keys, seconds) =>
    call("Acceptances.postpone", ({ acceptances }, now) => {
      for (const { id } of keys) {
        const row = existing(acceptances, id)
        if (row.next_question_at === null) continue
        acceptances.set(id, {
          ...row,
          next_question_at: now < row.ask_until + 2 * dayMs ? now + seconds * 1000 : null
        })
      }
    })
}))
