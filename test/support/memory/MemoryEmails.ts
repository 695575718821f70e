import { Option, Result } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import { type DocumentId, EmailId } from "../../../schemas/Id.ts"
import type { InvoiceState } from "../../../src/invoices/rules/InvoiceLifecycle.ts"
import {
  emailLimitReached,
  Emails,
  emailsMax,
  mailLeaseSeconds,
  type StoredEmail
} from "../../../src/invoices/store/Emails.ts"
import { pageOf } from "./MemoryPages.ts"
import { type EmailRow, existing, inMemory, publish, type Tables } from "./MemoryTables.ts"

/* The part of the memory store for emails to acquirers. */

const stored = ({ invoices }: Tables, row: EmailRow): StoredEmail => {
  const document = existing(invoices, row.invoice_id)
  return {
    ...row,
    kind: document.kind,
    full_number: document.full_number ?? "",
    metadata: document.metadata,
    status_at: new Date(row.status_at),
    next_attempt_at: row.next_attempt_at === null ? null : new Date(row.next_attempt_at),
    created_at: new Date(row.created_at)
  }
}

const put = (
  tables: Tables,
  account: AccountMode,
  email: { readonly id: string; readonly invoice_id: string; readonly state: InvoiceState; readonly to: string },
  now: number
) => {
  const row: EmailRow = {
    account_id: account.account_id,
    livemode: account.livemode,
    id: EmailId.make(email.id),
    invoice_id: email.invoice_id as DocumentId,
    document_state: email.state,
    recipient: email.to,
    status: "pending",
    reason: null,
    status_at: now,
    attempts: 0,
    next_attempt_at: now,
    created_at: now
  }
  tables.emails.set(row.id, row)
  return row
}

/** Creates the email of an acceptance; returns whether there is one. */
export const mail = (tables: Tables, invoice_id: string, event: string, state: InvoiceState, now: number): boolean => {
  const row = tables.invoices.get(invoice_id)
  const to = row?.acquirer.email
  if (row === undefined || to === undefined) return false
  put(tables, row, { id: `em_${event.slice(4)}`, invoice_id, state, to }, now)
  return true
}

/** The latest email of an invoice, as the API shows it. */
export const latestEmail = ({ emails }: Tables, invoice_id: string) => {
  const newest = [...emails.values()]
    .filter((row) => row.invoice_id === invoice_id)
    .toSorted((a, b) => (a.id < b.id ? 1 : -1))[0]
  return newest === undefined ? null : { status: newest.status, at_ms: newest.status_at }
}

const isDue = (row: EmailRow, now: number) => row.next_attempt_at !== null && row.next_attempt_at <= now

export const layerEmails = inMemory(Emails, ({ attempt, call }) => ({
  take: (key) =>
    call("Emails.take", (tables, now) => {
      const [row] = [...tables.emails.values()]
        .filter((one) => one.invoice_id === key.id && isDue(one, now))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      if (row === undefined) return Option.none()
      const taken = { ...row, attempts: row.attempts + 1, next_attempt_at: now + mailLeaseSeconds * 1000 }
      tables.emails.set(row.id, taken)
      return Option.some(stored(tables, taken))
    }),
  record: (outcome) =>
    call("Emails.record", (tables, now) => {
      const { at, email, events, from, reason, retryInMs, status } = outcome
      const row = tables.emails.get(email.id)
      const isStale = retryInMs !== null && row?.attempts !== email.attempts
      if (row === undefined || !from.includes(row.status) || isStale) return { moved: false, endpoints: [] }
      tables.emails.set(row.id, {
        ...row,
        status,
        reason,
        status_at: row.status === status ? row.status_at : at.getTime(),
        next_attempt_at: retryInMs === null ? null : now + retryInMs
      })
      const endpoints = events.flatMap((event) =>
        publish(tables, { ...row, id: row.invoice_id }, event, -1 - tables.events.length, now)
      )
      return { moved: true, endpoints: [...new Set(endpoints)] }
    }),
  dueDocuments: (limit) =>
    call("Emails.dueDocuments", ({ emails }, now) => {
      const due = [...emails.values()].filter((row) => isDue(row, now)).slice(0, limit)
      return due.map(({ account_id, invoice_id, livemode }) => ({ account_id, livemode, id: invoice_id }))
    }),
  insert: ({ document_state, id, invoice_id, recipient, ...account }) =>
    attempt("Emails.insert", (tables, now) => {
      const made = [...tables.emails.values()].filter((row) => row.invoice_id === invoice_id).length
      if (made >= emailsMax) return Result.fail(emailLimitReached)
      const row = put(tables, account, { id, invoice_id, state: document_state, to: recipient }, now)
      return Result.succeed(stored(tables, row))
    }),
  list: (account, invoice_id, request) =>
    call("Emails.list", (tables) => {
      const { has_more, rows } = pageOf(tables.emails, account, request, (row) => row.invoice_id === invoice_id)
      return { has_more, rows: rows.map((row) => stored(tables, row)) }
    })
}))
