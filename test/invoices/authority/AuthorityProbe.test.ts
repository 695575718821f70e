import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { Agent } from "node:http"
import { type ProbeOptions, probeAuthority } from "../../../src/invoices/authority/AuthorityProbe.ts"
import { standInAuthority } from "../../support/authority/StandInAuthority.ts"
import { addresses, identities } from "../../support/authority/StandInTroubles.ts"
import { it } from "../../support/Tests.ts"
import { readCufe } from "./callingAuthority.ts"

const options = { ca: identities.root }
// Short, because no answer arrives.
const silent = { ...options, timeout: "500 millis" } as const
const troubleAt = (url: string, limits: ProbeOptions = options) =>
  Effect.map(probeAuthority(url, limits), ({ trouble }) => trouble)

describe("the probe of the authority's service", () => {
  it.live("measures the offset between the clocks, and calls no operation", function* () {
    const service = yield* standInAuthority({ readCufe })
    for (const offMs of [0, 90_000, -3_600_000]) {
      service.clockOff(offMs)
      const found = yield* probeAuthority(service.url, options)
      if (found.trouble !== null) assert.fail(found.reason)
      assert.approximately(found.clock_ms ?? Number.NaN, offMs, 2_000)
    }
    assert.deepStrictEqual([service.calls, service.refusals], [[], []])
  })

  it.live("distinguishes why it cannot reach the service", function* () {
    const service = yield* standInAuthority({ readCufe, tls: identities.trusted })
    assert.isNull(yield* troubleAt(service.url))
    for (const name of ["expired", "untrusted", "wrongName"] as const) {
      yield* service.identify(identities[name])
      assert.strictEqual(yield* troubleAt(service.url), "tls_failed", name)
    }
    for (const connections of ["reset", "refused", "silent"] as const) {
      yield* service.connections(connections)
      const limits = connections === "silent" ? silent : options
      assert.strictEqual(yield* troubleAt(service.url, limits), "connection_refused", connections)
    }
    assert.strictEqual(yield* troubleAt(addresses.noSuchName), "name_not_found")
    const plain = yield* standInAuthority({ readCufe })
    yield* plain.connections("silent")
    assert.strictEqual(yield* troubleAt(plain.url, silent), "no_answer")
    const noRoute = Object.assign(new Error("connect ENETUNREACH"), { code: "ENETUNREACH" })
    const agent = Object.assign(new Agent(), {
      createConnection: (_: unknown, callback: (error: Error) => void) => callback(noRoute)
    })
    const found = yield* probeAuthority(plain.url, { agent })
    assert.strictEqual(found.trouble, "no_route")
  })
})
