import { assert } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import { startOfTest } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { addCustomer, addDraft, become } from "../../support/apps/MemoryRows.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { send } from "../../support/apps/Requests.ts"
import { describeOn } from "../../support/Tests.ts"
import { atCalls, atNoCalls } from "../../support/memory/Calls.ts"

const scrape = send({ path: "/metrics", headers: { authorization: undefined } })

// With a registry of its own, the service does not show what other test files of this process have counted.
const alone = Layer.provide(app, Layer.succeed(Metric.MetricRegistry, new Map()))

describeOn(alone)("GET /metrics", (it) => {
  it.effect("needs no key, and looks at the database once in five seconds, however many ask", function* () {
    const { count } = yield* MemoryTables
    const before = count("Backlog.waiting")
    const answers = yield* Effect.forEach(Array.from({ length: 10 }), () => scrape, { concurrency: "unbounded" })
    for (const { headers, status, text } of answers) {
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["cache-control"], "no-store")
      assert.match(text, /^folio_oldest_unfinished_invoice_age_seconds 0$/m)
    }
    assert.strictEqual(count("Backlog.waiting"), before + 1)
    yield* TestClock.adjust("5 seconds")
    yield* scrape
    assert.strictEqual(count("Backlog.waiting"), before + 2)
  })

  it.effect("shows what waits", function* () {
    const { tables } = yield* MemoryTables
    const { id } = yield* addDraft(yield* addCustomer())
    // Nobody is told of it for an hour.
    yield* become(id, { state: "signed", next_action_at: startOfTest + 3_600_000 })
    yield* TestClock.adjust("20 seconds")
    const { text } = yield* scrape
    tables.invoices.delete(id)
    assert.match(text, /^folio_oldest_unfinished_invoice_age_seconds 20$/m)
    assert.match(text, /^folio_invoices_waiting\{stage="signed"\} 1$/m)
    assert.match(text, /^folio_invoices_waiting\{stage="queued"\} 0$/m)
    assert.match(text, /^folio_deliveries_waiting\{state="due"\} 0$/m)
  })

  it.effect("answers without the database, and says that it does not know", function* () {
    yield* TestClock.adjust("5 seconds")
    yield* atCalls("Backlog.waiting", Effect.die("no database"))
    const { status, text } = yield* scrape
    yield* atNoCalls
    assert.strictEqual(status, 200)
    assert.match(text, /^folio_oldest_unfinished_invoice_age_seconds NaN$/m)
    assert.match(text, /^folio_invoices_waiting\{stage="queued"\} NaN$/m)
    assert.match(text, /^folio_http_request_duration_seconds_count\{method="GET",route="\/metrics",status="2xx"\} 12$/m)
  })

  it.effect("is written once in a second, however many ask", function* () {
    yield* TestClock.adjust("1 second")
    const { text } = yield* scrape
    // Each that is answered counts for the next text.
    assert.strictEqual((yield* scrape).text, text)
    yield* TestClock.adjust("1 second")
    assert.notStrictEqual((yield* scrape).text, text)
  })

  it.effect("is read and nothing else", function* () {
    const { headers, status } = yield* send({ method: "POST", path: "/metrics" })
    assert.deepStrictEqual([status, headers["allow"]], [405, "GET, HEAD"])
  })
})
