import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Metric } from "effect"
import * as Metrics from "../../../src/runtime/Metrics.ts"
import { type OfferedRequest, RequestLog } from "../../../src/operations/store/RequestLog.ts"
import { Requests, type WrittenRequest } from "../../../src/operations/store/Requests.ts"
import { apiKeyIds, testMode } from "../../support/apps/Accounts.ts"
import { itOn } from "../../support/Tests.ts"

/** The requests that the database has stored. */
class Written extends Context.Service<Written, Array<WrittenRequest>>()("test/Written") {}

const requests = Layer.effect(
  Requests,
  Effect.map(Written, (written) =>
    Requests.of({
      levels: () => Effect.succeed([{ ...testMode, request_log: "masked" }]),
      insert: (rows) => Effect.sync(() => void written.push(...rows)),
      find: () => Effect.die("no request is read here"),
      list: () => Effect.die("no request is read here")
    })
  )
)

const it = itOn(RequestLog.layer.pipe(Layer.provide(requests), Layer.provideMerge(Layer.sync(Written, () => []))))

const left = (why: "busy") => Effect.map(Metric.value(Metrics.requestsNotLogged(why)), ({ count }) => Number(count))

const request = (index: number, json: string | null = null): OfferedRequest => ({
  account: testMode,
  id: `req_${String(index).padStart(26, "0")}` as OfferedRequest["id"],
  created_ms: 0,
  duration_ms: 1,
  method: "GET",
  route: "/v1/customers",
  path: "/v1/customers",
  query: "",
  status: 200,
  api_key_id: apiKeyIds.test,
  portal_session_id: null,
  ip: null,
  version: null,
  idempotency: null,
  error_code: null,
  request: { bytes: json?.length ?? 0, json },
  response: { bytes: 0, json: null }
})

it.effect("The request log drops requests that it cannot store in time, and counts them", function* () {
  const log = yield* RequestLog
  const rows = yield* Written
  const before = yield* left("busy")
  for (let index = 0; index < 3_000; index++) yield* log.offer(request(index))
  yield* log.flush
  assert.strictEqual(rows.length, 2_000)
  assert.strictEqual((yield* left("busy")) - before, 1_000)
  // Requests of a megabyte each, of which 64 KiB are held: as many as the memory limit allows.
  const large = JSON.stringify({ rule: "x".repeat(1_000_000) })
  for (let index = 0; index < 300; index++) yield* log.offer(request(10_000 + index, large))
  yield* log.flush
  assert.strictEqual(rows.length, 2_256)
})

it.effect("The request log keeps no bodies of an account that exceeds its limit", function* () {
  const log = yield* RequestLog
  const rows = yield* Written
  const body = JSON.stringify({ subscribed_events: Array.from({ length: 1_000 }, () => "invoice.failed") })
  for (let index = 0; index < 4_200; index++) {
    yield* log.offer(request(index, body))
    if (index % 200 === 0) yield* log.flush
  }
  yield* log.flush
  const bodies = rows.map(({ request_body }) => request_body)
  assert.lengthOf(bodies, 4_200)
  assert.strictEqual(
    bodies.findIndex((text) => text === null),
    4_096
  )
})
