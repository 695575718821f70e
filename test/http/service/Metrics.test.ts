import { assert } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Backlog, everyKind, type Waiting } from "../../../src/operations/store/Backlog.ts"
import { serviceWith } from "../../support/apps/MemoryApp.ts"
import { send } from "../../support/apps/Requests.ts"
import { describeOn } from "../../support/Tests.ts"

const nothing: Waiting = {
  oldest_invoice: 0,
  oldest_delivery: 0,
  oldest_unsettled_event: 0,
  invoices: {},
  deliveries: { due: 0, scheduled: 0 },
  in_contingency: 0,
  contingency_overdue: 0,
  oldest_contingency: 0,
  ranges_held: 0,
  circuits: { live_failing: 0, live_open: 0, test_failing: 0, test_open: 0 },
  troubles: { live: {}, test: {} },
  incidents: {}
}

/** The database's figures, and the number of reads. */
const database = { waiting: Effect.succeed(nothing), looks: 0 }
const backlog = Layer.mock(Backlog)({
  look: Effect.succeed(everyKind),
  turn: Effect.succeed(Duration.zero),
  waiting: Effect.suspend(() => {
    database.looks += 1
    return database.waiting
  })
})

const scrape = send({ path: "/metrics", headers: { authorization: undefined } })

describeOn(serviceWith(backlog))("GET /metrics", (it) => {
  it.effect("needs no key, and reads the database at most once in five seconds", function* () {
    const before = database.looks
    const answers = yield* Effect.forEach(Array.from({ length: 10 }), () => scrape, { concurrency: "unbounded" })
    for (const { headers, status, text } of answers) {
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["cache-control"], "no-store")
      assert.match(text, /^folio_oldest_unfinished_invoice_age_seconds 0$/m)
    }
    assert.strictEqual(database.looks, before + 1)
    yield* TestClock.adjust("5 seconds")
    yield* scrape
    assert.strictEqual(database.looks, before + 2)
  })

  it.effect("shows the waiting documents and deliveries", function* () {
    database.waiting = Effect.succeed({ ...nothing, oldest_invoice: 20, invoices: { signed: 1 } })
    yield* TestClock.adjust("20 seconds")
    const { text } = yield* scrape
    assert.match(text, /^folio_oldest_unfinished_invoice_age_seconds 20$/m)
    assert.match(text, /^folio_invoices_waiting\{stage="signed"\} 1$/m)
    assert.match(text, /^folio_invoices_waiting\{stage="queued"\} 0$/m)
    assert.match(text, /^folio_deliveries_waiting\{state="due"\} 0$/m)
  })

  it.effect("responds without the database, and reports its figures as unknown", function* () {
    yield* TestClock.adjust("5 seconds")
    database.waiting = Effect.die("no database")
    const { status, text } = yield* scrape
    assert.strictEqual(status, 200)
    assert.match(text, /^folio_oldest_unfinished_invoice_age_seconds NaN$/m)
    assert.match(text, /^folio_invoices_waiting\{stage="queued"\} NaN$/m)
    assert.match(text, /^folio_http_request_duration_seconds_count\{method="GET",route="\/metrics",status="2xx"\} 12$/m)
  })

  it.effect("renders its text at most once a second", function* () {
    yield* TestClock.adjust("1 second")
    const { text } = yield* scrape
    // Each response counts in the next text.
    assert.strictEqual((yield* scrape).text, text)
    yield* TestClock.adjust("1 second")
    assert.notStrictEqual((yield* scrape).text, text)
  })

  it.effect("allows reads only", function* () {
    const { headers, status } = yield* send({ method: "POST", path: "/metrics" })
    assert.deepStrictEqual([status, headers["allow"]], [405, "GET, HEAD"])
  })
})
