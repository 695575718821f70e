import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Limits } from "../../../src/runtime/Limits.ts"
import { serviceWith } from "../../support/apps/PostgresApp.ts"
import { get } from "../../support/apps/Requests.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

/** The service on PostgreSQL. Requests come from 127.0.0.1. */
const behind = (trustedProxies: string) => describeLive(serviceWith(Limits.layerChanged({ trustedProxies })))

/** The address of the one request with a key, from the request log. */
const loggedAddress = Effect.fnUntraced(function* (headers: Record<string, string>) {
  const { headers: answered } = yield* get("/v1/account", headers)
  const { json } = yield* until(get(`/v1/requests/${String(answered["request-id"])}`), ({ status }) => status === 200)
  return json.ip
})

behind("127.0.0.1")("the request log", (it) => {
  it.effect("shows the address of a trusted proxy's client", function* () {
    assert.strictEqual(yield* loggedAddress({ "x-forwarded-for": "6.6.6.6, 2001:db8::0:7" }), "2001:db8::7")
  })
})

behind("127.0.0.2")("the request log", (it) => {
  it.effect("ignores the header of a client that only claims to be a proxy", function* () {
    assert.strictEqual(yield* loggedAddress({ "x-forwarded-for": "203.0.113.7" }), "127.0.0.1")
  })
})
