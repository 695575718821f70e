import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { hash } from "node:crypto"
import { readBooks } from "./Books.ts"
import type { Answer } from "../apps/Client.ts"
import * as Promises from "./Promises.ts"
import type { Receiver } from "../receiver/Receiver.ts"
import type { ServiceProcess } from "../processes/ServiceProcess.ts"

/** A client's journal: for each key, the last response that acknowledged it. */
export type Journal = Map<string, Answer>

interface OpenWork {
  readonly invoices: number
  readonly deliveries: number
}

/** The unfinished work. */
export const openWork = (service: ServiceProcess) =>
  service.rows<OpenWork>(`
    select (select count(*)::int from invoices where next_action_at is not null) as invoices,
      (select count(*)::int from deliveries where status = 'pending') as deliveries`)

export const isDone = ([open]: ReadonlyArray<OpenWork>) => open?.invoices === 0 && open.deliveries === 0

/** The hash of every document's signed bytes: once stored they never change. */
export const signedBytes = Effect.fnUntraced(function* (service: ServiceProcess) {
  const rows = yield* service.rows<{ invoice_id: string; signed: Uint8Array }>(
    "select invoice_id, signed from invoice_documents"
  )
  return new Map(rows.map((row) => [row.invoice_id, hash("sha256", row.signed, "hex")]))
})

/**
 * Compares the client's journal, the database and the receiver's journal, after all work has ended. `before` are the
 * signed bytes at some earlier moment. Returns the number of POSTs beyond the recorded attempts, which a kill
 * interrupted.
 */
export const reconcile = Effect.fnUntraced(function* (options: {
  readonly service: ServiceProcess
  readonly journal: Journal
  readonly receiver: Receiver
  readonly before: ReadonlyMap<string, string>
  /**
   * The receiver's path for an endpoint, if it has one path for each. Otherwise every POST counts for every endpoint.
   */
  readonly pathOf?: (endpoint: string) => string
}) {
  const { before, journal, pathOf, receiver, service } = options
  const books = yield* readBooks(service.rows)
  const acknowledged = new Map([...journal].map(([key, answer]) => [key, String(answer.json.id)]))
  const posts: Promises.Posts = new Map(
    books.endpoints.map(({ id }) => [
      id,
      pathOf === undefined ? receiver.received : receiver.received.filter(({ path }) => path === pathOf(id))
    ])
  )
  assert.deepStrictEqual(
    {
      lost: Promises.lost(acknowledged, books),
      doubled: Promises.doubled(books),
      gaps: Promises.gaps(books),
      twins: Promises.twins(books),
      altered: Promises.alteredDocuments(books, before),
      illegal: Promises.illegalHistories(books),
      miscounted: Promises.miscounted(books),
      unfinished: Promises.unfinished(books),
      strays: Promises.straysAmongEvents(books),
      undelivered: Promises.undelivered(books, posts),
      reordered: Promises.reordered(books, posts),
      leaked: Promises.leaked(books, posts)
    },
    {
      lost: [],
      doubled: [],
      gaps: [],
      twins: [],
      altered: [],
      illegal: [],
      miscounted: [],
      unfinished: [],
      strays: [],
      undelivered: [],
      reordered: [],
      leaked: []
    }
  )
  const repeated = [...Promises.repeated(books, posts).values()]
  return { invoices: books.invoices.length, doubled: repeated.reduce((sum, count) => sum + count, 0) }
})
