import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { endpointBody, invoiceBody, resolutionBody } from "../../support/apps/Invoices.ts"
import { layer as app, newCustomer, TestApp } from "../../support/apps/TestApp.ts"
import { describeLive } from "../../support/Tests.ts"

const dates = ["0000-01-01", "0001-01-01", "1899-12-31", "1900-01-01", "2200-01-01", "2026-02-30", "+010000-01-01"]
const ends = ["T00:00:00Z", "T23:59:59.999-05:00", "T00:00:00+14:00", "T23:59:59-23:59"]
const times = [
  ...dates.flatMap((date) => ends.map((end) => date + end)),
  "2026-11-21T24:00:00Z",
  "2026-11-21T10:00:00+99:99"
]

interface Dated {
  readonly name: string
  readonly param: string
  readonly method: "GET" | "POST" | "PATCH"
  readonly path: string
  readonly body?: unknown
}

/** A request for every field with a date or a time, with this value. */
const requests = (date: string, customer: string, resolution: string, endpoint: string): ReadonlyArray<Dated> => [
  ...["valid_from", "valid_to"].map((param, index) => ({
    name: `resolution ${param}`,
    param,
    method: "POST" as const,
    path: "/v1/resolutions",
    body: resolutionBody({ prefix: `D${index}X`, valid_from: "1900-01-01", valid_to: "2199-12-31", [param]: date })
  })),
  {
    name: "resolution change",
    param: "valid_to",
    method: "PATCH",
    path: `/v1/resolutions/${resolution}`,
    body: { valid_to: date }
  },
  ...["/v1/invoices", "/v1/invoices/validate"].map((path) => ({
    name: `${path} due_date`,
    param: "payment_means.due_date",
    method: "POST" as const,
    path,
    body: { ...invoiceBody(customer), payment_means: { code: "10", type: "2", due_date: date } }
  })),
  {
    name: "recovery",
    param: "since",
    method: "POST",
    path: `/v1/webhook-endpoints/${endpoint}/recover`,
    body: { since: date }
  },
  ...["invoices", "credit-notes", "debit-notes", "events"].flatMap((list) =>
    ["created[gte]", "created[lte]"].map((param) => ({
      name: `${list} ${param}`,
      param,
      method: "GET" as const,
      path: `/v1/${list}?${encodeURIComponent(param)}=${encodeURIComponent(date)}`
    }))
  )
]

describeLive(app())("A date or time at the edge of the calendar", (it) => {
  it.effect("passes or fails with the name of its field, in every field", function* () {
    const { client } = yield* TestApp
    const customer = yield* newCustomer(client)
    const own = resolutionBody({ prefix: "OWN", valid_from: "2026-01-01", valid_to: "2029-12-31" })
    const resolution = String((yield* client.post("/v1/resolutions", own, { key: "own" })).json.id)
    const made = yield* client.post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com/"))
    let key = 0
    const counts = { taken: 0, refused: 0 }
    for (const date of [...dates, ...times]) {
      const all = requests(date, customer, resolution, String(made.json.id))
      const asked = Effect.fnUntraced(function* ({ body, method, name, param, path }: Dated) {
        const options = body === undefined ? {} : { body, key: `date ${key++}` }
        const answer = yield* client.request(method, path, options)
        const isRefused = answer.status === 400 || answer.json.valid === false
        if (/^(000|\+)/.test(date)) assert.isTrue(isRefused, `${name} ${date}: ${answer.text}`)
        if (answer.status === 400) {
          counts.refused++
          assert.strictEqual(answer.json.error.param, param, `${name} ${date}: ${answer.text}`)
          assert.include(answer.json.error.message, param.split(".").at(-1) ?? "", `${name} ${date}`)
        } else {
          counts.taken++
          assert.include([200, 201, 202, 409], answer.status, `${name} ${date}: ${answer.text}`)
        }
      })
      yield* Effect.forEach(all, asked, { concurrency: 4, discard: true })
    }
    assert.isAbove(counts.taken, 20)
    assert.isAbove(counts.refused, 200)
    // The registered ranges and all other objects stay readable.
    for (const path of ["/v1/resolutions?limit=100", "/v1/invoices?limit=100"]) {
      assert.strictEqual((yield* client.get(path)).status, 200)
    }
    for (const seconds of [0, -1, 30 * 86_400 + 1, 1e300, 0.5]) {
      const answer = yield* client.post("/v1/test-helpers/advance", { seconds })
      assert.deepStrictEqual([answer.status, answer.json.error?.param], [400, "seconds"], String(seconds))
    }
    for (let jump = 0; jump < 5; jump++) {
      assert.strictEqual((yield* client.post("/v1/test-helpers/advance", { seconds: 30 * 86_400 })).status, 200)
    }
  })
})
