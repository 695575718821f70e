import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { localDate } from "../../../src/runtime/AuthorityTime.ts"
import { AuthorityUnavailable } from "../../../src/invoices/authority/Authority.ts"
import { keyFile } from "../../support/authority/LiveAccounts.ts"
import { FakeAuthority } from "../../support/apps/Fakes.ts"
import { account, apiKeyIds, keys, otherAccount, rangeId, testMode } from "../../support/apps/Accounts.ts"
import { serviceWith } from "../../support/apps/PostgresApp.ts"
import { bearer, get } from "../../support/apps/Requests.ts"
import { until } from "../../support/apps/Until.ts"
import { beside, untouched, withFile } from "../../support/portal/Forms.ts"
import { logs } from "../../support/portal/Tables.ts"
import { asLive, asOther, formOf, noticeOf, visitor } from "../../support/portal/Visitor.ts"
import { describeLive } from "../../support/Tests.ts"
import { pace } from "./Pace.ts"

const liveMode = { ...testMode, livemode: true }
const setup = "/portal/setup"
const readLive = Effect.map(get("/v1/account", bearer(keys.live)), ({ json }) => json)

/** The part of the setup page with the steps to go live. */
const stepsIn = (page: string) => /<h2 id="live">([^]*?)<\/section>/.exec(page)?.[1] ?? ""

