import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { describe } from "vitest"
import { listening } from "../../../support/apps/Listening.ts"
import { it } from "../../../support/Tests.ts"
import { folio } from "../Spawned.ts"

const required = {
  error: { type: "invalid_request_error", code: "account_required", message: "x", doc_url: "x", request_id: "req_1" }
}

/** A service that knows one platform's key, which needs an account outside `/v1/accounts`. */
const service = Effect.gen(function* () {
  const asked: Array<readonly [url: string | undefined, account: unknown]> = []
  const port = yield* listening(({ headers, url }, response) => {
    asked.push([url, headers["svc-account"]])
    const isAnswered = url?.startsWith("/v1/accounts") === true || headers["svc-account"] !== undefined
    const body = url === "/v1/account" ? { name: "Ferretería" } : { object: "list", has_more: false, data: [] }
    response.writeHead(isAnswered ? 200 : 400, { "content-type": "application/json" })
    response.end(JSON.stringify(isAnswered ? body : required))
  })
  const own = Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-acting-"))
  yield* Effect.addFinalizer(() => Effect.sync(() => Fs.rmSync(own, { recursive: true })))
  const url = `http://127.0.0.1:${port}`
  return { asked, url, env: { FOLIO_URL: url, FOLIO_API_KEY: "sk_test_x", XDG_CONFIG_HOME: own } }
})

describe("folio with a platform's key", () => {
  it.live("acts for the account in FOLIO_ACCOUNT, and manages accounts without it", function* () {
    const { asked, env } = yield* service
    const acting = { ...env, FOLIO_ACCOUNT: "ten_1" }
    for (const words of [
      ["customers", "list"],
      ["api", "GET", "/v1/accounts?limit=1"],
      ["api", "GET", "/v1/accounts/ten_1"],
      ["api", "GET", "/v1/account"]
    ]) {
      assert.strictEqual((yield* folio(words, { env: acting })).code, 0, words.join(" "))
    }
    assert.deepStrictEqual(
      asked.map(([, account]) => account),
      ["ten_1", undefined, undefined, "ten_1"]
    )
  })

  it.live("explains that the key needs FOLIO_ACCOUNT, also at the login", function* () {
    const { env, url } = yield* service
    const { FOLIO_API_KEY, ...own } = env
    const login = (more: Record<string, string>) =>
      folio(["login", "--url", url], { env: { ...own, ...more }, input: `${FOLIO_API_KEY}\n` })
    for (const refused of [yield* folio(["customers", "list"], { env }), yield* login({})]) {
      assert.strictEqual(refused.code, 1)
      assert.include(refused.error, "account")
    }
    assert.match((yield* login({})).error, /belongs to a platform[^]*Set FOLIO_ACCOUNT/)
    assert.strictEqual((yield* login({ FOLIO_ACCOUNT: "ten_1" })).code, 0)
  })
})
