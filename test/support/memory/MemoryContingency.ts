import type { AccountId, DocumentId } from "../../../schemas/Id.ts"
import { AuthorityCircuits, circuitOf } from "../../../src/store/documents/AuthorityCircuits.ts"
import { reminderLeaseSeconds } from "../../../src/store/documents/Vitals.ts"
import { Redating } from "../../../src/store/documents/Redating.ts"
import { portionMax } from "../../../src/store/sandbox/ClockJumps.ts"
import { SandboxAuthorities } from "../../../src/store/sandbox/SandboxAuthorities.ts"
import { type CircuitRow, inMemory, isOf, rowOf, type Tables } from "./MemoryTables.ts"

/* The part of the memory store for an authority that is away, and for documents that waited past midnight. */

const transmitWithinMs = 48 * 3_600_000

const never: CircuitRow = { failing_since: null, failed_at: null, opened_at: null, next_probe_at: 0, restored_at: null }

const stateOf = ({ circuits }: Tables, name: string, now: number) => {
  const { failed_at, failing_since, opened_at } = circuits.get(name) ?? never
  const age = (at: number | null) => (at === null ? null : now - at)
  return { failing_ms: age(failing_since), failed_ms: age(failed_at), is_open: opened_at !== null }
}

const waitingIn = ({ invoices }: Tables, name?: string) =>
  [...invoices.values()]
    .filter((row) => row.state === "accepted_contingency" && (name === undefined || circuitOf(row) === name))
    .toSorted((a, b) => a.created_at.getTime() - b.created_at.getTime() || (a.id < b.id ? -1 : 1))

export const circuitsLayer = inMemory(AuthorityCircuits, ({ call }) => ({
  read: (name) => call("AuthorityCircuits.read", (tables, now) => stateOf(tables, name, now)),
  failed: (name, openAfterMs, silenceMs) =>
    call("AuthorityCircuits.failed", (tables, now) => {
      const row = tables.circuits.get(name) ?? { ...never, next_probe_at: now }
      const isSilent = row.opened_at === null && row.failed_at !== null && row.failed_at < now - silenceMs
      const failing_since = isSilent ? now : (row.failing_since ?? now)
      const opened_at = row.opened_at ?? (now - failing_since >= openAfterMs ? now : null)
      tables.circuits.set(name, { ...row, failing_since, failed_at: now, opened_at })
      return stateOf(tables, name, now)
    }),
  succeeded: (name) =>
    call("AuthorityCircuits.succeeded", ({ circuits }, now) => {
      const row = circuits.get(name)
      if (row === undefined || row.failing_since === null) return
      circuits.set(name, { ...never, next_probe_at: now, restored_at: now })
    }),
  claimProbe: (name, intervalMs) =>
    call("AuthorityCircuits.claimProbe", ({ circuits }, now) => {
      const row = circuits.get(name)
      if (row === undefined || row.next_probe_at > now) return false
      circuits.set(name, { ...row, next_probe_at: now + intervalMs })
      return true
    }),
  waiting: call("AuthorityCircuits.waiting", (tables, now) => {
    const names = new Map(waitingIn(tables).map((row) => [circuitOf(row), row.livemode ? null : row.account_id]))
    return [...names].map(([name, account_id]) => {
      const { failing_since, next_probe_at } = tables.circuits.get(name) ?? never
      return { name, account_id, is_failing: failing_since !== null, is_probe_due: next_probe_at <= now }
    })
  }),
  take: ({ is_failing, name }, limit) =>
    call("AuthorityCircuits.take", (tables, now) => {
      const restored = tables.circuits.get(name)?.restored_at ?? 0
      const resting = waitingIn(tables, name).filter((row) => row.next_action_at === Infinity)
      return resting.slice(0, limit).map((row) => {
        const { account_id, contingency_since, id, livemode, transmit_before } = row
        const runsFrom = Math.max(restored, contingency_since?.getTime() ?? 0)
        tables.invoices.set(id, {
          ...row,
          next_action_at: now + reminderLeaseSeconds * 1000,
          transmit_before: is_failing ? transmit_before : (transmit_before ?? new Date(runsFrom + transmitWithinMs))
        })
        return { account_id, livemode, id: id as DocumentId }
      })
    })
}))

export const redatingLayer = inMemory(Redating, ({ call }) => ({
  redate: ({ cufe, issue_date, issue_time, key, version }) =>
    call("Redating.redate", ({ invoices, resolutions, transitions }, now) => {
      const row = rowOf(invoices, key)
      const isOurs =
        row !== undefined &&
        row.version === version &&
        (row.state === "numbered" || row.state === "signed") &&
        row.submitted_at === null &&
        row.contingency_since === null
      if (!isOurs) return "too_late"
      const range = resolutions.get(row.resolution_id ?? "")
      if (range !== undefined && (issue_date < range.valid_from || issue_date > range.valid_to)) return "out_of_range"
      const moved = { ...row, state: "numbered", version: version + 1, cufe, issue_date, issue_time } as const
      invoices.set(row.id, { ...moved, updated_at: new Date(now), next_action_at: now + 5_000 })
      const step = { invoice_id: row.id, version: version + 1, from: row.state, at: now }
      transitions.push({ ...step, command: "Redate", to: "numbered" })
      return "redated"
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

export const sandboxAuthoritiesLayer = inMemory(SandboxAuthorities, ({ call }) => ({
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
    call("SandboxAuthorities.advance", ({ circuits, deliveries, invoices }) => {
      const jump = seconds * 1000
      for (const row of invoices.values()) {
        if (row.account_id !== id || row.livemode || row.next_action_at === null) continue
        const isSubmitted = row.state === "submitted" && row.submitted_at !== null
        invoices.set(row.id, {
          ...row,
          next_action_at: row.next_action_at - jump,
          submitted_at: isSubmitted ? new Date(row.submitted_at.getTime() - jump) : row.submitted_at
        })
      }
      for (const row of deliveries.values()) {
        if (row.account_id !== id || row.livemode || row.status !== "pending" || row.isUnderWay) continue
        deliveries.set(row.id, { ...row, next_attempt_at: row.next_attempt_at - jump })
      }
      const circuit = circuits.get(id)
      if (circuit === undefined) return
      const failing_since = circuit.failing_since === null ? null : circuit.failing_since - jump
      circuits.set(id, { ...circuit, failing_since, next_probe_at: circuit.next_probe_at - jump })
    })
}))
