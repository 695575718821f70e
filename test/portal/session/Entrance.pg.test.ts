import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { bearer, post, send } from "../../support/apps/Requests.ts"
import { cookieOf, inside, link, open, pairOf } from "../../support/portal/Entering.ts"
import { auditLog, pass } from "../../support/portal/Tables.ts"
import { formOf, visitor } from "../../support/portal/Visitor.ts"
import { describeLive } from "../../support/Tests.ts"

const fromHere = { host: "folio.test", origin: "http://folio.test", "sec-fetch-site": "same-origin" }

const actions = Effect.map(auditLog, (entries) => entries.map(({ action, actor }) => `${action} ${actor}`))

describeLive(app)("the portal", (it) => {
  describe("a link to the portal", () => {
    it.effect("becomes a cookie that only the service reads, and leads to the portal", function* () {
      const { id, path } = yield* link({ expires_in: 600 })
      const reply = yield* open(path)
      assert.strictEqual(reply.status, 303)
      assert.strictEqual(new URL(String(reply.headers.location), `http://folio.test${path}`).pathname, "/portal")
      assert.match(cookieOf(reply), /^folio_portal=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/u)
      assert.strictEqual(reply.headers["cache-control"], "no-store")
      assert.notInclude(path, pairOf(reply).slice("folio_portal=".length))
      assert.include(yield* actions, `portal_session.entered ${id}`)
      assert.notStrictEqual((yield* open("/portal/nowhere", { cookie: pairOf(reply) })).status, 401)
    })

    it.effect("leads to the page that it names, and to none of another site", function* () {
      const targetOf = Effect.fnUntraced(function* (to: string) {
        const { path } = yield* link()
        const { headers } = yield* open(`${path}?to=${encodeURIComponent(to)}`)
        return new URL(String(headers.location), `http://folio.test${path}`).href
      })
      assert.strictEqual(
        yield* targetOf("documents/inv_01k9z3v8c2m4n6p8q0r2s4t6v8"),
        "http://folio.test/portal/documents/inv_01k9z3v8c2m4n6p8q0r2s4t6v8"
      )
      assert.strictEqual(yield* targetOf("setup"), "http://folio.test/portal/setup")
      for (const to of ["//evil.test", "https://evil.test", "../v1/account", "javascript:1", "a/b/c", "a\r\nb", ""]) {
        assert.strictEqual(yield* targetOf(to), "http://folio.test/portal", to)
      }
    })

    it.effect("works once", function* () {
      const { path } = yield* link()
      yield* open(path)
      const again = yield* open(path)
      assert.strictEqual(again.status, 410)
      assert.include(again.text, '<h1 id="used">')
      assert.include(again.text, "npx folio portal")
      assert.isUndefined(again.headers["set-cookie"])
      const spanish = yield* open(path, { "accept-language": "es-CO" })
      assert.include(spanish.text, '<h1 id="used">')
      assert.notStrictEqual(spanish.text, again.text.replace('lang="en"', 'lang="es"'))
      assert.include(spanish.text, '<html lang="es">')
    })

    it.effect("works for 60 seconds", function* () {
      const [early, late] = [yield* link(), yield* link()]
      yield* pass(30)
      assert.strictEqual((yield* open(early.path)).status, 303)
      yield* pass(30)
      const reply = yield* open(late.path)
      assert.strictEqual(reply.status, 410)
      assert.include(reply.text, '<h1 id="expired">')
    })

    it.effect("gets an error if the service has not issued it", function* () {
      for (const token of ["A".repeat(43), "x", "%00", "ps_1"]) {
        const reply = yield* open(`/portal/enter/${token}`)
        assert.strictEqual(reply.status, 404)
        assert.include(reply.text, '<h1 id="unknown">')
      }
    })

    it.effect("stays unused after a HEAD request, a browser's prefetch, or an image request", function* () {
      const { path } = yield* link()
      assert.strictEqual((yield* open(path, {}, "HEAD")).status, 204)
      for (const headers of [
        { "sec-purpose": "prefetch" },
        { "sec-purpose": "prefetch;prerender" },
        { purpose: "prefetch" },
        { "x-moz": "prefetch" },
        { "sec-fetch-dest": "image" },
        { "sec-fetch-dest": "iframe" },
        { "sec-fetch-dest": "empty" }
      ]) {
        const reply = yield* open(path, headers)
        assert.strictEqual(reply.status, 425, JSON.stringify(headers))
        assert.isUndefined(reply.headers["set-cookie"])
      }
      assert.strictEqual((yield* open(path, { "sec-fetch-dest": "document" })).status, 303)
    })
  })

  describe("a link to the portal that a browser opens without a person, or in the portal of another account", () => {
    it.effect("first shows a question, stays unused, and opens by its own page's button only", function* () {
      const { id, path } = yield* link()
      // A chat preview and a mail scanner send no Sec-Fetch-Mode, or another one.
      for (const mode of [undefined, "no-cors", "cors"]) {
        const asked = yield* open(path, { "sec-fetch-mode": mode })
        assert.strictEqual(asked.status, 200, mode)
        assert.isUndefined(asked.headers["set-cookie"])
        assert.match(asked.text, /<h1>[^<]*Cuenta/u)
        assert.match(asked.text, /<form method="post"><button/u)
      }
      assert.notInclude(yield* actions, `portal_session.entered ${id}`)
      for (const headers of [
        {},
        { ...fromHere, origin: "https://evil.test" },
        { ...fromHere, "sec-fetch-site": "cross-site" }
      ]) {
        const reply = yield* open(path, headers, "POST")
        assert.strictEqual(reply.status, 403, JSON.stringify(headers))
        assert.isUndefined(reply.headers["set-cookie"])
      }
      const entered = yield* open(`${path}?to=setup`, fromHere, "POST")
      assert.strictEqual(entered.status, 303)
      assert.strictEqual(
        new URL(String(entered.headers.location), `http://folio.test${path}`).pathname,
        "/portal/setup"
      )
      assert.strictEqual((yield* open("/portal/nowhere", { cookie: pairOf(entered) })).status, 404)
      assert.strictEqual((yield* open(path, fromHere, "POST")).status, 410)
    })

    it.effect("does not replace the session of another account, and names both accounts", function* () {
      const others = bearer(keys.otherAccount)
      yield* send({ method: "PATCH", path: "/v1/account", body: { name: "Tienda <Otra>" }, headers: others })
      const made = yield* post("/v1/portal-sessions", { capabilities: ["view", "setup"] }, others)
      const path = new URL(made.json.url).pathname
      const { cookie, id, see } = yield* inside()
      const asked = yield* open(`${path}?to=setup/certificate`, { cookie })
      assert.strictEqual(asked.status, 200)
      assert.isUndefined(asked.headers["set-cookie"])
      assert.match(asked.text, /<h1>[^<]*Tienda &lt;Otra&gt;/u)
      assert.match(asked.text, /<p class="sub">[^<]*Cuenta/u)
      const spanish = yield* open(path, { cookie, "accept-language": "es-CO" })
      assert.match(spanish.text, /<html lang="es">[^]*<h1>[^<]*Tienda &lt;Otra&gt;/u)
      assert.strictEqual((yield* see("/portal/nowhere")).status, 404)
      const entered = yield* open(path, { ...fromHere, cookie }, "POST")
      assert.strictEqual(entered.status, 303)
      assert.include(yield* actions, `portal_session.entered ${made.json.id}`)
      assert.notStrictEqual(made.json.id, id)
      // Another link of the same account replaces the session without a question.
      const again = yield* link()
      assert.strictEqual((yield* open(again.path, { cookie })).status, 303)
    })

    it.effect("leads on if the browser's session began with this link: a person may click twice", function* () {
      const { path } = yield* link()
      const cookie = pairOf(yield* open(path))
      const again = yield* open(`${path}?to=documents`, { cookie })
      assert.strictEqual(again.status, 303)
      assert.strictEqual(
        new URL(String(again.headers.location), `http://folio.test${path}`).pathname,
        "/portal/documents"
      )
      assert.isUndefined(again.headers["set-cookie"])
      const { cookie: other } = yield* inside()
      assert.strictEqual((yield* open(path, { cookie: other })).status, 410)
    })
  })

  describe("a page of the portal", () => {
    it.effect("names the account of the session, on every page", function* () {
      yield* send({ method: "PATCH", path: "/v1/account", body: { name: "Café del Río" } })
      const me = yield* visitor()
      const sections = [
        "",
        "/documents",
        "/customers",
        "/events",
        "/endpoints",
        "/requests",
        "/setup",
        "/bench",
        "/nowhere"
      ]
      for (const page of sections) {
        const { text } = yield* me.see(`/portal${page}`)
        assert.match(text, /<header>[^]*Café del Río[^]*<\/header>/u, page)
      }
    })
  })

  describe("a session of the portal", () => {
    it.effect("can open every page, and a page without it explains how to get one", function* () {
      for (const path of ["/portal/documents", "/portal/nowhere", "/portal/setup/keys"]) {
        const reply = yield* open(path)
        assert.strictEqual(reply.status, 401, path)
        assert.include(reply.text, "npx folio portal")
      }
      assert.strictEqual((yield* open("/portal/x", { cookie: `folio_portal=${"A".repeat(43)}` })).status, 401)
      assert.strictEqual((yield* open("/portal/x", { cookie: "__Host-folio_portal=x; folio_portal=" })).status, 401)
      assert.strictEqual((yield* open("/portal/x", bearer(keys.test))).status, 401)
    })

    it.effect("ends when the key that created it has expired after a roll, and works until then", function* () {
      const { json } = yield* post("/v1/api-keys", {})
      const made = yield* post("/v1/portal-sessions", {}, bearer(json.key))
      const cookie = pairOf(yield* open(new URL(made.json.url).pathname))
      yield* post(`/v1/api-keys/${json.id}/roll`, { expires_in: 60 })
      assert.strictEqual((yield* open("/portal/nowhere", { cookie })).status, 404)
      yield* pass(60)
      assert.strictEqual((yield* open("/portal/nowhere", { cookie })).status, 401)
      const shown = yield* send({ path: `/v1/portal-sessions/${made.json.id}` })
      assert.strictEqual(shown.json.status, "ended")
      assert.isNotNull(shown.json.ended_at)
    })

    it.effect("shows pages that cannot be framed, cached or injected with code", function* () {
      const { see } = yield* inside()
      for (const { headers } of [
        yield* see("/portal/nowhere"),
        yield* open("/portal/x"),
        yield* open("/portal/enter/x")
      ]) {
        assert.deepInclude(headers, {
          "cache-control": "no-store",
          "cross-origin-opener-policy": "same-origin",
          "cross-origin-resource-policy": "same-origin",
          "referrer-policy": "same-origin",
          "x-content-type-options": "nosniff",
          "x-frame-options": "DENY"
        })
        const policy = String(headers["content-security-policy"]).split("; ")
        assert.includeMembers(policy, [
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "form-action 'self'",
          "base-uri 'none'",
          "frame-ancestors 'none'"
        ])
        assert.notInclude(policy.join(), "unsafe")
      }
    })

    it.effect("ends by its own form only, which also removes the cookie", function* () {
      const me = yield* visitor()
      const { csrf = "" } = formOf((yield* me.see("/portal/nowhere")).text, "/portal/leave")
      const other = yield* visitor()
      const { csrf: others = "" } = formOf((yield* other.see("/portal/nowhere")).text, "/portal/leave")
      assert.notStrictEqual(csrf, others)
      const sent = (token: string | undefined, headers: Record<string, string>) =>
        me.fetched("/portal/leave", {
          method: "POST",
          body: new URLSearchParams(token === undefined ? {} : { csrf: token }),
          headers
        })
      const here = { origin: me.url, "sec-fetch-site": "same-origin" }
      for (const [token, headers] of [
        [undefined, here],
        ["", here],
        [others, here],
        [`${csrf}x`, here],
        [csrf, {}],
        [csrf, { origin: "null" }],
        [csrf, { origin: "https://evil.test" }],
        [csrf, { origin: "https://evil.test", "sec-fetch-site": "same-origin" }],
        [csrf, { origin: "null", "sec-fetch-site": "cross-site" }],
        [csrf, { origin: me.url, "sec-fetch-site": "cross-site" }]
      ] as const) {
        const reply = yield* sent(token, headers)
        assert.strictEqual(reply.status, 403, JSON.stringify([token, headers]))
        assert.isNull(reply.headers.get("set-cookie"))
      }
      assert.strictEqual((yield* me.see("/portal/nowhere")).status, 404)
      const left = yield* sent(csrf, { origin: "null", "sec-fetch-site": "same-origin" })
      assert.strictEqual(left.status, 200)
      assert.include(left.text, '<h1 id="left">')
      assert.strictEqual(left.headers.get("set-cookie"), "folio_portal=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax")
      assert.strictEqual((yield* me.see("/portal/nowhere")).status, 401)
      assert.strictEqual((yield* other.see("/portal/nowhere")).status, 404)
      assert.include(yield* actions, `portal_session.ended ${me.id}`)
      // A browser whose session has ended gets the same response.
      assert.strictEqual((yield* sent(csrf, here)).status, 200)
    })
  })
})
