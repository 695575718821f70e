import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { listening } from "../../../support/apps/Listening.ts"
import { it } from "../../../support/Tests.ts"
import { folio } from "../Spawned.ts"

const request = (number: number) => ({
  id: `req_${String(number).padStart(26, "0")}`,
  object: "request",
  created: new Date(Date.UTC(2026, 10, 23, 10, 0, number)).toISOString(),
  method: "POST",
  path: "/v1/invoices",
  query: null,
  status: 409,
  duration_ms: 12,
  ip: null,
  version: "2026-01-01",
  api_key: null,
  idempotency: { key: "order-1", verdict: "conflict", of: null },
  error_code: "idempotency_conflict",
  objects: [],
  events: []
})

/** A service whose log is empty at first and then has two requests. It fails once, and then has a third request. */
const service = Effect.gen(function* () {
  const asked: Array<URL> = []
  const port = yield* listening((given, response) => {
    const url = new URL(given.url ?? "", "http://folio")
    asked.push(url)
    if (asked.length === 3) {
      response.end("<p>A proxy before the service answers while it is started again.</p>")
      return
    }
    const data = [request(3), request(2), request(1)].slice([3, 1][asked.length - 1] ?? 0)
    const body =
      url.pathname === "/v1/requests"
        ? { object: "list", has_more: false, data }
        : { ...request(1), request_body: "{", response_body: null }
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
  })
  return { asked, env: { FOLIO_URL: `http://127.0.0.1:${port}`, FOLIO_API_KEY: "sk_test_x" } }
})

describe("folio requests", () => {
  it.live("follows the log, each request once and the oldest first", function* () {
    const { asked, env } = yield* service
    const words = ["requests", "tail", "--status", "4xx", "--path", "/v1/invoices"]
    const { out } = yield* folio([...words, "--limit", "3"], { env })
    assert.deepStrictEqual(
      out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
      [request(1), request(2), request(3)]
    )
    const [first, second, third] = asked.map(({ searchParams }) => Object.fromEntries(searchParams))
    assert.deepStrictEqual(first, { status: "4xx", path: "/v1/invoices", limit: "10" })
    assert.deepStrictEqual(second, first)
    assert.isBelow(Date.parse(third?.["created[gte]"] ?? ""), Date.parse(request(2).created))
  })

  it.live("shows a single request", function* () {
    const { asked, env } = yield* service
    const { code, out } = yield* folio(["requests", "get", request(1).id], { env })
    assert.strictEqual(code, 0)
    assert.strictEqual(JSON.parse(out).request_body, "{")
    assert.strictEqual(asked[0]?.pathname, `/v1/requests/${request(1).id}`)
  })
})
