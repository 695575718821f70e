import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { DnsFailed, EgressGuard, EgressRefused } from "../../src/webhooks/sender/EgressGuard.ts"
import { WebhookSender } from "../../src/webhooks/sender/WebhookSender.ts"
import { alone, delivering, deliveryOf } from "../support/apps/ActorsAlone.ts"
import { answered } from "../support/apps/Fakes.ts"
import { addDelivery } from "../support/apps/MemoryRows.ts"
import { patiently } from "../support/apps/Until.ts"
import { existing, MemoryTables } from "../support/memory/MemoryTables.ts"
import { itOn } from "../support/Tests.ts"
import { breakable, breaking, faultOf } from "./Faults.ts"
import { guard, type Outcome, sender } from "./PortTable.ts"

const failures = {
  EgressRefused: new EgressRefused({ message: "not public" }),
  DnsFailed: new DnsFailed({ message: "no such host" })
}
const noResponses = [
  undefined,
  null,
  {},
  "delivered",
  { ...answered(200), status: "200" },
  { ...answered(200), status: Infinity },
  { ...answered(200), durationMs: Number.NaN },
  { ...answered(200), headers: { "content-type": 1 } },
  { ...answered(200), error: undefined },
  { ...answered(500), error: { code: "never heard of", message: "what?" } }
]
const noAddresses = [undefined, null, {}, [], [null], ["192.0.2.1"]]

type Port = "WebhookSender.send" | "EgressGuard.resolve"

const cases = [
  ...Object.entries(sender.send).map(([fault, outcome]) => ["WebhookSender.send", fault, outcome] as const),
  ...Object.entries(guard.resolve).map(([fault, outcome]) => ["EgressGuard.resolve", fault, outcome] as const)
] as ReadonlyArray<readonly [Port, string, Outcome]>

const codes: Partial<Record<Outcome, string>> = {
  "delivered four times": "internal",
  "attempt: blocked": "blocked",
  "attempt: dns": "dns",
  "attempt: timeout": "timeout"
}

/** An endpoint whose deliveries use a port that a test can break. After the repair, deliveries arrive. */
const endpoints = Effect.fnUntraced(function* (port: Port, fault: string) {
  const switched = breakable()
  const receiving = yield* WebhookSender
  let sending = breaking(receiving, "send", switched)
  if (port === "EgressGuard.resolve") {
    const guarded = yield* Effect.provideService(
      Effect.provide(WebhookSender, WebhookSender.layer),
      EgressGuard,
      breaking(yield* EgressGuard, "resolve", switched)
    )
    // A working guard leads to the receiver of the test, not out of the machine.
    sending = { send: (request) => (switched.fault === null ? receiving.send(request) : guarded.send(request)) }
  }
  const all = yield* Effect.provideService(delivering(), WebhookSender, WebhookSender.of(sending))
  const breaks = () =>
    (switched.fault = faultOf(fault, failures, port === "WebhookSender.send" ? noResponses : noAddresses))
  const mends = () => (switched.fault = null)
  const attempt = Effect.fnUntraced(function* () {
    if (!fault.startsWith("hangs")) return yield* all.deliverAll
    const { count, until } = yield* MemoryTables
    const [before, recorded] = [switched.calls, count("Deliveries.record")]
    yield* all.tell
    yield* patiently(Effect.repeat(Effect.yieldNow, { until: () => switched.calls > before }))
    yield* TestClock.adjust("18 seconds")
    yield* until(() => count("Deliveries.record") > recorded)
  })
  return { ...all, attempt, breaks, mends, switched }
})

const it = itOn(alone)

describe("A delivery", () => {
  it.effect.each(cases)("has the documented outcome when %s %s: %s", function* ([port, fault, outcome]) {
    const { tables } = yield* MemoryTables
    const { attempt, breaks, deliverAll, endpoint, mends, receiver } = yield* endpoints(port, fault)
    const { id } = yield* addDelivery(endpoint, "inv_1")
    breaks()
    for (let times = 1; times <= 4; times++) {
      yield* attempt()
      const row = yield* deliveryOf(id)
      assert.deepInclude(row, { attempts: times, isUnderWay: false, status: times < 4 ? "pending" : "failed" })
      yield* TestClock.setTime(row.next_attempt_at)
    }
    const code = codes[outcome] ?? assert.fail(outcome)
    assert.deepStrictEqual(
      tables.attempts.map(({ error, number }) => [number, error?.code]),
      [1, 2, 3, 4].map((number) => [number, code])
    )
    assert.lengthOf(receiver.requests, 0)
    mends()
    const later = yield* addDelivery(endpoint, "inv_2")
    yield* deliverAll
    assert.strictEqual((yield* deliveryOf(later.id)).status, "succeeded")
  })

  it.effect.each(cases.filter(([, fault]) => fault.startsWith("hangs")))(
    "arrives while the %s of another %s",
    function* ([port, fault]) {
      const { until } = yield* MemoryTables
      const { breaks, endpoint, mends, switched, tell } = yield* endpoints(port, fault)
      const stuck = yield* addDelivery(endpoint, "inv_1")
      breaks()
      yield* tell
      yield* patiently(Effect.repeat(Effect.yieldNow, { until: () => switched.calls > 0 }))
      mends()
      const well = yield* addDelivery(endpoint, "inv_2")
      yield* tell
      yield* until(({ deliveries }) => existing(deliveries, well.id).status === "succeeded")
      assert.strictEqual((yield* deliveryOf(stuck.id)).attempts, 0)
      yield* TestClock.adjust("18 seconds")
      yield* until(({ deliveries }) => existing(deliveries, stuck.id).attempts === 1)
    }
  )
})
