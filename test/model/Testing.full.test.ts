import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Layer, Schema } from "effect"
import {
  auditLifecycle,
  check,
  type Commands,
  commandSequences,
  type MemoryWorldOptions,
  memoryWorld,
  requests,
  type Sequence
} from "@folio-einvoicing/service/testing"
import { CustomerRequest } from "../../schemas/Customer.ts"
import { InvoiceRequest } from "../../schemas/Invoice.ts"
import { transition } from "../../src/invoices/rules/InvoiceLifecycle.ts"
import { Authority, type Verdict } from "../../src/invoices/authority/Authority.ts"
import { Transitions } from "../../src/invoices/store/Transitions.ts"
import { accepted, rejected } from "../support/apps/Fakes.ts"

/** A custom authority: it takes a fraction of a second, and rejects numbers that end in an odd digit. */
const ownAuthority = Layer.sync(Authority, () => {
  const verdicts = new Map<string, Verdict>()
  return Authority.of({
    submit: ({ cufe }) =>
      Effect.sync(() => {
        const verdict = /[13579bdf]$/.test(cufe) ? rejected : accepted
        verdicts.set(cufe, verdict)
        return verdict
      }).pipe(Effect.delay("200 millis")),
    verdict: ({ cufe }) =>
      Effect.delay(
        Effect.sync(() => verdicts.get(cufe) ?? null),
        "100 millis"
      )
  })
})

/** A part of a custom store that loses the events of rejected invoices. */
const forgetful = Layer.effect(
  Transitions,
  Effect.map(Transitions, (store) =>
    Transitions.of({
      ...store,
      moveAll: (steps) =>
        store.moveAll(
          steps.map(({ event, ...step }) =>
            event === undefined || step.to === "rejected_by_authority" ? step : { ...step, event }
          )
        )
    })
  )
)

/** A lifecycle table that returns a number. */
const wrong: typeof transition = (state, command, facts) =>
  transition(command === "Cancel" && state === "numbered" ? "queued" : state, command, facts)

const isRight = (commands: Commands) => auditLifecycle(commands, wrong).length === 0

const checkOwn = Effect.fnUntraced(function* (options: MemoryWorldOptions, how: Parameters<typeof check>[1]) {
  const world = yield* memoryWorld(options)
  return yield* check(({ seed }: Sequence) => Effect.as(world.reset(seed), world), how)
})

describe("@folio-einvoicing/service/testing", () => {
  it.live("checks the service's promises with a custom authority", () =>
    Effect.gen(function* () {
      const { failure, met } = yield* checkOwn({ authority: ownAuthority }, { runs: 36, seed: "own" })
      assert.isNull(failure)
      assert.isAbove(met.get("ended: rejected_by_authority") ?? 0, 10)
      assert.isAbove(met.get("ended: accepted_by_authority") ?? 0, 10)
    })
  )

  it.live("finds a custom store's violation in few steps, and replays it", () =>
    Effect.gen(function* () {
      const { failure } = yield* checkOwn({ store: forgetful }, { runs: 200, seed: "forgetful" })
      assert.isNotNull(failure)
      assert.isAtMost(failure?.shortest.steps.length ?? 99, 2)
      assert.include(failure?.findings.join(), "its last event is undefined")
      const again = yield* checkOwn({ store: forgetful }, { replay: failure?.replay ?? "" })
      assert.deepStrictEqual(again.failure?.findings, failure?.findings)
      assert.deepStrictEqual(again.failure?.shortest, failure?.shortest)
    })
  )

  it.prop(
    "makes requests with the responses that it predicts",
    { request: requests({ customer_id: "cust_1", url: "https://hooks.example.com/" }) },
    ({ request }) => {
      const isEarly = "early" in request.deserves && request.deserves.early
      const schemas: Readonly<Record<string, Schema.Decoder<unknown>>> = {
        "/v1/customers": CustomerRequest,
        "/v1/invoices": InvoiceRequest
      }
      const schema = schemas[request.path]
      if (schema !== undefined) assert.strictEqual(Schema.is(schema)(request.body), !isEarly)
    },
    { arbitrary: { runs: 200, seed: "requests" } }
  )

  it.effect("finds an error in a lifecycle's table", () =>
    Effect.gen(function* () {
      const result = yield* Arbitrary.checkEffect(commandSequences, isRight, { runs: 1_000, seed: "wrong" })
      assert.strictEqual(result._tag, "Falsified")
      if (result._tag !== "Falsified") return
      assert.deepStrictEqual(
        result.shrunkInput.map(({ command }) => command),
        ["Number", "Cancel"]
      )
    })
  )
})
