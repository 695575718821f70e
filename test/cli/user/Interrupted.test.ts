import { assert } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { describe } from "vitest"
import { listening } from "../../support/apps/Listening.ts"
import { it } from "../../support/Tests.ts"
import { folio } from "./Spawned.ts"

describe("a change that is interrupted before its response", () => {
  it.live("names the key for the retry", function* () {
    const arrived = yield* Deferred.make<string>()
    const port = yield* listening(({ headers }) => {
      Effect.runSync(Deferred.succeed(arrived, String(headers["idempotency-key"])))
    })
    const env = { FOLIO_URL: `http://127.0.0.1:${port}`, FOLIO_API_KEY: "sk_test_x" }
    const interrupt = Deferred.await(arrived)
    const { code, error, out } = yield* folio(["customers", "create", "-f", "-"], { env, input: "{}", interrupt })
    assert.deepStrictEqual([code, out], [130, ""])
    assert.include(error, `--idempotency-key ${yield* interrupt}`)
  })
})
