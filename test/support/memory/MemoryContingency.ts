import type { AccountId, DocumentId } from "../../../schemas/Id.ts"
import {
  AuthorityCircuits,
  circuitOf,
  type CircuitState,
  type Share,
  type Waiting
} from "../../../src/store/documents/AuthorityCircuits.ts"
import { reminderLeaseSeconds } from "../../../src/store/documents/Vitals.ts"
import { portionMax } from "../../../src/store/sandbox/ClockJumps.ts"
import { SandboxAuthorities } from "../../../src/store/sandbox/SandboxAuthorities.ts"
import { type CircuitRow, type InvoiceRow, inMemory, isOf, type Tables } from "./MemoryTables.ts"

/* The part of the memory store for an authority that is away, and for documents that waited past midnight. */

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

/** The documents of a circuit that are taken, as `AuthorityCircuits.take` chooses them. */
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

const bodyOf = (id: string) => id.slice(id.indexOf("_") + 1)

const giveScripts = ({ invoices, sandboxAuthorities, sandboxScripts }: Tables, account_id: AccountId) => {
  const set = sandboxAuthorities.get(account_id)
  if (set === undefined) return
  const made = [...invoices.values()]
    .filter((row) => isOf(row, { account_id, livemode: false }) && bodyOf(row.id) > set.from)
    .filter(({ id }) => !sandboxScripts.has(id))
    .toSorted((a, b) => (bodyOf(a.id) < bodyOf(b.id) ? -1 : 1))
  for (const [index, script] of set.next.slice(0, made.length).entries()) {
    const row = made[index]
    if (row !== undefined) sandboxScripts.set(row.id, script)
  }
  sandboxAuthorities.set(account_id, { ...set, next: set.next.slice(made.length) })
}

/** The script of a document, which takes the next one each time that the document is corrected. */
const giveCorrected = (tables: Tables, account_id: AccountId, id: string, corrections: number) => {
  const { sandboxAuthorities, sandboxScripts } = tables
  if (corrections === 0) return sandboxScripts.get(id) ?? null
  const key = `${id} ${corrections}`
  const set = sandboxAuthorities.get(account_id)
  if (!sandboxScripts.has(key)) {
    const [script = null, ...next] = set?.next ?? []
    sandboxScripts.set(key, script)
    if (set !== undefined) sandboxAuthorities.set(account_id, { ...set, next })
  }
  return sandboxScripts.get(key) ?? null
}

export const layerSandboxAuthorities = inMemory(SandboxAuthorities, ({ call }) => ({
  modeOf: (id) =>
    call("SandboxAuthorities.modeOf", ({ sandboxAuthorities }) => sandboxAuthorities.get(id)?.mode ?? "up"),
  scriptOf: ({ account_id, full_number, kind }) =>
    call("SandboxAuthorities.scriptOf", (tables) => {
      giveScripts(tables, account_id)
      const row = [...tables.invoices.values()].find(
        (one) => isOf(one, { account_id, livemode: false }) && one.kind === kind && one.full_number === full_number
      )
      if (row === undefined) return null
      const corrections = tables.rejected.filter(({ invoice_id }) => invoice_id === row.id)
      const script = giveCorrected(tables, account_id, row.id, corrections.length)
      const isRetried = tables.transitions.some(
        ({ command, invoice_id, to, version }) =>
          invoice_id === row.id &&
          command === "Retry" &&
          to === "signed" &&
          version > (corrections.at(-1)?.version ?? 0)
      )
      return isRetried && script?.fail === true ? null : script
    }),
  set: (id, { mode, next }, from) =>
    call("SandboxAuthorities.set", (tables) => {
      giveScripts(tables, id)
      const before = tables.sandboxAuthorities.get(id) ?? { mode: "up", next: [], from }
      const after = { mode: mode ?? before.mode, next: next ?? before.next }
      tables.sandboxAuthorities.set(id, { ...after, from: next === undefined ? before.from : from })
      return after
    }),
  setting: (account) =>
    call("SandboxAuthorities.setting", ({ sandboxAuthorities }) => {
      const set = account.livemode ? undefined : sandboxAuthorities.get(account.account_id)
      return { mode: set?.mode ?? "up", next: set?.next ?? [] }
    }),
  isMuchToAdvance: (id) =>
    call("SandboxAuthorities.isMuchToAdvance", ({ deliveries, invoices }) => {
      const documents = [...invoices.values()].filter(
        (row) => row.account_id === id && !row.livemode && (row.next_action_at ?? Infinity) < Infinity
      )
      const attempts = [...deliveries.values()].filter(
        (row) =>
          row.account_id === id &&
          !row.livemode &&
          row.status === "pending" &&
          !row.isUnderWay &&
          row.next_attempt_at < Infinity
      )
      return documents.length + attempts.length > portionMax
    }),
  advance: (id, seconds) =>
    call("SandboxAuthorities.advance", ({ acceptances, circuits, deliveries, invoices }) => {
      const jump = seconds * 1000
      for (const row of acceptances.values()) {
        if (row.account_id !== id || row.livemode || row.next_question_at === null) continue
        const next_question_at = row.next_question_at - jump
        acceptances.set(row.id, { ...row, next_question_at, ask_until: row.ask_until - jump })
      }
      for (const row of invoices.values()) {
        if (row.account_id !== id || row.livemode || row.next_action_at === null) continue
        const { waiting_since } = row
        invoices.set(row.id, {
          ...row,
          next_action_at: row.next_action_at - jump,
          waiting_since: waiting_since && new Date(waiting_since.getTime() - jump)
        })
      }
      for (const row of deliveries.values()) {
        if (row.account_id !== id || row.livemode || row.status !== "pending" || row.isUnderWay) continue
        deliveries.set(row.id, { ...row, next_attempt_at: row.next_attempt_at - jump })
      }
      const circuit = circuits.get(id)
      if (circuit === undefined) return
      const before = (at: number | null) => (at === null ? null : at - jump)
      const [failing_since, at_fault_since] = [before(circuit.failing_since), before(circuit.at_fault_since)]
      circuits.set(id, { ...circuit, failing_since, at_fault_since, next_probe_at: circuit.next_probe_at - jump })
    })
}))
