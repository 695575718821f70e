import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { bearer, get, post } from "../../support/apps/Requests.ts"
import { beside, untouched } from "../../support/portal/Forms.ts"
import { logs } from "../../support/portal/Tables.ts"
import { asLive, asOther, formOf, noticeOf, visitor } from "../../support/portal/Visitor.ts"
import { describeLive } from "../../support/Tests.ts"

const path = "/portal/setup/keys"
const hostile = `"'><img src=x onerror=alert(1)><script>alert(1)</script>`

const keyIn = (text: string) => /<code[^>]*>(sk_(?:test|live)_\w+)<\/code>/.exec(text)?.[1]
const works = (key: string) => Effect.map(get("/v1/account", bearer(key)), ({ status }) => status === 200)
const made = (name: string) => Effect.map(post("/v1/api-keys", { name }), ({ json }) => json)
const listed = Effect.map(
  get("/v1/api-keys?limit=100"),
  ({ json }) => json.data as ReadonlyArray<{ id: string; name: string }>
)

describeLive(app)("access in the portal", (it) => {
  describe("API keys", () => {
    it.effect("appear once at their creation, and nowhere else", function* () {
      const { post: send, see } = yield* visitor()
      const form = untouched((yield* see(path)).text, "/keys")
      form.set("name", "The till")
      const before = (yield* listed).length
      const [first, again] = [yield* send(path, form), yield* send(path, form)]
      const key = keyIn(first.text)
      assert.isDefined(key)
      assert.strictEqual(first.status, 200)
      assert.strictEqual(first.headers.get("cache-control"), "no-store")
      assert.strictEqual(keyIn(again.text), key, "the same form makes no second key")
      assert.strictEqual((yield* listed).length, before + 1)
      assert.isTrue(yield* works(key!))
      const [newest] = yield* listed
      for (const page of [path, `${path}/${newest?.id}`, "/portal/setup"]) {
        assert.notInclude((yield* see(page)).text, key!, page)
      }
      assert.notInclude(yield* logs, key!)
      assert.include((yield* see(path)).text, key!.slice(-4))
    })

    it.effect("show next to the field what is wrong with a name", function* () {
      const { submit } = yield* visitor()
      const refused = yield* submit(path, path, { name: "x".repeat(101) })
      assert.strictEqual(refused.status, 400)
      assert.isDefined(beside(refused.text, "name"))
      assert.include(refused.text, `value="${"x".repeat(101)}"`)
    })

    it.effect("can be restricted in the form, and show their restrictions", function* () {
      const { post: send, see } = yield* visitor({ capabilities: ["view", "keys", "documents"] })
      const form = untouched((yield* see(path)).text, "/keys")
      assert.notInclude((yield* see(path)).text, 'value="setup"', "the session cannot give it")
      form.set("name", "Restricted")
      form.append("capabilities", "view")
      form.append("capabilities", "create")
      form.set("allowed_ips", "203.0.113.7, 10.1.0.0/16\r\n2001:db8::/32")
      form.set("expires_at", "2099-12-31T18:00")
      assert.strictEqual((yield* send(path, form)).status, 200)
      const { id } = (yield* listed).find(({ name }) => name === "Restricted") ?? { id: "none" }
      const { json } = yield* get(`/v1/api-keys/${id}`)
      assert.deepInclude(json, {
        name: "Restricted",
        capabilities: ["view", "create"],
        allowed_ips: ["203.0.113.7", "10.1.0.0/16", "2001:db8::/32"],
        expires_at: "2099-12-31T18:00:00.000-05:00"
      })
      for (const [language, words] of [
        ["en", /view, create<br \/><small>from 203\.0\.113\.7, 10\.1\.0\.0\/16/u],
        ["es", /ver, crear<br \/><small>desde 203\.0\.113\.7, 10\.1\.0\.0\/16/u]
      ] as const) {
        assert.match((yield* (yield* visitor({ language })).see(path)).text, words)
      }
      const page = (yield* see(`${path}/${id}`)).text
      assert.include(page, "2001:db8::/32")
      assert.include(page, 'class="state wait"')
      const wrong = untouched((yield* see(path)).text, "/keys")
      wrong.set("allowed_ips", "203.0.113.7 example.com")
      wrong.set("expires_at", "2020-01-01T00:00")
      const refused = yield* send(path, wrong)
      assert.strictEqual(refused.status, 400)
      assert.isDefined(beside(refused.text, "allowed_ips"))
      assert.include(refused.text, "203.0.113.7 example.com")
    })

    it.effect("can be rolled with an overlap, once for each form", function* () {
      const { post: send, see } = yield* visitor()
      const old = yield* made("ERP")
      const form = untouched((yield* see(`${path}/${old.id}`)).text, "/roll")
      form.set("expires_in", "3600")
      const [first, again] = [yield* send(`${path}/${old.id}/roll`, form), yield* send(`${path}/${old.id}/roll`, form)]
      const key = keyIn(first.text)
      assert.isDefined(key)
      assert.strictEqual(keyIn(again.text), key)
      assert.isTrue(yield* works(old.key))
      assert.isTrue(yield* works(key!))
      assert.include((yield* see(`${path}/${old.id}`)).text, 'class="state wait"')
      assert.strictEqual((yield* see(`${path}/${old.id}/roll`)).status, 200, "a reload shows the key's page")
      const wrong = untouched((yield* see(`${path}/${old.id}`)).text, "/roll")
      wrong.set("expires_in", "soon")
      const refused = yield* send(`${path}/${old.id}/roll`, wrong)
      assert.strictEqual(refused.status, 400)
      assert.include(refused.text, 'role="alert"')
    })

    it.effect("can be revoked after a confirmation", function* () {
      const { see, submit } = yield* visitor()
      const { id, key } = yield* made("gone")
      assert.match((yield* see(`${path}/${id}`)).text, /<details>\s*<summary>[^]*?\/revoke"/)
      const gone = yield* submit(`${path}/${id}`, `${path}/${id}/revoke`)
      assert.strictEqual(noticeOf(gone.text), "revoked")
      assert.isFalse(yield* works(key))
      const after = (yield* see(`${path}/${id}`)).text
      assert.include(after, 'class="state still"')
      assert.notInclude(after, "/roll")
    })

    it.effect("show a hostile name as text", function* () {
      const { see } = yield* visitor()
      const { id } = yield* made(hostile)
      for (const page of [path, `${path}/${id}`]) {
        const { text } = yield* see(page)
        assert.include(text, "&lt;img src=x", page)
        assert.notMatch(text, /<img|<script>/, page)
      }
    })

    it.effect("cannot be changed without the capability", function* () {
      const { see, post: send } = yield* visitor({
        capabilities: ["view", "setup", "documents", "endpoints", "deliver"]
      })
      const { id, key } = yield* made("kept")
      const [list, page] = [(yield* see(path)).text, (yield* see(`${path}/${id}`)).text]
      assert.notInclude(list, '<h2 id="new">')
      assert.notInclude(page, "/roll")
      assert.notInclude(page, "/revoke")
      const form = new URLSearchParams({ ...formOf(list, "leave"), once: "portal-1", expires_in: "0" })
      const before = (yield* listed).length
      for (const target of [path, `${path}/${id}/roll`, `${path}/${id}/revoke`]) {
        assert.strictEqual((yield* send(target, form)).status, 403, target)
      }
      assert.strictEqual((yield* listed).length, before)
      assert.isTrue(yield* works(key))
    })

    it.effect("do not exist for another account or the other mode", function* () {
      const { id, key } = yield* made("mine")
      for (const other of [yield* visitor(asOther), yield* visitor(asLive)]) {
        assert.strictEqual((yield* other.see(`${path}/${id}`)).status, 404)
        const form = new URLSearchParams({ ...formOf((yield* other.see(path)).text, "leave"), expires_in: "0" })
        for (const change of ["roll", "revoke"]) {
          assert.strictEqual((yield* other.post(`${path}/${id}/${change}`, form)).status, 404, change)
        }
      }
      assert.isTrue(yield* works(key))
      assert.isTrue(yield* works(keys.test))
    })
  })

  describe("sessions", () => {
    it.effect("appear in a list, and a session with the capability can end them", function* () {
      const mine = yield* visitor()
      const other = yield* visitor({ capabilities: ["view"] })
      const sessions = "/portal/setup/sessions"
      // The person's own session has a mark.
      assert.strictEqual((yield* mine.see(sessions)).text.split("<br /><small>").length, 2)
      const seen = (yield* other.see(sessions)).text
      assert.notInclude(seen, '/end"')
      const form = new URLSearchParams(formOf(seen, "leave"))
      assert.strictEqual((yield* other.post(`${sessions}/${mine.id}/end`, form)).status, 403)
      const ended = yield* mine.submit(sessions, `${sessions}/${other.id}/end`)
      assert.strictEqual(noticeOf(ended.text), "ended")
      assert.strictEqual((yield* other.see(sessions)).status, 401)
      assert.strictEqual((yield* mine.see(sessions)).status, 200)
      const away = yield* visitor(asOther)
      const own = new URLSearchParams(formOf((yield* away.see(sessions)).text, "leave"))
      assert.strictEqual((yield* away.post(`${sessions}/${mine.id}/end`, own)).status, 404)
    })
  })
})
