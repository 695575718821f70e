import { Option, Result } from "effect"
import type { AccountId } from "../../../../schemas/Id.ts"
import { ApiError } from "../../../../schemas/ApiError.ts"
import {
  type EnablementKey,
  Enablements,
  outcomeOf,
  type StoredEnablement
} from "../../../../src/store/enablement/Enablements.ts"
import type { StoredTestDocument } from "../../../../src/store/enablement/TestDocuments.ts"
import { inMemory, type MemoryTables, type Tables } from "../MemoryTables.ts"

/* The part of the memory store that knows test sets and their documents. */

export type EnablementRow = StoredEnablement & { readonly next_action_at: number; readonly isTaken: boolean }
export type TestDocumentRow = StoredTestDocument & {
  readonly signed: Uint8Array
  readonly next_action_at: number | null
}

const keyOf = ({ account_id, id }: EnablementKey) => `${account_id}|${id}`
const rowOf = ({ enablements }: Tables, key: EnablementKey) => enablements.get(keyOf(key))
const ofAccount = ({ enablements }: Tables, account: AccountId) =>
  [...enablements.values()].filter(({ account_id }) => account_id === account)
const newestOf = (tables: Tables, account: AccountId) =>
  ofAccount(tables, account).toSorted((a, b) => b.resumed_at.getTime() - a.resumed_at.getTime())[0]

/** As `LiveMode` tells it. */
export const enablementOf = (tables: Tables, account: AccountId) =>
  ofAccount(tables, account).some(({ status }) => status === "passed")
    ? "passed"
    : (newestOf(tables, account)?.status ?? null)

const numberKey = (row: Pick<StoredTestDocument, "account_id" | "prefix" | "number">) =>
  `${row.account_id}|${row.prefix}|${row.number}`

const ofSet = ({ testDocuments }: Tables, { account_id, id }: EnablementKey) =>
  [...testDocuments.values()].filter((row) => row.account_id === account_id && row.enablement_id === id)

const loaded = (tables: Tables, key: EnablementKey, now: number) =>
  ofSet(tables, key).map((row) => {
    const since = Math.max(row.sent_at?.getTime() ?? 0, rowOf(tables, key)?.answering_since.getTime() ?? 0)
    return {
      ...row,
      due_ms: row.next_action_at === null ? null : row.next_action_at - now,
      waited_ms: row.state === "sent" ? now - since : null
    }
  })

const documentsOf = ({ call }: MemoryTables["Service"]): (typeof Enablements.Service)["documents"] => ({
  all: (key) => call("TestDocuments.all", (tables, now) => loaded(tables, key, now)),
  ofAccount: (key) => call("TestDocuments.ofAccount", (tables, now) => loaded(tables, key, now)),
  taken: (account_id, prefix) =>
    call("TestDocuments.taken", ({ testDocuments }) =>
      [...testDocuments.values()]
        .filter((row) => row.account_id === account_id && row.prefix === prefix)
        .map(({ number, state }) => ({ number: Number(number), state }))
        .toSorted((a, b) => a.number - b.number)
    ),
  insert: (key, document) =>
    call("TestDocuments.insert", (tables, now) => {
      const row = { account_id: key.account_id, enablement_id: key.id, ...document }
      if (rowOf(tables, key)?.isTaken !== true || tables.testDocuments.has(numberKey(row))) return false
      tables.testDocuments.set(numberKey(row), {
        ...row,
        version: 1,
        state: "signed",
        attempts: 0,
        asked: 0,
        zip_key: null,
        errors: [],
        notifications: [],
        message: null,
        created_at: new Date(now),
        sent_at: null,
        judged_at: null,
        next_action_at: now
      })
      return true
    }),
  signed: (document) =>
    call("TestDocuments.signed", ({ testDocuments }) => testDocuments.get(numberKey(document))!.signed),
  move: (document, { asked, attempt, errors, message, nextMs, notifications, state, zip_key }) =>
    call("TestDocuments.move", ({ testDocuments }, now) => {
      const row = testDocuments.get(numberKey(document))
      if (row === undefined || row.version !== document.version || row.judged_at !== null) return false
      const isOpen = state === "signed" || state === "sent"
      testDocuments.set(numberKey(document), {
        ...row,
        state,
        version: row.version + 1,
        attempts: row.attempts + (attempt === true ? 1 : 0),
        asked: row.asked + (asked === true ? 1 : 0),
        sent_at: attempt === true ? new Date(now) : row.sent_at,
        zip_key: zip_key ?? row.zip_key,
        errors: errors ?? row.errors,
        notifications: notifications ?? row.notifications,
        message: message ?? (isOpen ? row.message : null),
        judged_at: isOpen ? null : new Date(now),
        next_action_at: isOpen ? now + (nextMs ?? 0) : null
      })
      return true
    })
})

export const layerEnablements = inMemory(Enablements, (memory) => ({
  documents: documentsOf(memory),
  newest: (account) => memory.call("Enablements.newest", (tables) => Option.fromUndefinedOr(newestOf(tables, account))),
  find: (key) => memory.call("Enablements.find", (tables) => Option.fromUndefinedOr(rowOf(tables, key))),
  begin: (account_id, request) =>
    memory.attempt("Enablements.begin", (tables, now) => {
      const all = ofAccount(tables, account_id)
      const before = rowOf(tables, { account_id, id: request.id })
      const running = all.find(({ status }) => status === "running")?.id
      const outcome = outcomeOf(request, before, { running, count: all.length })
      if (outcome instanceof ApiError) return Result.fail(outcome)
      if (outcome !== "as it is") {
        const at = new Date(now)
        tables.enablements.set(keyOf({ account_id, id: request.id }), {
          account_id,
          ...request,
          status: "running",
          run: (before?.run ?? 0) + 1,
          waiting: null,
          failure: null,
          message: null,
          troubles: 0,
          started_at: before?.started_at ?? at,
          resumed_at: at,
          answering_since: at,
          finished_at: null,
          next_action_at: now,
          isTaken: false
        })
      }
      return Result.succeed({ outcome, row: rowOf(tables, { account_id, id: request.id })! })
    }),
  take: (limit, leaseSeconds) =>
    memory.call("Enablements.take", ({ enablements }, now) => {
      const due = [...enablements.values()]
        .filter(({ next_action_at, status }) => status === "running" && next_action_at <= now)
        .slice(0, limit)
      for (const row of due) {
        enablements.set(keyOf(row), { ...row, isTaken: true, next_action_at: now + leaseSeconds * 1_000 })
      }
      return due
    }),
  release: (key) =>
    memory.call("Enablements.release", (tables, now) => {
      const row = rowOf(tables, key)
      if (row?.isTaken === true) tables.enablements.set(keyOf(key), { ...row, isTaken: false, next_action_at: now })
    }),
  stand: (key, { failure = null, isHeld = false, message = null, nextMs = 0, status, troubles = 0, waiting = null }) =>
    memory.call("Enablements.stand", (tables, now) => {
      const row = rowOf(tables, key)
      if (row?.isTaken !== true || row.status !== "running") return false
      tables.enablements.set(keyOf(key), {
        ...row,
        status,
        waiting,
        failure,
        message,
        troubles,
        answering_since: troubles === 0 && row.troubles > 0 ? new Date(now) : row.answering_since,
        finished_at: status === "running" ? null : new Date(now),
        next_action_at: now + nextMs,
        isTaken: isHeld
      })
      return true
    })
}))
