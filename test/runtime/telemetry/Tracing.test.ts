import { assert, describe } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import { refined } from "../../../src/runtime/telemetry/Tracing.ts"
import { it } from "../../support/Tests.ts"

type Sampling = Parameters<typeof refined>[1]

const always = { share: 1, followsParent: true }

/** The names of the sampled spans that an effect ends. */
const sampledOf = Effect.fnUntraced(function* (sampling: Sampling, effect: Effect.Effect<unknown>) {
  const names: Array<string> = []
  const inner = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      const end = span.end.bind(span)
      span.end = (time, exit) => {
        end(time, exit)
        if (span.sampled) names.push(span.name)
      }
      return span
    }
  })
  yield* Effect.withTracer(effect, refined(inner, sampling))
  return names
})

const remote = (traceId: string, sampled: boolean) =>
  Tracer.externalSpan({ traceId, spanId: "00f067aa0ba902b7", sampled })
const request = (traceId: string, sampled: boolean) =>
  Effect.void.pipe(
    Effect.withSpan("within"),
    Effect.withSpan("request", { kind: "server", parent: remote(traceId, sampled) })
  )
const [low, high] = ["0".repeat(31) + "1", "f".repeat(32)]

const answered = (method: string, route?: string) =>
  Effect.annotateCurrentSpan({ "http.request.method": method, ...(route && { "http.route": route }) }).pipe(
    Effect.withSpan(method, { kind: "server" })
  )

describe("Traces", () => {
  it.effect("begin with a request or with due work, not with a search for work", function* () {
    const look = Effect.void.pipe(Effect.withSpan("sql.execute", { kind: "client" }), Effect.withSpan("Sweep.look"))
    const tell = Effect.withSpan(Effect.void, "Invoice.client.Proceed", { kind: "client" })
    const due = Effect.void.pipe(Effect.withSpan("send"), Effect.withSpan("attempt", { kind: "consumer" }))
    assert.deepStrictEqual(yield* sampledOf(always, Effect.all([look, tell, due])), [
      "Invoice.client.Proceed",
      "send",
      "attempt"
    ])
  })

  it.effect("follow the sampler's decision", function* () {
    const both = Effect.all([request(low, true), request(high, false)])
    const two = ["within", "request"]
    assert.deepStrictEqual(yield* sampledOf(always, both), two)
    assert.deepStrictEqual(yield* sampledOf({ share: 1, followsParent: false }, both), [...two, ...two])
    assert.deepStrictEqual(yield* sampledOf({ share: 0.5, followsParent: false }, both), two)
    assert.deepStrictEqual(yield* sampledOf({ share: 0, followsParent: false }, both), [])
    assert.deepStrictEqual(yield* sampledOf({ share: 0, followsParent: true }, both), two)
    const own = Effect.withSpan(Effect.void, "request", { kind: "server" })
    const some = yield* sampledOf({ share: 0.3, followsParent: true }, Effect.replicateEffect(own, 1_000))
    assert.isAbove(some.length, 200)
    assert.isBelow(some.length, 400)
  })

  it.effect("name a request by its route", function* () {
    const asked = [answered("GET", "/v1/invoices/:id/files/:name"), answered("POST"), answered("BREW", "/v1/coffee")]
    assert.deepStrictEqual(yield* sampledOf(always, Effect.all(asked)), [
      "GET /v1/invoices/{id}/files/{name}",
      "POST",
      "HTTP /v1/coffee"
    ])
  })
})
