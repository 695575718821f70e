import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { until } from "../../support/apps/Until.ts"
import { serviceProcess } from "../../support/processes/ServiceProcess.ts"
import { it } from "../../support/Tests.ts"

it.live("A stopping process has written every request that it responded to", function* () {
  const service = yield* serviceProcess({ webhookAllow: "" })
  yield* service.start()
  const client = service.client()
  const answers = yield* Effect.forEach(
    Array.from({ length: 300 }, (_, index) => index),
    (index) => client.get(`/v1/customers?limit=${1 + (index % 100)}`),
    { concurrency: 16 }
  )
  const written = Effect.map(service.rows<{ id: string }>("select id from requests"), (rows) =>
    rows.map(({ id }) => id)
  )
  yield* until(written, (ids) => ids.length >= answers.length)
  // Just before the stop, while this request is still in the log's buffer.
  const last = yield* client.get("/v1/customers")
  yield* service.signal("SIGTERM")
  assert.deepStrictEqual(yield* service.ended, { code: 0, signal: null })
  yield* service.start()
  assert.includeMembers(
    yield* written,
    [...answers, last].map(({ headers }) => headers.get("request-id") ?? "")
  )
})