describeLive(serviceWith(pace))("set-up in the portal", (it) => {
  describe("going live", () => {
    it.effect("lists steps, each with a link to its page", function* () {
      const sql = yield* SqlClient.SqlClient
      // The other account has neither a certificate nor a live key.
      const other = { account_id: otherAccount, livemode: true }
      yield* sql`delete from resolutions where id = ${rangeId(other)}`
      const { see } = yield* visitor({ account: other, apiKeyId: apiKeyIds.otherAccount })
      const { text } = yield* see(setup)
      for (const page of ["issuer", "certificate", "software", "enablement", "ranges"]) {
        assert.match(text, new RegExp(`<li[^>]*>\\s*<a href="[^"]*portal/setup/${page}"`), page)
        assert.strictEqual((yield* see(`${setup}/${page}`)).status, 200, page)
      }
      assert.strictEqual(stepsIn(text).match(/<span class="wait">/g)?.length, 4)
      const ofTest = yield* visitor()
      const shown = (yield* ofTest.see(setup)).text
      assert.notMatch(shown, /<li[^>]*>\s*<a href="[^"]*enablement"/)
    })

    it.effect("sets the software, and never shows its PIN again", function* () {
      const { see, submit } = yield* visitor(asLive)
      const path = `${setup}/software`
      const refused = yield* submit(path, path, { id: "wrong", pin: "canary pin" })
      assert.strictEqual(refused.status, 400)
      assert.isDefined(beside(refused.text, "id"))
      assert.isDefined(beside(refused.text, "pin"))
      assert.notInclude(refused.text, "canary pin")
      const saved = yield* submit(path, path, { id: "56f2ae4e-9812-4fad-9255-08fcfcd5ccb0", pin: "canary-pin" })
      assert.strictEqual(noticeOf(saved.text), "saved")
      assert.include(saved.text, "56f2ae4e-9812-4fad-9255-08fcfcd5ccb0")
      assert.notInclude(saved.text, "canary")
      assert.notInclude(yield* logs, "canary")
      const removed = yield* submit(path, `${path}/remove`)
      assert.strictEqual(noticeOf(removed.text), "removed")
      assert.isNull((yield* readLive).software)
      assert.notInclude((yield* see(path)).text, "canary")
    })

    it.effect("passes the test set, and shows its progress on a page that reloads", function* () {
      const authority = yield* FakeAuthority
      const { post: send, see } = yield* visitor(asLive)
      const path = `${setup}/enablement`
      const form = untouched((yield* see(path)).text, "/enablement")
      form.set("test_set_id", "no id")
      form.set("invoices", "many")
      const refused = yield* send(path, form)
      assert.strictEqual(refused.status, 400)
      assert.isDefined(beside(refused.text, "test_set_id"))
      assert.match(beside(refused.text, "invoices") ?? "", /number/)
      assert.include(refused.text, 'value="many"')
      const judges = authority.onTestVerdict
      authority.onTestVerdict = () =>
        Effect.fail(new AuthorityUnavailable({ message: "<b>Batch</b> en proceso", trouble: "in_process" }))
      const right = untouched((yield* see(path)).text, "/enablement")
      right.set("test_set_id", "b7d1c2a4-93cf")
      right.set("invoices", "2")
      right.set("credit_notes", "1")
      right.set("debit_notes", "0")
      const begun = yield* send(path, right)
      assert.strictEqual(begun.status, 200, begun.text.slice(-1500))
      assert.match(begun.text, /hx-get="[^"]*enablement" hx-trigger="every 3s"/)
      assert.include(begun.text, "0 of 2 accepted")
      assert.notInclude(begun.text, "<b>Batch</b>")
      assert.notInclude(begun.text, 'name="test_set_id"')
      yield* send(path, right)
      authority.onTestVerdict = judges
      const { text } = yield* until(see(path), (seen) => seen.text.includes("Passed"))
      assert.include(text, "2 of 2 accepted")
      assert.notInclude(text, "hx-trigger")
      assert.include(text, "SETP9900000")
    })
  })

  describe("numbering ranges", () => {
    const path = `${setup}/ranges`
    const count = Effect.map(get("/v1/resolutions?limit=100"), ({ json }) => json.data.length as number)
    const granted = {
      document_type: "invoice",
      prefix: "FE",
      number: "18764000001",
      from_number: "1",
      to_number: "5.000",
      valid_from: "2026-01-19",
      valid_to: localDate(Date.now() + 10 * 86_400_000),
      technical_key: "fc8eac422eba16e22ffd8c6f94b3f40a6e38162c"
    }

    it.effect("can be registered once, and appear with their remaining numbers and their last day", function* () {
      const { post: send, see } = yield* visitor()
      const before = yield* count
      const form = untouched((yield* see(`${path}/new`)).text, "/new")
      for (const [name, value] of Object.entries(granted)) form.set(name, value)
      const [first] = [yield* send(`${path}/new`, form), yield* send(`${path}/new`, form)]
      assert.strictEqual(noticeOf(first.text), "registered")
      assert.strictEqual(yield* count, before + 1)
      assert.include(first.text, "5,000 of 5,000 left")
      assert.match(first.text, /<meter[^>]* max="5000"[^>]* value="5000"/)
      assert.include(first.text, "Expires in 10 days")
      assert.notInclude(first.text, "style=")
    })

    it.effect("show every violation next to its field", function* () {
      const { submit } = yield* visitor()
      const before = yield* count
      const refused = yield* submit(`${path}/new`, `${path}/new`, {
        ...granted,
        prefix: "too long",
        from_number: "one",
        technical_key: '"><script>'
      })
      assert.strictEqual(refused.status, 400)
      for (const name of ["prefix", "from_number", "technical_key"]) assert.isDefined(beside(refused.text, name), name)
      assert.include(refused.text, 'value="&quot;&gt;&lt;script&gt;"')
      assert.strictEqual(yield* count, before)
      const empty = yield* submit(`${path}/new`, `${path}/new`, { document_type: "invoice", prefix: "FA" })
      for (const name of ["number", "from_number", "to_number", "valid_from", "valid_to", "technical_key"]) {
        assert.match(beside(empty.text, name) ?? "", /required/, name)
      }
    })

    it.effect("can be deactivated, reactivated and extended", function* () {
      const { see, submit } = yield* visitor()
      const id = rangeId(testMode)
      const page = `${path}/${id}`
      const off = yield* submit(page, `${page}/change`, { is_active: "false" })
      assert.strictEqual(noticeOf(off.text), "changed")
      assert.isFalse((yield* get(`/v1/resolutions/${id}`)).json.is_active)
      assert.include(off.text, 'name="is_active" value="true"')
      yield* submit(page, `${page}/change`, { is_active: "true", valid_to: "2031-01-19" })
      assert.deepInclude((yield* get(`/v1/resolutions/${id}`)).json, { is_active: true, valid_to: "2031-01-19" })
      const refused = yield* submit(page, `${page}/change`, { valid_to: "2031-02-30" })
      assert.strictEqual(refused.status, 400)
      assert.match(beside(refused.text, "valid_to") ?? "", /calendar/)
      assert.include((yield* see(page)).text, "19 January 2031")
    })

    it.effect("can be imported in live mode only, and show why an import failed", function* () {
      const { submit } = yield* visitor(asLive)
      const { status, text } = yield* submit(path, `${path}/import`)
      assert.strictEqual(status, 403)
      assert.include(text, 'role="alert"')
      const ofTest = yield* visitor()
      assert.notInclude((yield* ofTest.see(path)).text, "/import")
    })

    it.effect("do not exist for another account", function* () {
      const other = yield* visitor(asOther)
      for (const mode of [testMode, liveMode]) {
        const page = `${path}/${rangeId(mode)}`
        assert.strictEqual((yield* other.see(page)).status, 404)
        const form = new URLSearchParams({ ...formOf((yield* other.see(path)).text, "leave"), is_active: "false" })
        assert.strictEqual((yield* other.post(`${page}/change`, form)).status, 404)
      }
      const { json } = yield* get(`/v1/resolutions/${rangeId(liveMode)}`, bearer(keys.live))
      assert.isTrue(json.is_active)
    })
  })

  // This comes last: until then, the account signs with its old certificate.
  describe("the certificate", () => {
    it.effect("can be uploaded, and neither its password nor its key appears again", function* () {
      const sql = yield* SqlClient.SqlClient
      const { post: send, see } = yield* visitor(asLive)
      const path = `${setup}/certificate`
      const { keyText, password, pkcs12 } = keyFile({ subject: "Tienda <b>S.A.S.", now: Date.now(), to: 20 })
      const bytes = new Uint8Array(Buffer.from(pkcs12, "base64"))
      const token = formOf((yield* see(path)).text, "/certificate")
      const wrong = yield* send(path, withFile({ ...token, password: "canary-wrong" }, "pkcs12", bytes))
      assert.strictEqual(wrong.status, 400)
      assert.isDefined(beside(wrong.text, "password") ?? beside(wrong.text, "pkcs12"))
      assert.notInclude(wrong.text, "canary-wrong")
      for (const [name, file] of Object.entries({
        none: undefined,
        large: new Uint8Array(60_000),
        larger: new Uint8Array(5_000_000),
        other: new TextEncoder().encode("no certificate")
      })) {
        const refused = yield* send(
          path,
          withFile({ ...token, once: `portal-${name}`, password: "canary" }, "pkcs12", file)
        )
        assert.strictEqual(refused.status, 400, name)
        assert.isDefined(beside(refused.text, "pkcs12"), name)
      }
      const saved = yield* send(path, withFile({ ...token, once: "portal-right", password }, "pkcs12", bytes))
      assert.strictEqual(noticeOf(saved.text), "saved")
      assert.include(saved.text, "&lt;b")
      assert.notInclude(saved.text, "<b>S.A.S.")
      for (const secret of [password, "canary-wrong", keyText]) {
        assert.notInclude(saved.text, secret)
        assert.notInclude(yield* logs, secret)
      }
      for (const page of [path, setup]) assert.match((yield* see(page)).text, /Expires in 20 days/, page)
      yield* sql`
      update certificates set not_before = now() - interval '9 days', not_after = now() - interval '3 days'
      where account_id = ${account}`
      yield* until(see(path), ({ text }) => text.includes("Expired 3 days ago"))
    })
  })
})
