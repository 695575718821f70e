import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { hash } from "node:crypto"
import { type InvoiceCommand, type InvoiceState, transition } from "../../src/domain/InvoiceLifecycle.ts"
import { readSignedDocument } from "../../src/documents/SignedDocument.ts"
import type { Answer } from "./Client.ts"
import type { Receiver } from "./Receiver.ts"
import type { ServiceProcess } from "./ServiceProcess.ts"

/** What a client has in hand: for each of its keys the last answer that acknowledged it. */
export type Journal = Map<string, Answer>

interface InvoiceRow {
  readonly id: string
  readonly key: string
  readonly state: InvoiceState
  readonly version: number
  readonly number: bigint
  readonly full_number: string
  readonly cufe: string
  readonly waiting: boolean
  readonly signed: Uint8Array
}

const invoices = `
  select i.id, i.metadata->>'key' as key, i.state, i.version, i.number, i.full_number, i.cufe,
    i.next_action_at is not null as waiting, o.signed
  from invoices i left join invoice_documents o on o.invoice_id = i.id order by i.number`

/** The hash of every document's signed bytes: once stored they never change. */
export const signedBytes = Effect.fnUntraced(function* (service: ServiceProcess) {
  const rows = yield* service.rows<{ invoice_id: string; signed: Uint8Array }>(
    "select invoice_id, signed from invoice_documents"
  )
  return new Map(rows.map((row) => [row.invoice_id, hash("sha256", row.signed, "hex")]))
})

const assertEachOnce = (what: string, values: ReadonlyArray<string | bigint>) => {
  assert.strictEqual(new Set(values).size, values.length, `${what} more than once`)
}

// Every acknowledged key is one invoice, with the id that was answered; no key is two.
const reconcileKeys = (journal: Journal, rows: ReadonlyArray<InvoiceRow>) => {
  assertEachOnce(
    "a key's invoice",
    rows.map((row) => row.key)
  )
  const idOf = new Map(rows.map((row) => [row.key, row.id]))
  for (const [key, answer] of journal) assert.strictEqual(idOf.get(key), answer.json.id, `the invoice of ${key}`)
}

const reconcileNumbers = Effect.fnUntraced(function* (service: ServiceProcess, rows: ReadonlyArray<InvoiceRow>) {
  const [range] = yield* service.rows<{ prefix: string; from_number: bigint; next_number: bigint }>(
    "select prefix, from_number, next_number from resolutions"
  )
  const from = range?.from_number ?? 0n
  assert.deepStrictEqual(
    rows.map((row) => [row.number, row.full_number]),
    rows.map((_, index) => [from + BigInt(index), `${range?.prefix}${from + BigInt(index)}`])
  )
  assert.strictEqual(range?.next_number, from + BigInt(rows.length))
  assertEachOnce(
    "a CUFE",
    rows.map((row) => row.cufe)
  )
})

const reconcileDocuments = (rows: ReadonlyArray<InvoiceRow>, before: ReadonlyMap<string, string>) => {
  for (const row of rows) {
    const document = readSignedDocument(row.signed)
    assert.deepStrictEqual([document?.full_number, document?.cufe], [row.full_number, row.cufe])
    const earlier = before.get(row.id)
    if (earlier !== undefined) assert.strictEqual(hash("sha256", row.signed, "hex"), earlier, `bytes of ${row.id}`)
  }
}

// The log of each document is a legal way from `queued` to where it is, and no step was taken twice.
const reconcileHistory = Effect.fnUntraced(function* (service: ServiceProcess, rows: ReadonlyArray<InvoiceRow>) {
  const log = yield* service.rows<{ id: string; command: InvoiceCommand; from: InvoiceState; to: InvoiceState }>(
    `select invoice_id as id, command, from_state as "from", to_state as "to" from transitions order by invoice_id, version`
  )
  const steps = Map.groupBy(log, (step) => step.id)
  for (const row of rows) {
    let state: InvoiceState = "queued"
    for (const step of steps.get(row.id) ?? []) {
      assert.strictEqual(step.from, state, `${step.command} of ${row.id}`)
      const legal = transition(state, step.command, { hasNumber: state !== "queued" })
      assert.isTrue(legal._tag === "Success" && legal.success === step.to)
      state = step.to
    }
    assert.deepStrictEqual([state, row.waiting], [row.state, false])
  }
})

const reconcileEvents = Effect.fnUntraced(function* (
  service: ServiceProcess,
  rows: ReadonlyArray<InvoiceRow>,
  receiver: Receiver
) {
  const events = yield* service.rows<{
    id: string
    type: string
    object_id: string
    object_version: number
    body: string
  }>("select id, type, object_id, object_version, body from events")
  const stateOf = new Map(rows.map((row) => [row.id, row]))
  assertEachOnce(
    "an event of an invoice",
    events.map((event) => event.object_id)
  )
  assert.strictEqual(events.length, rows.length)
  for (const event of events) {
    const row = stateOf.get(event.object_id)
    assert.deepStrictEqual([event.type, event.object_version], [`invoice.${row?.state}`, row?.version])
  }
  const deliveries = yield* service.rows<{ event_id: string; status: string; attempts: number }>(
    "select event_id, status, attempts from deliveries"
  )
  assertEachOnce(
    "a delivery of an event",
    deliveries.map((delivery) => delivery.event_id)
  )
  assert.strictEqual(deliveries.length, events.length)
  const posts = Map.groupBy(receiver.received, (post) => String(post.event.id))
  const bodyOf = new Map(events.map((event) => [event.id, event.body]))
  let doubled = 0
  for (const { attempts, event_id, status } of deliveries) {
    const arrived = posts.get(event_id) ?? []
    assert.strictEqual(status, "succeeded")
    assert.isAtLeast(arrived.length, 1, `POSTs of ${event_id}`)
    assert.deepStrictEqual([...new Set(arrived.map((post) => post.body))], [bodyOf.get(event_id)])
    doubled += arrived.length - attempts
  }
  assert.strictEqual(posts.size, events.length, "an event that is not stored was delivered")
  return doubled
})

/**
 * Compares what the client was told, what the database holds and what the receiver got, once all work has ended. `before` are
 * the signed bytes at some earlier moment. Gives how many POSTs arrived beyond the recorded attempts: those that a kill cut.
 */
export const reconcile = Effect.fnUntraced(function* (options: {
  readonly service: ServiceProcess
  readonly journal: Journal
  readonly receiver: Receiver
  readonly before: ReadonlyMap<string, string>
}) {
  const { before, journal, receiver, service } = options
  const rows = yield* service.rows<InvoiceRow>(invoices)
  reconcileKeys(journal, rows)
  yield* reconcileNumbers(service, rows)
  reconcileDocuments(rows, before)
  yield* reconcileHistory(service, rows)
  const doubled = yield* reconcileEvents(service, rows, receiver)
  return { invoices: rows.length, doubled }
})
