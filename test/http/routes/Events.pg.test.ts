import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isDeepStrictEqual } from "node:util"
import { timestamp } from "../../../src/runtime/AuthorityTime.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { account, keys, otherAccount } from "../../support/apps/Accounts.ts"
import { seen } from "../../support/apps/Correcting.ts"
import { customerBody, endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { bearer, get, post, type Reply, send } from "../../support/apps/Requests.ts"
import { until } from "../../support/apps/Until.ts"
import { rowCount } from "../../support/database/Owners.ts"
import { describeLive } from "../../support/Tests.ts"

/** An event without a subscriber. */
const happens = Effect.fnUntraced(function* (object_id: string, created_at: Date, account_id: string = account) {
  const sql = yield* SqlClient.SqlClient
  const id = yield* (yield* Ids).event
  const type = "invoice.accepted_by_authority"
  const object_version = yield* rowCount("events")
  const body = JSON.stringify({ id, object_id })
  const row = { account_id, livemode: false, id, type, object_id, object_version, body, created_at }
  yield* sql`insert into events ${sql.insert(row)}`
  return id
})

/** The first delivery of the account. */
const theDelivery = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ id: string; webhook_endpoint_id: string }>`
    select id, endpoint_id as webhook_endpoint_id from deliveries order by seq limit 1`
  assert.isDefined(row)
  return row
})

const empty = { object: "list", url: "/v1/events", has_more: false, data: [] }

const idsOf = (reply: { readonly json: { readonly data: ReadonlyArray<{ readonly id: string }> } }) =>
  reply.json.data.map(({ id }) => id)

/**
 * Waits until the other account sees these events. An event is listed only after all earlier transactions.
 */
const shows = Effect.fnUntraced(function* (
  query: string,
  expected: ReadonlyArray<string | undefined>,
  has_more?: boolean
) {
  const ask = get(`/v1/events?${query}`, bearer(keys.otherAccount))
  const fits = (reply: Reply) =>
    reply.status === 200 &&
    isDeepStrictEqual(idsOf(reply), expected) &&
    (has_more ?? reply.json.has_more) === reply.json.has_more
  yield* until(ask, fits)
})

