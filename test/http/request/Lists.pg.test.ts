import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isDeepStrictEqual } from "node:util"
import { issue, settled } from "../../support/apps/Correcting.ts"
import {
  customerBody,
  endpointBody,
  invoiceBody,
  partialNoteBody,
  resolutionBody
} from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { rangeId, testMode } from "../../support/apps/Accounts.ts"
import { addEndpoint, change } from "../../support/apps/PostgresRows.ts"
import { get, post, send } from "../../support/apps/Requests.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

const idsOf = (data: ReadonlyArray<{ readonly id: string }>) => data.map(({ id }) => id)

/** All ids of a list, page by page, from the newest or from the oldest on. Checks the pages. */
const walk = Effect.fnUntraced(function* (path: string, limit: number, cursor: "starting_after" | "ending_before") {
  const oldest = cursor === "ending_before" ? (yield* get(`${path}?limit=100`)).json.data.at(-1).id : undefined
  const ids: Array<string> = oldest === undefined ? [] : [oldest]
  let next = yield* get(`${path}?limit=${limit}${oldest === undefined ? "" : `&ending_before=${oldest}`}`)
  for (;;) {
    const page = idsOf(next.json.data)
    assert.isAtMost(page.length, limit)
    assert.deepStrictEqual(page, page.toSorted().toReversed(), "newest first")
    if (cursor === "starting_after") ids.push(...page)
    else ids.unshift(...page)
    if (next.json.has_more === false) return ids
    assert.lengthOf(page, limit)
    const edge = cursor === "starting_after" ? page.at(-1) : page[0]
    next = yield* get(`${path}?limit=${limit}&${cursor}=${edge}`)
  }
})

/**
 * Waits until both directions of a list show these ids, newest first. An event is listed only after all earlier
 * transactions.
 */
const showsBothWays = Effect.fnUntraced(function* (path: string, ids: ReadonlyArray<string>, limit = 2) {
  const newestFirst = ids.toSorted().toReversed()
  for (const cursor of ["starting_after", "ending_before"] as const) {
    yield* until(walk(path, limit, cursor), (found) => isDeepStrictEqual(found, newestFirst))
  }
})

/** Creates this many objects, and returns their ids. */
const make = Effect.fnUntraced(function* (count: number, path: string, body: unknown) {
  const made = yield* Effect.forEach(Array.from({ length: count }), () => post(path, body))
  return idsOf(made.map(({ json }) => json))
})

