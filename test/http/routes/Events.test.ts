import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { customerBody, endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { addDelivery, addEndpoint } from "../../support/apps/MemoryRows.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { bearer, get, post, send } from "../../support/apps/Requests.ts"
import { describeOn } from "../../support/Tests.ts"
import { atCalls, atNoCalls } from "../../support/memory/Calls.ts"

const idsOf = (reply: { readonly json: { readonly data: ReadonlyArray<{ readonly id: string }> } }) =>
  reply.json.data.map(({ id }) => id)

/** An event that nobody subscribes to. */
const happens = Effect.fnUntraced(function* (object_id: string) {
  const { tables } = yield* MemoryTables
  const { event_id, id } = yield* addDelivery(yield* addEndpoint(), object_id)
  tables.deliveries.delete(id)
  return event_id
})

const empty = { object: "list", url: "/v1/events", has_more: false, data: [] }

/** A request that has begun to wait. */
const waits = Effect.fnUntraced(function* (path: string, headers = {}) {
  const { count, until } = yield* MemoryTables
  const before = count("Events.after")
  const request = yield* Effect.forkScoped(get(path, headers))
  yield* until(() => count("Events.after") > before)
  return request
})

describeOn(app)("GET /v1/events", (it) => {
  it.effect("shows the bodies as they were delivered, newest first", function* () {
    const { tables, until } = yield* MemoryTables
    assert.deepStrictEqual((yield* get("/v1/events")).json, empty)
    const customer = yield* post("/v1/customers", customerBody())
    const made = yield* Effect.forEach([1, 2, 3], () => post("/v1/invoices", invoiceBody(customer.json.id)))
    yield* until(({ events }) => events.length === 3)
    const { json, text } = yield* get("/v1/events?limit=2")
    assert.deepInclude(json, { object: "list", url: "/v1/events", has_more: true })
    const bodies = tables.events.map(({ body }) => body)
    assert.include(text, `"data":[${bodies[2]},${bodies[1]}]`)
    const one = yield* get(`/v1/events/${json.data[0].id}`)
    assert.strictEqual(one.text, bodies[2])
    assert.sameMembers(Object.keys(one.json), ["id", "object", "type", "created", "livemode", "account", "data"])
    const id = String(made[1]?.json.id)
    const ofOne = yield* get(`/v1/events?object_id=${id}`)
    // Invoices that are issued at the same time come to their end in any order.
    const own = bodies.filter((body) => JSON.parse(body).data.object.id === id)
    assert.lengthOf(own, 1)
    assert.include(ofOne.text, `"data":[${own.join()}]`)
  })

  it.effect("chooses by type, types, object and time, and pages within", function* () {
    const { tables } = yield* MemoryTables
    tables.events.splice(0)
    for (const object of ["inv_1", "inv_2", "inv_1", "inv_1"]) {
      yield* happens(object)
      yield* TestClock.adjust("10 seconds")
    }
    const ids = tables.events.map(({ id }) => id)
    const at = (index: number) => encodeURIComponent(new Date(tables.events[index]?.created_at ?? 0).toISOString())
    const cases: ReadonlyArray<readonly [string, ReadonlyArray<number>]> = [
      ["type=invoice.accepted_by_authority", [3, 2, 1, 0]],
      ["type=invoice.failed", []],
      ["types[]=invoice.failed", []],
      ["types[]=invoice.failed&types[]=invoice.accepted_by_authority", [3, 2, 1, 0]],
      ["object_id=inv_1", [3, 2, 0]],
      ["object_id=nothing", []],
      [`created[gte]=${at(1)}&created[lte]=${at(2)}`, [2, 1]],
      [`object_id=inv_1&limit=1&starting_after=${ids[3]}`, [2]],
      [`object_id=inv_1&created[lte]=${at(2)}`, [2, 0]],
      [`after=${ids[0]}`, [1, 2, 3]],
      [`after=${ids[0]}&object_id=inv_1`, [2, 3]],
      [`after=${ids[0]}&limit=2`, [1, 2]],
      [`after=${ids[3]}`, []],
      ["wait=0", [0, 1, 2, 3]],
      ["wait=20&limit=3", [0, 1, 2]]
    ]
    for (const [query, expected] of cases) {
      const reply = yield* get(`/v1/events?${query}`)
      assert.strictEqual(reply.status, 200, reply.text)
      assert.deepStrictEqual(
        idsOf(reply),
        expected.map((index) => String(ids[index])),
        query
      )
    }
    assert.isTrue((yield* get(`/v1/events?after=${ids[0]}&limit=2`)).json.has_more)
    assert.isFalse((yield* get(`/v1/events?after=${ids[0]}&limit=3`)).json.has_more)
  })

  it.effect("waits for an event, of those that are asked for, and answers with it", function* () {
    const { count, until } = yield* MemoryTables
    const last = yield* happens("inv_0")
    const any = yield* waits(`/v1/events?after=${last}&wait=20`)
    const one = yield* waits(`/v1/events?after=${last}&wait=20&object_id=inv_9`)
    const others = yield* waits("/v1/events?wait=20", bearer(keys.live))
    yield* TestClock.adjust("5 seconds")
    assert.isUndefined(any.pollUnsafe())
    const first = yield* happens("inv_1")
    yield* TestClock.adjust("250 millis")
    assert.deepStrictEqual(idsOf(yield* Fiber.join(any)), [first])
    // It was looked at, and is none of theirs: not one page is read for it.
    const [looks, pages] = [count("Events.news"), count("Events.after")]
    yield* TestClock.adjust("1 second")
    yield* until(() => count("Events.news") > looks)
    yield* happens("inv_2")
    yield* TestClock.adjust("1 second")
    assert.isUndefined(one.pollUnsafe())
    assert.strictEqual(count("Events.after"), pages)
    const wanted = yield* happens("inv_9")
    yield* TestClock.adjust("250 millis")
    assert.deepStrictEqual(idsOf(yield* Fiber.join(one)), [wanted])
    assert.isUndefined(others.pollUnsafe())
    yield* TestClock.adjust("20 seconds")
    assert.deepStrictEqual((yield* Fiber.join(others)).json, empty)
  })

  it.effect(
    "answers with nothing when the time is over, longer than a database may take; then nobody looks",
    function* () {
      const { count } = yield* MemoryTables
      const last = yield* happens("inv_0")
      const request = yield* waits(`/v1/events?after=${last}&wait=20`)
      yield* TestClock.adjust("19900 millis")
      assert.isUndefined(request.pollUnsafe())
      yield* TestClock.adjust("100 millis")
      const reply = yield* Fiber.join(request)
      assert.strictEqual(reply.status, 200)
      assert.deepStrictEqual(reply.json, empty)
      yield* TestClock.adjust("1 second")
      const looks = count("Events.news")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(count("Events.news"), looks)
    }
  )

  it.effect("goes on waiting when the database fails for a moment", function* () {
    const last = yield* happens("inv_0")
    const request = yield* waits(`/v1/events?after=${last}&wait=20`)
    let failed = 0
    yield* atCalls(
      "Events.news",
      Effect.suspend(() => Effect.die(`broken ${++failed}`))
    )
    yield* TestClock.adjust("1 second")
    assert.isAbove(failed, 1)
    yield* atNoCalls
    const next = yield* happens("inv_1")
    yield* TestClock.adjust("500 millis")
    assert.deepStrictEqual(idsOf(yield* Fiber.join(request)), [next])
  })
})

describeOn(app)("webhook deliveries", (it) => {
  it.effect("are shown with their attempts by event, by endpoint and status, and alone", function* () {
    const { until } = yield* MemoryTables
    const endpoint = yield* post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com"))
    const customer = yield* post("/v1/customers", customerBody())
    yield* post("/v1/invoices", invoiceBody(customer.json.id))
    yield* until(({ deliveries }) => [...deliveries.values()].some(({ status }) => status === "succeeded"))
    const [event] = (yield* get("/v1/events")).json.data
    const { json } = yield* get(`/v1/events/${event.id}/deliveries`)
    assert.deepInclude(json, { object: "list", url: `/v1/events/${event.id}/deliveries`, has_more: false })
    const [delivery, ...more] = json.data
    assert.deepStrictEqual(more, [])
    const { attempts, created_at, id, updated_at, ...rest } = delivery
    assert.deepStrictEqual(rest, {
      object: "webhook_delivery",
      livemode: false,
      webhook_endpoint_id: endpoint.json.id,
      event_id: event.id,
      event_type: "invoice.accepted_by_authority",
      status: "succeeded",
      next_attempt_at: null,
      attempts_count: 1
    })
    assert.match(id, /^whd_[0-9a-hjkmnp-tv-z]{26}$/)
    for (const time of [created_at, updated_at, attempts[0].started_at]) assert.match(time, /-05:00$/)
    assert.deepStrictEqual(attempts, [
      {
        id: `${id}_1`,
        object: "webhook_attempt",
        number: 1,
        trigger: "auto",
        started_at: attempts[0].started_at,
        duration_ms: 1,
        remote_ip: "192.0.2.1",
        response_status: 200,
        response_headers: {},
        response_body: "",
        error: null
      }
    ])
    const path = `/v1/webhook-endpoints/${endpoint.json.id}/deliveries`
    assert.deepStrictEqual((yield* get(path)).json, { ...json, url: path })
    assert.deepStrictEqual((yield* get(`${path}?status=succeeded`)).json.data, [delivery])
    assert.deepStrictEqual((yield* get(`${path}?status=failed`)).json.data, [])
    assert.deepStrictEqual((yield* get(`/v1/webhook-deliveries/${id}`)).json, delivery)
  })

  it.effect("are made again on request, tested and recovered; the answer says where to look", function* () {
    const { tables, until } = yield* MemoryTables
    const [delivery] =
      (yield* get("/v1/webhook-endpoints")).json.data.length === 1 ? [...tables.deliveries.values()] : []
    assert.isDefined(delivery)
    const before = tables.attempts.length
    const again = yield* post(`/v1/webhook-deliveries/${delivery?.id}/redeliver`)
    assert.strictEqual(again.status, 202, again.text)
    assert.strictEqual(again.headers.location, `/v1/webhook-deliveries/${delivery?.id}`)
    assert.deepInclude(again.json, { id: delivery?.id, status: "pending" })
    yield* until(({ attempts }) => attempts.length === before + 1)
    assert.deepStrictEqual(
      (yield* get(again.headers.location ?? "")).json.attempts.map(({ trigger }: { trigger: string }) => trigger),
      ["auto", "manual"]
    )

    const path = `/v1/webhook-endpoints/${delivery?.endpoint_id}`
    for (const [body, type] of [
      [undefined, "invoice.accepted_by_authority"],
      [{}, "invoice.accepted_by_authority"],
      [{ type: "credit_note.email.bounced" }, "credit_note.email.bounced"]
    ] as const) {
      const events = (yield* get("/v1/events")).text
      const sample = yield* post(`${path}/test`, body, body === undefined ? { "content-type": "text/plain" } : {})
      assert.strictEqual(sample.status, 202, sample.text)
      assert.strictEqual(sample.headers.location, `/v1/webhook-deliveries/${sample.json.id}`)
      assert.strictEqual(sample.json.event_type, type)
      yield* until(({ deliveries }) => deliveries.get(sample.json.id)?.status === "succeeded")
      const event = yield* get(`/v1/events/${sample.json.event_id}`)
      assert.deepInclude(event.json, { type, livemode: false, object: "event" })
      assert.strictEqual((yield* get("/v1/events")).text, events, "not among the events")
    }

    // Made before the endpoint was there, or while it was not active.
    yield* happens("inv_missed")
    const recovery = yield* post(`${path}/recover`, { since: "2026-11-21T10:00:00-05:00" })
    assert.strictEqual(recovery.status, 202, recovery.text)
    assert.deepStrictEqual(recovery.json, {
      object: "webhook_recovery",
      webhook_endpoint_id: delivery?.endpoint_id,
      since: "2026-11-21T10:00:00.000-05:00",
      deliveries: 1,
      has_more: false
    })
    assert.strictEqual((yield* get(recovery.headers.location ?? "")).status, 200)
    yield* until(({ attempts }) => attempts.at(-1)?.trigger === "recover")
  })

  it.effect("of an endpoint that is gone can be looked at, and not made again", function* () {
    const { tables } = yield* MemoryTables
    const [delivery] = [...tables.deliveries.values()]
    yield* send({ method: "DELETE", path: `/v1/webhook-endpoints/${delivery?.endpoint_id}` })
    assert.strictEqual((yield* get(`/v1/webhook-deliveries/${delivery?.id}`)).status, 200)
    for (const path of [
      `/v1/webhook-deliveries/${delivery?.id}/redeliver`,
      `/v1/webhook-endpoints/${delivery?.endpoint_id}/test`
    ]) {
      const refused = yield* post(path)
      assert.deepStrictEqual([refused.status, refused.json.error.code], [404, "resource_missing"])
    }
    assert.strictEqual((yield* get(`/v1/webhook-endpoints/${delivery?.endpoint_id}/deliveries`)).status, 404)
  })

  it.effect("are asked for once with one Idempotency-Key", function* () {
    const { tables } = yield* MemoryTables
    const endpoint = yield* post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com"))
    const path = `/v1/webhook-endpoints/${endpoint.json.id}/test`
    const before = tables.events.length
    const [first, second] = [
      yield* post(path, undefined, { "idempotency-key": "one test" }),
      yield* post(path, undefined, { "idempotency-key": "one test" })
    ]
    assert.strictEqual(second.text, first.text)
    assert.strictEqual(second.headers["svc-idempotency-cached"], "true")
    assert.strictEqual(tables.events.length, before + 1)
  })
})
