import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { makeApiKey } from "../../../src/accounts/rules/ApiKeyFormat.ts"
import { ApiKeys } from "../../../src/accounts/store/ApiKeys.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { resolutionBody } from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { bearer, patch, post, type Reply } from "../../support/apps/Requests.ts"
import { describeLive } from "../../support/Tests.ts"
import { acting, newAccount, platform } from "./Platform.ts"

let byte = 100
/** A platform with a live key. */
const livePlatform = Effect.gen(function* () {
  const { account_id } = yield* platform()
  const key = makeApiKey("live", new Uint8Array(32).fill(byte++))
  const id = yield* (yield* Ids).apiKey
  yield* (yield* ApiKeys).insert({ id, account_id, mode: "live", key, created_at: new Date() })
  return { key, headers: bearer(key) }
})

const codeOf = ({ json, status }: Reply) => [status, json.error?.code, json.error?.param]
const overlap = (param?: string) => [409, "resolution_overlap", param]

describeLive(app)("Two live accounts of one issuer", (it) => {
  it.effect("have no numbers in common, also under two platforms and after a change of the issuer", function* () {
    const [mine, theirs] = [yield* livePlatform, yield* livePlatform]
    const body = newAccount()
    const make = (of: typeof mine, account: object) =>
      Effect.map(post("/v1/accounts", account, of.headers), ({ json }) => String(json.id))
    const first = yield* make(mine, body)
    const second = yield* make(theirs, body)
    const range = resolutionBody({ prefix: "NIT", from_number: 1, to_number: 100 })
    const register = (of: typeof mine, account: string, change: object = {}) =>
      post("/v1/resolutions", { ...range, ...change }, acting(of, account))
    const registered = yield* register(mine, first)
    assert.strictEqual(registered.status, 201, registered.text)
    const refused = yield* register(theirs, second)
    assert.deepStrictEqual(codeOf(refused), overlap())
    assert.notInclude(refused.text, first)
    assert.notInclude(refused.text, registered.json.id)
    assert.strictEqual((yield* register(theirs, second, { from_number: 101, to_number: 200 })).status, 201)

    const third = yield* make(theirs, newAccount())
    assert.strictEqual((yield* register(theirs, third, { to_number: 50 })).status, 201)
    const { identification } = body
    for (const path of [`/v1/accounts/${third}`, "/v1/account"]) {
      const headers = path === "/v1/account" ? acting(theirs, third) : theirs.headers
      const moved = yield* patch(path, { identification }, headers)
      assert.deepStrictEqual(codeOf(moved), overlap("identification"))
      assert.include(moved.json.error.message, "The numbers 1 to 50")
      const other = newAccount().identification
      assert.strictEqual((yield* patch(path, { identification: other }, headers)).status, 200)
    }
  })
})
