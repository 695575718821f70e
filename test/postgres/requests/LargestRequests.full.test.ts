import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Schedule, SchemaAST } from "effect"
import { Api } from "../../../src/api/Api.ts"
import { type Ids, type LargeRequest, largeRequests } from "./largestBodies.ts"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import { meteredService } from "../../support/processes/MeteredService.ts"
import { receiver } from "../../support/receiver/Receiver.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { it } from "../../support/Tests.ts"

const routes = Object.values(Api.groups).flatMap((group) =>
  Object.values(group.endpoints).map(({ method, path, payload, query }) => ({
    method: String(method),
    path: String(path),
    hasBody: payload.size > 0,
    parameters:
      query !== undefined && SchemaAST.isObjects(query.ast)
        ? query.ast.propertySignatures.map((property: SchemaAST.PropertySignature) => String(property.name))
        : []
  }))
)
const pages = ["/docs", "/docs/reference.js", "/docs/errors", "/v1/openapi.json", "/metrics", "/nothing"].map(
  (path) => ({
    method: "GET",
    path,
    hasBody: false,
    parameters: []
  })
)

/** The longest turn allowed in milliseconds: four times the turn of the worst requests. */
const turnMax = 250
// Other work of the machine only lengthens a turn, so the shortest of several attempts counts.
const attempts = 5

let keysMade = 0

describe("the largest request of each route", () => {
  it.live("blocks no other request: the event loop continues, and the service reacts to SIGTERM", function* () {
    const hooks = yield* receiver
    const service = yield* meteredService({ webhookAllow: `127.0.0.1:${hooks.port}` })
    yield* service.start()
    const client = service.client()
    const send = ({ body, method, path }: LargeRequest) =>
      client.request(method, path, {
        ...(body === undefined ? {} : { body }),
        ...(method === "GET" ? {} : { key: `large ${keysMade++}` })
      })
    const customer = yield* TestApp.newCustomer(client)
    const made = yield* client.post("/v1/invoices", invoiceBody(customer), { key: "first" })
    const endpoint = yield* client.post(
      "/v1/webhook-endpoints",
      { url: hooks.url("/"), subscribed_events: ["invoice.accepted_by_authority"] },
      { key: "endpoint" }
    )
    const ids: Ids = { customer, invoice: made.json.id, endpoint: endpoint.json.id, hook: hooks.url("/") }
    yield* until(client.get(`/v1/invoices/${ids.invoice}`), ({ json }) => json.status !== "draft")

    // A page full of invoices of the largest size.
    const [large] = largeRequests(
      routes.find(({ method, path }) => `${method} ${path}` === "POST /v1/invoices")!,
      ids
    ).filter(({ name }) => name === "500 lines")
    assert.strictEqual((yield* send(large!)).status, 202)
    yield* service.rows(`
      insert into invoices select copy.*
      from (select * from invoices order by length(lines::text) desc limit 1) large, generate_series(1, 100) n,
        jsonb_populate_record(null::invoices, to_jsonb(large) || jsonb_build_object(
          'id', 'inv_' || lpad(n::text, 26, '0'), 'resolution_id', null, 'prefix', null, 'number', null,
          'full_number', null, 'cufe', null, 'issue_date', null, 'issue_time', null,
          'state', 'canceled', 'submitted_at', null, 'next_action_at', null)) copy`)

    const turns: Array<{ readonly what: string; readonly turn: number }> = []
    for (const route of [...routes, ...pages]) {
      // The other requests need these objects, so the test skips requests that cannot be undone.
      if (route.method === "DELETE" || route.path.endsWith("/rotate-secret")) continue
      for (const request of largeRequests(route, ids)) {
        let best = Number.POSITIVE_INFINITY
        for (let attempt = 0; attempt < attempts; attempt++) {
          yield* service.longestTurn
          yield* send(request)
          best = Math.min(best, yield* service.longestTurn)
          // A turn that is much shorter needs no further attempts.
          if (best < turnMax / 2) break
        }
        turns.push({ what: `${route.method} ${route.path}: ${request.name}`, turn: best })
      }
    }
    const worst = turns.toSorted((a, b) => b.turn - a.turn).slice(0, 25)
    for (const { turn, what } of worst) process.stdout.write(`${turn.toFixed(1).padStart(8)} ms  ${what}\n`)
    assert.isAbove(turns.length, routes.length)
    assert.deepStrictEqual(
      worst.filter(({ turn }) => turn > turnMax),
      []
    )

    // During a flood of the worst requests, the service responds to liveness checks, and ends after SIGTERM.
    const flood = largeRequests({ method: "POST", path: "/v1/invoices", hasBody: true, parameters: [] }, ids)
    const flooding = yield* Effect.forkChild(
      Effect.forEach(flood, (request) => Effect.repeat(Effect.ignore(send(request)), Schedule.forever), {
        concurrency: 8,
        discard: true
      })
    )
    for (let asked = 0; asked < 10; asked++) {
      assert.strictEqual((yield* Effect.timeout(client.get("/health/live"), "60 seconds")).status, 200)
    }
    yield* service.signal("SIGTERM")
    assert.deepStrictEqual(yield* service.ended, { code: 0, signal: null })
    yield* Fiber.interrupt(flooding)
  })
})
