import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { accountOfPlatform, platformIdOf } from "../../../schemas/Id.ts"
import { updatePlatform } from "../../../src/accounts/store/Operations.ts"
import { keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { bearer, get, post, type Reply } from "../../support/apps/Requests.ts"
import { open, pairOf } from "../../support/portal/Entering.ts"
import { auditLog } from "../../support/portal/Tables.ts"
import { describeLive } from "../../support/Tests.ts"
import { accountOf, acting, platform } from "./Platform.ts"

const hosts = ["app.example.com", "erp.example.com"]
const url = "https://app.example.com/companies/1?from=folio&x=<1>"

const outcome = ({ json, status }: Reply) => [status, json?.error?.code, json?.error?.param] as const

describeLive(app)("the return of a portal session", (it) => {
  it.effect("leads back to a registered host from every page of the portal, in both languages", function* () {
    const mine = yield* platform(null, hosts)
    const headers = acting(mine, yield* accountOf(mine))
    const made = yield* post("/v1/portal-sessions", { return_url: url }, headers)
    assert.strictEqual(made.status, 201, made.text)
    assert.strictEqual(made.json.return_url, url)
    assert.strictEqual((yield* get(`/v1/portal-sessions/${made.json.id}`, headers)).json.return_url, url)
    const cookie = pairOf(yield* open(new URL(made.json.url).pathname))
    for (const page of ["", "/documents", "/setup", "/setup/keys", "/nowhere"]) {
      for (const [language, words] of [
        ["en", "Back to app.example.com"],
        ["es", "Volver a app.example.com"]
      ] as const) {
        const { headers: sent, text } = yield* open(`/portal${page}`, { cookie, "accept-language": language })
        const [, href, name] = /<a class="b" href="(https:[^"]*)" hx-boost="false">([^<]*)</.exec(text) ?? []
        assert.deepStrictEqual(
          [href, name],
          ["https://app.example.com/companies/1?from=folio&amp;x=&lt;1&gt;", words],
          page
        )
        assert.notInclude(String(sent["content-security-policy"]), "example.com")
      }
    }
  })

  it.effect("has no page without return_url", function* () {
    const mine = yield* platform(null, hosts)
    const made = yield* post("/v1/portal-sessions", {}, acting(mine, yield* accountOf(mine)))
    assert.isNull(made.json.return_url)
  })

  it.effect("takes only the registered hosts of the platform", function* () {
    const [mine, theirs] = [yield* platform(null, hosts), yield* platform(null, ["theirs.example.com"])]
    const headers = acting(mine, yield* accountOf(mine))
    for (const wrong of [
      "https://theirs.example.com/",
      "https://app.example.com.evil.example/",
      "https://evil.example?app.example.com",
      "https://sub.app.example.com/"
    ]) {
      const refused = yield* post("/v1/portal-sessions", { return_url: wrong }, headers)
      assert.deepStrictEqual(outcome(refused), [400, "parameter_invalid", "return_url"], wrong)
      assert.include(refused.json.error.message, "app.example.com, erp.example.com")
      assert.include(refused.json.error.message, "folio platforms update")
    }
    const without = acting(theirs, yield* accountOf(theirs))
    assert.strictEqual((yield* post("/v1/portal-sessions", { return_url: url }, without)).status, 400)
    for (const right of ["https://ERP.example.com", "https://erp.example.com?a=b", "https://app.example.com/"]) {
      assert.strictEqual((yield* post("/v1/portal-sessions", { return_url: right }, headers)).status, 201, right)
    }
  })

  it.effect("needs a platform's key with the header Svc-Account", function* () {
    const mine = yield* platform(null, hosts)
    const id = yield* accountOf(mine)
    const own = yield* post(`/v1/accounts/${id}/api-keys`, {}, mine.headers)
    for (const key of [keys.test, String(own.json.key)]) {
      const refused = yield* post("/v1/portal-sessions", { return_url: url }, bearer(key))
      assert.deepStrictEqual(outcome(refused), [403, "platform_key_required", "return_url"])
    }
  })

  it.effect("follows the hosts that the operator registers later", function* () {
    const mine = yield* platform(1, hosts)
    const headers = acting(mine, yield* accountOf(mine))
    const create = post("/v1/portal-sessions", { return_url: url }, headers)
    const update = (changes: Parameters<typeof updatePlatform>[1]) => updatePlatform(mine.account_id, changes)
    assert.deepStrictEqual(yield* update({ return_hosts: ["new.example.com"] }), {
      accounts_max: 1,
      return_hosts: ["new.example.com"]
    })
    assert.deepInclude((yield* auditLog).at(-1), {
      action: "platform.updated",
      object_id: platformIdOf(mine.account_id)
    })
    assert.strictEqual((yield* create).status, 400)
    assert.deepStrictEqual(yield* update({ accounts_max: null, return_hosts: ["app.example.com"] }), {
      accounts_max: null,
      return_hosts: ["app.example.com"]
    })
    assert.strictEqual((yield* create).status, 201)
    const account = accountOfPlatform("plat_00000000000000000000000000" as never)
    const missing = yield* Effect.flip(updatePlatform(account, { accounts_max: 2 }))
    assert.strictEqual(missing.code, "resource_missing")
  })
})