describeLive(app)("lists", (it) => {
  it.effect("return an empty list if there are no objects", function* () {
    for (const path of [
      "/v1/customers",
      "/v1/invoices",
      "/v1/credit-notes",
      "/v1/debit-notes",
      "/v1/webhook-endpoints",
      "/v1/events"
    ]) {
      const { json, status } = yield* get(path)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(json, { object: "list", url: path, has_more: false, data: [] })
    }
  })

  it.effect("show each of 25 objects once, newest first, for any page size and direction", function* () {
    const made = yield* make(25, "/v1/customers", customerBody())
    for (const limit of [1, 4, 5, 24, 25, 26, 100]) yield* showsBothWays("/v1/customers", made, limit)
  })

  it.effect("show ten objects by default, with the fields of the object itself", function* () {
    const { json } = yield* get("/v1/customers")
    assert.lengthOf(json.data, 10)
    assert.strictEqual(json.has_more, true)
    assert.strictEqual(json.url, "/v1/customers")
    assert.deepStrictEqual((yield* get(`/v1/customers/${json.data[0].id}`)).json, json.data[0])
  })

  it.effect("end after the last object", function* () {
    const { json } = yield* get("/v1/customers?limit=100")
    const ids = idsOf(json.data)
    const empty = { object: "list", url: "/v1/customers", has_more: false, data: [] }
    assert.deepStrictEqual((yield* get(`/v1/customers?starting_after=${ids.at(-1)}`)).json, empty)
    assert.deepStrictEqual((yield* get(`/v1/customers?ending_before=${ids[0]}`)).json, empty)
    const two = yield* get(`/v1/customers?limit=2&ending_before=${ids[5]}`)
    assert.deepStrictEqual(idsOf(two.json.data), ids.slice(3, 5), "the two next to the cursor")
    assert.strictEqual(two.json.has_more, true)
  })

  it.effect("filter invoices by customer, status, number or time, and page the same way", function* () {
    const buyers = [
      yield* post("/v1/customers", customerBody()),
      yield* post("/v1/customers", customerBody("900373115"))
    ]
    const made: Array<string> = []
    for (let index = 0; index < 10; index++) {
      const { json } = yield* post("/v1/invoices", invoiceBody(buyers[index % 2]?.json.id))
      yield* settled(`/v1/invoices/${json.id}`)
      // Half of them rejected.
      if (index % 2 === 1) yield* change("invoices", json.id, { state: "rejected_by_authority" })
      made.push(json.id)
    }
    yield* showsBothWays("/v1/invoices", made, 3)
    const all: ReadonlyArray<Record<string, string>> = (yield* get("/v1/invoices?limit=100")).json.data
    const [moment = "", buyer = ""] = [all[3]?.["created_at"], buyers[0]?.json.id]
    for (const [query, count, fits] of [
      [`customer_id=${buyer}`, 5, (one) => one["customer_id"] === buyer],
      ["status=rejected_by_authority", 5, (one) => one["status"] === "rejected_by_authority"],
      [`status=rejected_by_authority&customer_id=${buyer}`, 0, () => false],
      [`full_number=${all[4]?.["full_number"]}`, 1, (one) => one["id"] === all[4]?.["id"]],
      [`created[gte]=${moment}`, 4, (one) => (one["created_at"] ?? "") >= moment],
      [`created[lte]=${moment}&status=accepted_by_authority`, 4, (one) => one["status"] === "accepted_by_authority"]
    ] as ReadonlyArray<readonly [string, number, (one: Record<string, string>) => boolean]>) {
      const { json } = yield* get(`/v1/invoices?limit=100&${query}`)
      assert.lengthOf(json.data, count, query)
      assert.isTrue(json.data.every(fits), query)
      const pages: Array<string> = []
      for (let cursor = ""; ; cursor = `&starting_after=${pages.at(-1)}`) {
        const { json: page } = yield* get(`/v1/invoices?limit=2&${query}${cursor}`)
        pages.push(...idsOf(page.data))
        if (page.has_more === false) break
      }
      assert.deepStrictEqual(pages, idsOf(json.data), query)
    }
  })

  it.effect("page resolutions, events and deliveries the same way", function* () {
    const ranges = yield* Effect.forEach([1, 2, 3, 4, 5], (number) =>
      post("/v1/resolutions", resolutionBody({ from_number: number, to_number: number }))
    )
    const endpoint = yield* addEndpoint()
    const sql = yield* SqlClient.SqlClient
    const events = yield* sql<{ id: string }>`
      select id from events where account_id = ${testMode.account_id} and not livemode order by id limit 100`
    for (const [path, ids] of [
      ["/v1/resolutions", [rangeId(testMode), ...idsOf(ranges.map(({ json }) => json))]],
      ["/v1/events", idsOf(events)],
      [`/v1/webhook-endpoints/${endpoint}/deliveries`, yield* make(5, `/v1/webhook-endpoints/${endpoint}/test`, {})]
    ] as const) {
      assert.isAtLeast(ids.length, 5)
      yield* showsBothWays(path, ids, path === "/v1/events" ? 7 : 2)
    }
    yield* send({ method: "DELETE", path: `/v1/webhook-endpoints/${endpoint}` })
  })

  it.effect("page endpoints the same way, and show no secret", function* () {
    const path = "/v1/webhook-endpoints"
    yield* showsBothWays(path, yield* make(5, path, endpointBody("https://hooks.example.com")))
    const { text } = yield* get(path)
    assert.notInclude(text, "whsec_")
    assert.notInclude(text, '"secret"')
  })

  it.effect("page emails and notes the same way", function* () {
    const { id } = yield* issue
    const emails = `/v1/invoices/${id}/email`
    yield* showsBothWays(`${emails}s`, yield* make(5, emails, { to: "compras@example.com" }))
    for (const path of ["/v1/credit-notes", "/v1/debit-notes"]) {
      yield* showsBothWays(path, yield* make(5, path, partialNoteBody(id, "1.00")))
    }
  })
})
