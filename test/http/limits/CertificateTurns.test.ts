import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { keyFile } from "../../support/authority/LiveAccounts.ts"
import { keys, startOfTest } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { bearer, post } from "../../support/apps/Requests.ts"
import { describeOn } from "../../support/Tests.ts"

describeOn(app)("certificates", (it) => {
  it.effect("take turns, one at a time per account, with at most three waiting", function* () {
    const { password, pkcs12 } = keyFile({ now: startOfTest })
    const replies = yield* Effect.forEach(
      Array.from({ length: 8 }),
      () => post("/v1/account/certificate", { pkcs12, password }, bearer(keys.live)),
      { concurrency: "unbounded" }
    )
    const statuses = replies.map(({ status }) => status).toSorted()
    assert.deepStrictEqual(statuses, [200, 200, 200, 200, 429, 429, 429, 429])
    const refused = replies.find(({ status }) => status === 429)
    assert.match(refused?.json.error.message, /has 3 certificates waiting already/)
    assert.strictEqual(refused?.headers["retry-after"], "2")
  })
})
