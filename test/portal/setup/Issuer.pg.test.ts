import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { jpeg, png } from "../../accounts/rules/pictures.ts"
import { keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { bearer, get, patch } from "../../support/apps/Requests.ts"
import { beside, untouched, withFile } from "../../support/portal/Forms.ts"
import { asLive, formOf, noticeOf, visitor } from "../../support/portal/Visitor.ts"
import { describeLive } from "../../support/Tests.ts"

const issuer = "/portal/setup/issuer"
const logo = "/portal/setup/logo"
const account = Effect.map(get("/v1/account"), ({ json }) => json)
const hostile = `"'><img src=x onerror=alert(1)></textarea><script>alert(1)</script>`

describeLive(app)("issuer and logo in the portal", (it) => {
  describe("the logo", () => {
    it.effect("can be saved, shown and removed", function* () {
      const { post: send, see, submit } = yield* visitor()
      const token = formOf((yield* see(logo)).text, "/logo")
      for (const [bytes, type] of [
        [png(48, 16), "image/png"],
        [jpeg(40, 20), "image/jpeg"]
      ] as const) {
        const saved = yield* send(logo, withFile(token, "logo", new Uint8Array(bytes), `${hostile}.png`))
        assert.strictEqual(noticeOf(saved.text), "saved")
        assert.notMatch(saved.text, /<script>|onerror=/)
        assert.match(saved.text, /<img src="[^"]*portal\/setup\/logo\/picture"/)
        const picture = yield* see(`${logo}/picture`)
        assert.deepStrictEqual([picture.status, picture.headers.get("content-type")], [200, type])
        assert.strictEqual((yield* account).logo.media_type, type)
      }
      const removed = yield* submit(logo, `${logo}/remove`)
      assert.strictEqual(noticeOf(removed.text), "removed")
      assert.notProperty(yield* account, "logo")
      assert.strictEqual((yield* see(`${logo}/picture`)).status, 404)
    })

    it.effect("shows next to the field what is wrong with a file", function* () {
      const { post: send, see } = yield* visitor()
      const token = formOf((yield* see(logo)).text, "/logo")
      for (const bytes of [
        undefined,
        new Uint8Array(0),
        new Uint8Array(200_001),
        new Uint8Array(3_000_000),
        new TextEncoder().encode("<svg onload=alert(1)>"),
        new Uint8Array(png(48, 16, { interlace: 1 }))
      ]) {
        const { status, text } = yield* send(logo, withFile(token, "logo", bytes))
        assert.strictEqual(status, 400)
        assert.isDefined(beside(text, "logo"))
        assert.notMatch(text, /<svg/)
      }
      assert.notProperty(yield* account, "logo")
    })

    it.effect("cannot be saved without the capability, the token, or a session", function* () {
      const { see, post: send } = yield* visitor({ capabilities: ["view"] })
      const { text } = yield* see(logo)
      assert.notInclude(text, 'type="file"')
      const token = formOf(text, "leave")
      assert.strictEqual((yield* send(logo, withFile(token, "logo", new Uint8Array(png(8, 8))))).status, 403)
      const able = yield* visitor()
      const wrong = yield* able.post(logo, withFile({ csrf: "wrong" }, "logo", new Uint8Array(png(8, 8))))
      assert.isAtLeast(wrong.status, 400)
      assert.notProperty(yield* account, "logo")
      const live = yield* visitor(asLive)
      assert.strictEqual((yield* live.see(`${logo}/picture`)).status, 404)
    })
  })

  describe("the issuer", () => {
    it.effect("changes field by field, in the session's mode only", function* () {
      const { post: send, see } = yield* visitor()
      const before = yield* account
      const same = yield* send(issuer, untouched((yield* see(issuer)).text, "/issuer"))
      assert.strictEqual(noticeOf(same.text), "saved")
      assert.deepStrictEqual(yield* account, before)
      const form = untouched((yield* see(issuer)).text, "/issuer")
      form.set("legal_name", "Tienda Nueva S.A.S.")
      form.set("city_code", "cali")
      form.set("vat_responsible", "true")
      form.set("economic_activities", "6201, 4741")
      form.set("payment_instructions", "Cuenta 123\r\nBre-B: a@b.test")
      form.set("color", "#1f4e79")
      assert.strictEqual(noticeOf((yield* send(issuer, form)).text), "saved")
      assert.deepInclude(yield* account, {
        legal_name: "Tienda Nueva S.A.S.",
        city_code: "76001",
        department_code: "76",
        vat_responsible: true,
        economic_activities: ["6201", "4741"],
        payment_instructions: "Cuenta 123\nBre-B: a@b.test",
        color: "#1f4e79"
      })
      assert.notStrictEqual((yield* get("/v1/account", bearer(keys.live))).json.legal_name, "Tienda Nueva S.A.S.")
      const emptied = untouched((yield* see(issuer)).text, "/issuer")
      emptied.set("color", "")
      emptied.set("economic_activities", "")
      yield* send(issuer, emptied)
      const after = yield* account
      assert.notProperty(after, "color")
      assert.notProperty(after, "economic_activities")
    })

    it.effect("keeps the typed values after a rejection, with all violations next to their fields", function* () {
      const { post: send, see } = yield* visitor()
      const before = yield* account
      const form = untouched((yield* see(issuer)).text, "/issuer")
      for (const [name, value] of [
        ["identification.check_digit", "x"],
        ["legal_name", " "],
        ["email", "no at sign"],
        ["color", "blue"],
        ["economic_activities", "62"]
      ] as const) {
        form.set(name, value)
      }
      const { status, text } = yield* send(issuer, form)
      assert.strictEqual(status, 400)
      for (const name of ["identification-check_digit", "legal_name", "email", "color", "economic_activities"]) {
        assert.isDefined(beside(text, name), name)
      }
      assert.include(text, 'value="blue"')
      assert.deepStrictEqual(yield* account, before)
    })

    it.effect("includes the account's name, version and request log", function* () {
      const { post: send, see } = yield* visitor()
      const form = untouched((yield* see(issuer)).text, "/issuer/account")
      form.set("name", "Mi tienda")
      form.set("request_log", "full")
      assert.strictEqual(noticeOf((yield* send(`${issuer}/account`, form)).text), "saved")
      assert.deepInclude(yield* account, { name: "Mi tienda", request_log: "full", default_version: "2026-01-01" })
      form.set("name", "")
      form.set("once", "portal-other")
      const refused = yield* send(`${issuer}/account`, form)
      assert.strictEqual(refused.status, 400)
      assert.isDefined(beside(refused.text, "name"))
    })

    it.effect("shows hostile text as text", function* () {
      yield* patch("/v1/account", {
        name: hostile,
        legal_name: hostile,
        trade_name: hostile,
        address: hostile,
        merchant_registration: hostile.slice(0, 50),
        payment_instructions: `${hostile}\n${hostile}`
      })
      for (const capabilities of [["view", "setup"], ["view"]] as const) {
        const { see } = yield* visitor({ capabilities: [...capabilities] })
        for (const path of ["/portal/setup", issuer]) {
          const { status, text } = yield* see(path)
          assert.strictEqual(status, 200)
          assert.include(text, "&lt;img src=x", path)
          assert.notMatch(text, /<img|<script>|<\/textarea>\s*<script/i, path)
        }
      }
    })

    it.effect("can only be read without the capability, and the API rejects a change", function* () {
      const { see, post: send } = yield* visitor({ capabilities: ["view", "keys", "documents"] })
      const before = yield* account
      const { text } = yield* see(issuer)
      assert.notInclude(text, `action="${issuer}"`)
      const form = new URLSearchParams({ ...formOf(text, "leave"), legal_name: "Otra", once: "portal-9" })
      for (const path of [issuer, `${issuer}/account`, `${logo}/remove`, "/portal/setup/ranges/new"]) {
        assert.strictEqual((yield* send(path, form)).status, 403, path)
      }
      assert.deepStrictEqual(yield* account, before)
    })
  })
})
