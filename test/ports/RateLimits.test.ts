import { assert } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ApiError } from "../../schemas/ApiError.ts"
import * as Layers from "../../src/service/Layers.ts"
import { RateLimit } from "../../src/http/limits/RateLimit.ts"
import { customerBody, invoiceBody } from "../support/apps/Invoices.ts"
import { keys } from "../support/apps/Accounts.ts"
import { serving } from "../support/apps/MemoryApp.ts"
import { addCustomer } from "../support/apps/MemoryRows.ts"
import { bearer, get, post, type Reply, send, type Sent } from "../support/apps/Requests.ts"
import { patiently } from "../support/apps/Until.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { describeOn } from "../support/Tests.ts"
import { type Breakable, breakable, breaking, faultOf } from "./Faults.ts"
import { limiter, type Outcome } from "./PortTable.ts"

type Method = keyof typeof limiter

const failures = {
  ApiError: new ApiError({ code: "rate_limited", message: "Too fast.", headers: { "Retry-After": "1" } })
}

const cases = (Object.keys(limiter) as ReadonlyArray<Method>).flatMap((method) =>
  Object.entries(limiter[method]).map(([fault, outcome]) => [method, fault, outcome as Outcome] as const)
)

const switches = {
  ofKey: breakable(),
  ofAddress: breakable(),
  isAddressSpent: breakable(),
  ofLink: breakable()
} satisfies Record<Method, Breakable>

const asked = <A, E, R>(effect: Effect.Effect<A, E, R>, switched: Breakable) =>
  Effect.suspend(breaking({ asked: () => effect }, "asked", switched).asked)

/** The limiter, in which two methods are effects instead of functions. */
const layerLimiter = Layer.effect(
  RateLimit,
  Effect.map(RateLimit, (own) => ({
    ofKey: breaking(own, "ofKey", switches.ofKey).ofKey,
    ofAddress: asked(own.ofAddress, switches.ofAddress),
    isAddressSpent: asked(own.isAddressSpent, switches.isAddressSpent),
    ofLink: breaking(own, "ofLink", switches.ofLink).ofLink
  }))
).pipe(Layer.provide(RateLimit.layer))

/** The path of an invoice's file, with a signed link. */
const link = Effect.gen(function* () {
  const { until } = yield* MemoryTables
  const made = yield* post("/v1/invoices", invoiceBody(yield* addCustomer()))
  yield* until(({ invoices }) => invoices.get(made.json.id)?.state === "accepted_by_authority")
  const { json } = yield* get(`/v1/invoices/${made.json.id}`)
  const { pathname, search } = new URL(json.xml_url)
  return pathname + search
})

let requests = 0

/** The request on which the method decides, and its status when the method works. */
const requestFor = Effect.fnUntraced(function* (method: Method) {
  const headers = { "idempotency-key": `limited ${requests++}` }
  const create = { method: "POST", path: "/v1/customers", body: customerBody(), headers }
  const sent: Record<Method, readonly [Sent, number]> = {
    ofKey: [create, 201],
    isAddressSpent: [create, 201],
    ofAddress: [{ path: "/v1/customers", headers: bearer(keys.unknown) }, 401],
    ofLink: [{ path: method === "ofLink" ? yield* link : "", headers: { authorization: undefined } }, 200]
  }
  return sent[method]
})

const ends: Partial<Record<Outcome, readonly [status: number, code: string]>> = {
  "request: no response": [503, "service_unavailable"],
  "request: internal error": [500, "internal_error"],
  "request: its own error": [429, "rate_limited"]
}

const late = Effect.fnUntraced(function* (
  switched: { readonly calls: number },
  request: Effect.Effect<Reply, never, never>
) {
  const before = switched.calls
  const fiber = yield* Effect.forkScoped(request, { startImmediately: true })
  yield* patiently(Effect.repeat(Effect.yieldNow, { until: () => switched.calls > before }))
  yield* TestClock.adjust("15 seconds")
  return yield* patiently(Fiber.join(fiber))
})

const routes = Layers.routes.pipe(Layer.provideMerge(Layers.layerDocuments), Layer.provide(layerLimiter))

describeOn(serving(routes, Layer.empty))("A request", (it) => {
  it.effect.each(cases)("has the documented outcome when RateLimit.%s %s: %s", function* ([method, fault, outcome]) {
    const { tables } = yield* MemoryTables
    const [sent, well] = yield* requestFor(method)
    const request = send(sent).pipe(
      Effect.provideContext(yield* Effect.context<Effect.Services<ReturnType<typeof send>>>())
    )
    const switched = switches[method]
    const before = tables.customers.size
    switched.fault = faultOf(fault, failures, [])
    const reply: Reply = yield* fault.startsWith("hangs") ? late(switched, request) : patiently(request)
    const wanted = ends[outcome]
    assert.deepStrictEqual(
      [reply.status, wanted === undefined ? undefined : reply.json.error.code],
      wanted ?? [well, undefined],
      reply.text
    )
    if (wanted !== undefined) assert.strictEqual(tables.customers.size, before, "nothing is half done")
    assert.isString(reply.headers["request-id"])
    switched.fault = null
    assert.strictEqual((yield* patiently(request)).status, well)
  })

  it.effect.each(Object.entries(limiter.ofAddress))(
    "has the documented outcome without a key when RateLimit.ofAddress %s: %s",
    function* ([fault, outcome]) {
      const request = get("/docs", { authorization: undefined }).pipe(
        Effect.provideContext(yield* Effect.context<Effect.Services<ReturnType<typeof send>>>())
      )
      const switched = switches.ofAddress
      switched.fault = faultOf(fault, failures, [])
      const reply = yield* fault.startsWith("hangs") ? late(switched, request) : patiently(request)
      assert.strictEqual(reply.status, ends[outcome]?.[0] ?? 200, reply.text.slice(0, 200))
      switched.fault = null
      assert.strictEqual((yield* patiently(request)).status, 200)
    }
  )
})