describeLive(app)("Events", (it) => {
  it.effect("list newest first, with their bodies as delivered", function* () {
    const sql = yield* SqlClient.SqlClient
    assert.deepStrictEqual((yield* get("/v1/events")).json, empty)
    const customer = yield* post("/v1/customers", customerBody())
    const made = yield* Effect.forEach([1, 2, 3], () => post("/v1/invoices", invoiceBody(customer.json.id)))
    yield* seen("/v1/events", ({ data }) => data.length === 3)
    const { json, text } = yield* seen("/v1/events?limit=2", ({ data, has_more }) => data.length === 2 && has_more)
    assert.deepInclude(json, { object: "list", url: "/v1/events", has_more: true })
    const rows = yield* sql<{ body: string }>`select body from events where account_id = ${account} order by tx, seq`
    const bodies = rows.map(({ body }) => body)
    assert.include(text, `"data":[${bodies[2]},${bodies[1]}]`)
    const one = yield* get(`/v1/events/${json.data[0].id}`)
    assert.strictEqual(one.text, bodies[2])
    assert.sameMembers(Object.keys(one.json), ["id", "object", "type", "created", "livemode", "account", "data"])
    const id = String(made[1]?.json.id)
    const ofOne = yield* seen(`/v1/events?object_id=${id}`, ({ data }) => data.length > 0)
    // Invoices that are issued together end in any order.
    const own = bodies.filter((body) => JSON.parse(body).data.object.id === id)
    assert.lengthOf(own, 1)
    assert.include(ofOne.text, `"data":[${own.join()}]`)
  })

  it.effect("can be filtered by type, types, object and time, with pages of the result", function* () {
    const first = Date.now() - 60_000
    const ids = yield* Effect.forEach(["inv_1", "inv_2", "inv_1", "inv_1"], (id, index) =>
      happens(id, new Date(first + index * 10_000), otherAccount)
    )
    const at = (index: number) => encodeURIComponent(new Date(first + index * 10_000).toISOString())
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
      yield* shows(
        query,
        expected.map((index) => ids[index])
      )
    }
    yield* shows(`after=${ids[0]}&limit=2`, [ids[1], ids[2]], true)
    yield* shows(`after=${ids[0]}&limit=3`, [ids[1], ids[2], ids[3]], false)
  })

  it.effect("deliveries show their attempts by event, by endpoint and status, and alone", function* () {
    const endpoint = yield* post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com"))
    const customer = yield* post("/v1/customers", customerBody())
    const made = yield* post("/v1/invoices", invoiceBody(customer.json.id))
    const ofIt = yield* seen(`/v1/events?object_id=${made.json.id}`, ({ data }) => data.length === 1)
    const [event] = ofIt.json.data
    yield* seen(`/v1/events/${event.id}/deliveries`, ({ data }) => data[0]?.status === "succeeded")
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

  it.effect(
    "deliveries can be repeated, tested and recovered, and the response names the location of each",
    function* () {
      const delivery = yield* theDelivery
      const again = yield* post(`/v1/webhook-deliveries/${delivery.id}/redeliver`)
      assert.strictEqual(again.status, 202, again.text)
      assert.strictEqual(again.headers.location, `/v1/webhook-deliveries/${delivery.id}`)
      assert.deepInclude(again.json, { id: delivery.id, status: "pending" })
      const tried = yield* seen(again.headers.location ?? "", ({ attempts }) => attempts.length === 2)
      assert.deepStrictEqual(
        tried.json.attempts.map(({ trigger }: { trigger: string }) => trigger),
        ["auto", "manual"]
      )

      const path = `/v1/webhook-endpoints/${delivery.webhook_endpoint_id}`
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
        yield* seen(sample.headers.location ?? "", (shown) => shown.status === "succeeded")
        const event = yield* get(`/v1/events/${sample.json.event_id}`)
        assert.deepInclude(event.json, { type, livemode: false, object: "event" })
        assert.strictEqual((yield* get("/v1/events")).text, events, "not among the events")
      }

      // From before the endpoint existed, or from while it was inactive.
      const since = timestamp(Date.now())
      const missed = yield* happens("inv_missed", new Date())
      const recovery = yield* post(`${path}/recover`, { since })
      assert.strictEqual(recovery.status, 202, recovery.text)
      assert.deepStrictEqual(recovery.json, {
        object: "webhook_recovery",
        webhook_endpoint_id: delivery.webhook_endpoint_id,
        since,
        deliveries: 1,
        has_more: false
      })
      assert.strictEqual((yield* get(recovery.headers.location ?? "")).status, 200)
      const [recovered] = (yield* seen(
        `/v1/events/${missed}/deliveries`,
        ({ data }) => data[0]?.status === "succeeded"
      )).json.data
      assert.strictEqual(recovered.attempts[0].trigger, "recover")
    }
  )

  it.effect("deliveries of a deleted endpoint can be read, and not repeated", function* () {
    const delivery = yield* theDelivery
    yield* send({ method: "DELETE", path: `/v1/webhook-endpoints/${delivery.webhook_endpoint_id}` })
    assert.strictEqual((yield* get(`/v1/webhook-deliveries/${delivery.id}`)).status, 200)
    for (const path of [
      `/v1/webhook-deliveries/${delivery.id}/redeliver`,
      `/v1/webhook-endpoints/${delivery.webhook_endpoint_id}/test`
    ]) {
      const refused = yield* post(path)
      assert.deepStrictEqual([refused.status, refused.json.error.code], [404, "resource_missing"])
    }
    assert.strictEqual((yield* get(`/v1/webhook-endpoints/${delivery.webhook_endpoint_id}/deliveries`)).status, 404)
  })

  it.effect("a test event is sent once with one Idempotency-Key", function* () {
    const endpoint = yield* post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com"))
    const path = `/v1/webhook-endpoints/${endpoint.json.id}/test`
    const before = yield* rowCount("events")
    const [first, second] = [
      yield* post(path, undefined, { "idempotency-key": "one test" }),
      yield* post(path, undefined, { "idempotency-key": "one test" })
    ]
    assert.strictEqual(second.text, first.text)
    assert.strictEqual(second.headers["svc-idempotency-cached"], "true")
    assert.strictEqual(yield* rowCount("events"), before + 1)
  })

  it.effect("accepts a time without seconds, and truncates it to milliseconds", function* () {
    for (const time of [
      "2026-11-21T10:00-05:00",
      "2026-11-21T10:00:00.123456-05:00",
      "2026-11-21T10:00:00.123456789Z"
    ]) {
      assert.strictEqual((yield* get(`/v1/events?created[gte]=${time}`)).status, 200, time)
    }
    const endpoint = yield* post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com"))
    const path = `/v1/webhook-endpoints/${endpoint.json.id}/recover`
    const recovered = yield* post(path, { since: "2026-11-01T10:00:00.123999Z" })
    assert.strictEqual(recovered.json.since, "2026-11-01T05:00:00.123-05:00", recovered.text)
  })
})
