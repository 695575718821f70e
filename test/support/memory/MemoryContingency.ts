import type { DocumentId } from "../../../schemas/Id.ts"
import {
  AuthorityCircuits,
  circuitOf,
  type CircuitState,
  type Share,
  type Waiting
} from "../../../src/invoices/store/AuthorityCircuits.ts"
import { reminderLeaseSeconds } from "../../../src/invoices/store/Vitals.ts"
import { type CircuitRow, type InvoiceRow, inMemory, type Tables } from "./MemoryTables.ts"

/* The part of the memory store for an unavailable authority, and for documents that waited past midnight. */

const transmitWithinMs = 48 * 3_600_000

const never: CircuitRow = {
  failing_since: null,
  failed_at: null,
  at_fault_since: null,
  opened_at: null,
  accounts: [],
  of_all: false,
  trouble: null,
  message: null,
  trouble_since: null,
  refusal: null,
  refusal_since: null,
  refused_at: null,
  next_probe_at: 0,
  restored_at: null
}

const stateOf = ({ circuits }: Tables, name: string, now: number): CircuitState => {
  const row = circuits.get(name) ?? never
  const age = (at: number | null) => (at === null ? null : now - at)
  const { accounts, message, of_all, trouble } = row
  return {
    failing_ms: age(row.failing_since),
    failed_ms: age(row.failed_at),
    at_fault_ms: age(row.at_fault_since),
    is_open: row.opened_at !== null,
    accounts,
    of_all,
    trouble,
    message,
    trouble_since: row.trouble_since === null ? null : new Date(row.trouble_since),
    refusal: row.refusal,
    refusal_since: row.refusal_since === null ? null : new Date(row.refusal_since),
    refused_ms: age(row.refused_at)
  }
}

const restingIn = ({ invoices }: Tables, name?: string) =>
  [...invoices.values()]
    .filter((row) => row.next_action_at === Infinity && (name === undefined || circuitOf(row) === name))
    .toSorted((a, b) => a.created_at.getTime() - b.created_at.getTime() || (a.id < b.id ? -1 : 1))

const ranks = ["submitted", "accepted_contingency", "signed"]
const isUnsent = ({ state, submitted_at }: InvoiceRow) => state === "signed" && submitted_at === null
const rankOf = ({ state }: InvoiceRow) => ranks.indexOf(state)

/** The documents of a circuit to take, as `AuthorityCircuits.take` chooses them. */
const shareOf = (tables: Tables, { is_open, name }: Waiting, share: Share, limit: number) => {
  const resting = restingIn(tables, name)
  if (share === "signed") return resting.filter(isUnsent).slice(0, limit)
  if (share === "all") return resting.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, limit)
  return resting
    .filter((row) => !isUnsent(row) || !is_open)
    .toSorted(
      (a, b) =>
        Number(rankOf(a) === 2) - Number(rankOf(b) === 2) ||
        a.updated_at.getTime() - b.updated_at.getTime() ||
        (a.id < b.id ? -1 : 1)
    )
    .slice(0, 1)
}

export const layerCircuits = inMemory(AuthorityCircuits, ({ call }) => ({
  read: (name) => call("AuthorityCircuits.read", (tables, now) => stateOf(tables, name, now)),
  failed: (name, { account_id, is_authoritys, message, of_all, trouble }, openAfterMs, silenceMs) =>
    call("AuthorityCircuits.failed", (tables, now) => {
      const row = tables.circuits.get(name) ?? { ...never, next_probe_at: now }
      const isSilent = row.opened_at === null && row.failed_at !== null && row.failed_at < now - silenceMs
      const isNew = row.failing_since === null || isSilent
      const since = isNew ? now : (row.at_fault_since ?? now)
      const isLong = !isNew && row.at_fault_since !== null && now - row.at_fault_since >= openAfterMs
      const accounts = isNew ? [account_id] : [...new Set([...row.accounts, account_id])].slice(0, 2)
      tables.circuits.set(name, {
        ...row,
        failing_since: isNew ? now : row.failing_since,
        failed_at: now,
        at_fault_since: is_authoritys ? since : null,
        opened_at: !is_authoritys || isNew ? null : (row.opened_at ?? (isLong ? now : null)),
        accounts,
        of_all: of_all || (row.of_all && !isNew),
        trouble,
        message,
        trouble_since: row.trouble === trouble && !isNew ? row.trouble_since : now
      })
      return stateOf(tables, name, now)
    }),
  succeeded: (name) =>
    call("AuthorityCircuits.succeeded", ({ circuits }, now) => {
      const row = circuits.get(name)
      if (row === undefined || (row.failing_since === null && row.refusal !== "clock_off")) return
      const { refusal_since, refused_at } = row
      const kept =
        row.refusal === null || row.refusal === "clock_off" ? {} : { refusal: row.refusal, refusal_since, refused_at }
      circuits.set(name, { ...never, ...kept, next_probe_at: now, restored_at: now })
    }),
  refused: (name, trouble) =>
    call("AuthorityCircuits.refused", ({ circuits }, now) => {
      const row = circuits.get(name) ?? { ...never, next_probe_at: now }
      const isSame = row.refusal === trouble && row.refused_at !== null && now - row.refused_at < 900_000
      const refusal_since = isSame ? row.refusal_since : now
      circuits.set(name, { ...row, refusal: trouble, refusal_since, refused_at: now })
    }),
  tryNow: call("AuthorityCircuits.tryNow", ({ circuits }, now) => {
    for (const [name, row] of circuits) {
      if (row.failing_since !== null) circuits.set(name, { ...row, next_probe_at: now })
    }
  }),
  claimProbe: (name, intervalMs) =>
    call("AuthorityCircuits.claimProbe", ({ circuits }, now) => {
      const row = circuits.get(name)
      if (row === undefined || row.next_probe_at > now) return false
      circuits.set(name, { ...row, next_probe_at: now + intervalMs })
      return true
    }),
  waiting: call("AuthorityCircuits.waiting", (tables, now) => {
    const names = new Map(restingIn(tables).map((row) => [circuitOf(row), row.livemode ? null : row.account_id]))
    return [...names].map(([name, account_id]) => {
      const { failing_since, next_probe_at, opened_at } = tables.circuits.get(name) ?? never
      const [is_failing, is_open] = [failing_since !== null, opened_at !== null]
      return { name, account_id, is_failing, is_open, is_probe_due: next_probe_at <= now }
    })
  }),
  take: (circuit, share, limit) =>
    call("AuthorityCircuits.take", (tables, now) => {
      const restored = tables.circuits.get(circuit.name)?.restored_at ?? 0
      return shareOf(tables, circuit, share, limit).map((row) => {
        const { account_id, contingency_since, id, livemode, state, transmit_before } = row
        const runsFrom = Math.max(restored, contingency_since?.getTime() ?? 0)
        const isAsBefore = circuit.is_failing || state !== "accepted_contingency"
        tables.invoices.set(id, {
          ...row,
          next_action_at: now + reminderLeaseSeconds * 1000,
          transmit_before: isAsBefore ? transmit_before : (transmit_before ?? new Date(runsFrom + transmitWithinMs))
        })
        return { account_id, livemode, id: id as DocumentId }
      })
    })
}))
