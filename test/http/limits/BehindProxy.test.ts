import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { Limits, type LimitsChange } from "../../../src/runtime/Limits.ts"
import { serviceWith } from "../../support/apps/MemoryApp.ts"
import { get } from "../../support/apps/Requests.ts"
import { askFrom, eventually, open, requestOf } from "../../support/processes/Sockets.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { itOn } from "../../support/Tests.ts"

/** The service with low limits of requests and connections per address. Requests come from 127.0.0.1. */
const behind = (trustedProxies: string, change: LimitsChange = {}) =>
  itOn(
    serviceWith(
      Limits.layerChanged({
        trustedProxies,
        clients: { checkMs: 20 },
        connections: { max: 8, perAddress: 2 },
        ...change
      })
    )
  )

const [believed, foreign] = ["127.0.0.1", "127.0.0.2"]
const few = { rate: { perSecond: 1, burst: 2 } }

const withoutKey = (headers: Record<string, string>) =>
  Effect.map(get("/v1/account", { authorization: undefined, ...headers }), ({ status }) => status)
const three = (headers: Record<string, string>) => Effect.forEach([1, 2, 3], () => withoutKey(headers))

const connectionsAtWork = Effect.fnUntraced(function* (from: string, count: number) {
  const { count: calls, until } = yield* MemoryTables
  for (let made = 0; made < count; made++) {
    const before = calls("Events.after")
    const line = yield* open(from)
    line.socket.write(requestOf("/v1/events?wait=20"))
    yield* until(() => calls("Events.after") > before)
  }
})

describe("a client of a trusted proxy", () => {
  behind(believed, few).effect("has limits of its own", function* () {
    for (const list of ["203.0.113.1", "6.6.6.6, 203.0.113.2"]) {
      assert.deepStrictEqual(yield* three({ "x-forwarded-for": list }), [401, 401, 429])
    }
    for (const list of ["for=203.0.113.3", "for=6.6.6.6, for=203.0.113.4"]) {
      assert.deepStrictEqual(yield* three({ forwarded: list }), [401, 401, 429])
    }
    assert.deepStrictEqual(yield* three({ "x-forwarded-for": "unknown" }), [401, 401, 429])
  })

  behind(believed).effect(
    "shares its connections with other clients, within a limit for all of them together",
    function* () {
      yield* connectionsAtWork("127.0.0.1", 8)
      const { text } = yield* askFrom("127.0.0.3", "/v1/account")
      assert.match(text, /All of the 8 connections that this process keeps/)
    }
  )
})

describe("a client that claims to be a proxy", () => {
  behind(foreign, few).effect("gets the limits of its real address", function* () {
    assert.deepStrictEqual(yield* three({ "x-forwarded-for": "203.0.113.5" }), [401, 401, 429])
    assert.strictEqual(yield* withoutKey({ forwarded: "for=203.0.113.6" }), 429)
  })

  behind(foreign).effect("shares the connection limit of one address", function* () {
    yield* connectionsAtWork("127.0.0.1", 2)
    const line = yield* open("127.0.0.1")
    line.socket.write(requestOf("/v1/account"))
    yield* eventually(() => line.received().includes("\r\n\r\n"))
    assert.match(line.received(), /All of the 2 connections that one address may have/)
  })
})
