import { assert } from "@effect/vitest"
import { Array, Effect, Fiber } from "effect"
import { Limits } from "../../../src/runtime/Limits.ts"
import { apiKeyIds, keys } from "../../support/apps/Accounts.ts"
import { serviceWith } from "../../support/apps/PostgresApp.ts"
import { bearer, get } from "../../support/apps/Requests.ts"
import { until } from "../../support/apps/Until.ts"
import { blocked } from "../../support/database/Owners.ts"
import { inside, link, open } from "../../support/portal/Entering.ts"
import { whileLocked } from "../../support/portal/Tables.ts"
import { asOther, visitor } from "../../support/portal/Visitor.ts"
import { describeLive } from "../../support/Tests.ts"

// So slow that no bucket refills during the test.
const limited = serviceWith(Limits.layerChanged({ rate: { perSecond: 0.001, burst: 5 } }))

const wrongLink = (count: number) => open(`/portal/enter/${String(count).padStart(43, "A")}`)

describeLive(limited)("the limits of the portal", (it) => {
  it.effect(
    "stop a browser that guesses links and cookies, by its address, and no browser with a session",
    function* () {
      const { see } = yield* inside()
      const seen: Array<number> = []
      for (let count = 0; count < 8; count++) {
        const cookie = `folio_portal=${String(count).padStart(43, "A")}`
        seen.push((yield* open("/portal/nowhere", { cookie })).status)
      }
      assert.deepStrictEqual(seen, [401, 401, 401, 401, 401, 429, 429, 429])
      assert.strictEqual((yield* wrongLink(0)).status, 429)
      assert.strictEqual((yield* see("/portal/leave")).status, 404)
    }
  )

  it.effect("allow two look-ups of links at a time, and reject no right link", function* () {
    const { path } = yield* link()
    const tries = yield* whileLocked(
      "portal_sessions",
      Effect.gen(function* () {
        const all = yield* Effect.forkChild(Effect.forEach(Array.range(1, 8), wrongLink, { concurrency: "unbounded" }))
        yield* until(blocked("link_hash"), (pids) => pids.length > 1)
        // By the time of this response, the other requests have arrived.
        yield* get("/v1/account", bearer(keys.live))
        assert.lengthOf(yield* blocked("link_hash"), 2)
        return all
      })
    )
    const seen = yield* Fiber.join(tries)
    assert.deepStrictEqual(new Set(seen.map(({ status }) => status)), new Set([429]))
    assert.strictEqual((yield* open(path)).status, 303)
  })

  it.effect("count direct reads of pages as requests of the session's key", function* () {
    const person = yield* visitor({ apiKeyId: apiKeyIds.secondTest })
    const seen: Array<number> = []
    for (let count = 0; count < 8; count++) seen.push((yield* person.see("/portal/documents/export.csv")).status)
    assert.strictEqual(seen[0], 200)
    assert.strictEqual(seen.at(-1), 429)
  })

  it.effect(
    "count a form as a request of the session's key before it is read, with a right or a wrong token",
    function* () {
      const person = yield* visitor(asOther)
      const seen: Array<number> = []
      for (let count = 0; count < 8; count++) {
        seen.push((yield* person.post("/portal/customers/new", new URLSearchParams({ csrf: "forged" }))).status)
      }
      assert.deepStrictEqual([seen[0], seen.at(-1)], [403, 429])
    }
  )
})
