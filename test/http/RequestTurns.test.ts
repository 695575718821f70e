import { assert, describe, it as test, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { AccountId, ApiKeyId } from "../../schemas/Id.ts"
import type { Principal } from "../../src/api/Authorization.ts"
import { RequestTurnLimits, RequestTurns, smallBytesMax } from "../../src/http/RequestTurns.ts"
import { invoiceBody } from "../support/Invoices.ts"
import { layer as memory } from "../support/MemoryApp.ts"
import { addCustomer } from "../support/MemoryRows.ts"
import { get, post } from "../support/Requests.ts"

const of = (account: string, livemode = false) =>
  ({
    account_id: account as AccountId,
    api_key_id: "key_1" as ApiKeyId,
    livemode,
    default_version: "2026-01-01"
  }) as Principal

/** How many milliseconds an account that has just had a turn of 100 ms rests. */
const restAfter = (
  take: (turns: RequestTurns["Service"], work: Effect.Effect<number>) => Effect.Effect<unknown, unknown>
) =>
  Effect.gen(function* () {
    const turns = yield* RequestTurns
    yield* Effect.forkChild(Effect.ignore(take(turns, Effect.as(Effect.sleep(100), 0))), { startImmediately: true })
    yield* TestClock.adjust(100)
    const begun = { count: 0 }
    const next = Effect.sync(() => (begun.count += 1))
    const begin = (livemode: boolean) =>
      Effect.forkChild(Effect.ignore(turns.read(of("ten_a", livemode), next, () => 0)), { startImmediately: true })
    yield* begin(true)
    assert.strictEqual(begun.count, 1, "its other mode does not rest")
    yield* begin(false)
    let waited = 0
    for (; begun.count < 2; waited += 10) yield* TestClock.adjust(10)
    return waited
  }).pipe(Effect.provide(Layer.fresh(RequestTurns.layer)))

describe("the turns of requests", () => {
  test.effect("are followed by a rest where they were large: the others have nine tenths of the time", () =>
    Effect.gen(function* () {
      const read = (bytes: number) => restAfter((turns, work) => turns.read(of("ten_a"), work, () => bytes))
      assert.strictEqual(yield* read(smallBytesMax), 0)
      assert.strictEqual(yield* read(smallBytesMax + 1), 900)
      const refused = restAfter((turns, work) => turns.check(of("ten_a"), Effect.flatMap(work, Effect.fail)))
      assert.strictEqual(yield* refused, 900)
      // What was taken is work for long after.
      assert.strictEqual(yield* restAfter((turns, work) => turns.check(of("ten_a"), work)), 2_000)
    })
  )
})

const waitForNobody = Layer.succeed(RequestTurnLimits, {
  atOnce: 32,
  ofOwnerAtOnce: 0,
  waiting: { ofAsker: 0, ofOwner: 0, inAll: 0 },
  patience: "10 seconds"
})

layer(Layer.provide(memory, waitForNobody))("an account that has no turn", (it) => {
  it.effect("reads nothing and has no large body taken; what is small is taken", () =>
    Effect.gen(function* () {
      const customer = yield* addCustomer()
      const large = invoiceBody(customer)
      const lines = Array.from({ length: 100 }, () => large.lines[0])
      assert.isAbove(JSON.stringify({ ...large, lines }).length, smallBytesMax)
      const refused = [
        yield* get("/v1/account"),
        yield* get("/v1/invoices"),
        yield* get("/v1/events"),
        yield* get("/v1/events?wait=0"),
        yield* post("/v1/invoices", { ...large, lines }, { "idempotency-key": "large" }),
        yield* post("/v1/invoices/validate", { ...large, lines }),
        // Not even told what is wrong with it.
        yield* post("/v1/invoices/validate", { lines: Array.from({ length: 10_000 }, () => 1) })
      ]
      for (const { json, status } of refused) {
        assert.deepStrictEqual([status, json?.error?.code], [429, "rate_limited"])
        assert.match(json.error.message, /has 0 requests waiting already/)
      }
      assert.strictEqual((yield* post("/v1/invoices", large, { "idempotency-key": "small" })).status, 202)
      assert.strictEqual((yield* post("/v1/invoices/validate", large)).status, 200)
      // They wait for a turn of another kind.
      assert.strictEqual((yield* get("/v1/invoices/inv_01k0000000000000000000000a/pdf")).status, 404)
    })
  )
})
