import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { bearer, post } from "../../support/apps/Requests.ts"
import { assertClear, executablePath, opened } from "../../support/browser/Chromium.ts"
import { browsing, serviceUrl } from "../../support/portal/Visitor.ts"
import { describeLive } from "../../support/Tests.ts"

/** The path of a new session's link. */
const link = Effect.map(
  Effect.suspend(() => post("/v1/portal-sessions", {})),
  ({ json }) => new URL(json.url).pathname
)

/** Another site, which responds to every path with `page`. Its host name differs from the service's. */
const otherSite = (page: () => string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer((_, response) => {
        response.setHeader("content-type", "text/html")
        response.end(page())
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed({ url: `http://localhost:${port}`, close: () => void server.close() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const run = <A>(evaluate: () => Promise<A>) => Effect.promise(evaluate)

describeLive(app)("the entrance to the portal in a browser", (it) => {
  const there = it.effect.skipIf(executablePath === undefined)

  there("leads from another site's link into the portal, once, and out by its own form", function* () {
    const url = yield* serviceUrl
    const path = yield* link
    const sql = yield* SqlClient.SqlClient
    const office = yield* otherSite(
      () => `<link rel="prefetch" href="${url}${path}"><img src="${url}${path}"><a href="${url}${path}">Folio</a>`
    )
    const { context, page } = yield* opened(url, {})
    yield* run(() => page.goto(office.url, { waitUntil: "networkidle" }))
    assert.deepStrictEqual(yield* sql`select id from portal_sessions where used_at is not null`, [])
    yield* run(() => page.click("a"))
    yield* run(() => page.waitForURL(`${url}/portal`))
    const [cookie, ...others] = yield* run(() => context.cookies())
    assert.deepStrictEqual(others, [])
    assert.deepInclude(cookie, { name: "folio_portal", httpOnly: true, sameSite: "Lax", path: "/", secure: false })
    assert.strictEqual(yield* run(() => page.evaluate<string>("document.cookie")), "")

    yield* run(() => page.goto(url + path))
    assert.strictEqual(page.url(), `${url}/portal`)
    yield* run(() => page.goto(`${url}/portal/nowhere`))
    yield* run(() => page.click("footer button"))
    yield* run(() => page.waitForURL(`${url}/portal/leave`))
    assert.strictEqual(yield* run(() => page.getAttribute("h1", "id")), "left")
    assert.deepStrictEqual(yield* run(() => context.cookies()), [])
    assert.strictEqual((yield* run(() => page.goto(`${url}/portal/nowhere`)))?.status(), 401)
  })

  there("rejects forms and frames of another site, even with the right token", function* () {
    const { context, page, url } = yield* browsing()
    yield* run(() => page.goto(`${url}/portal/nowhere`))
    const csrf = yield* run(() => page.getAttribute("footer input[name=csrf]", "value"))
    const evil = yield* otherSite(
      () => `<form method="post" action="${url}/portal/leave"><input name="csrf" value="${csrf}"><button>x</button></form>
        <iframe src="${url}/portal/nowhere"></iframe>`
    )
    yield* run(() => page.goto(evil.url, { waitUntil: "networkidle" }))
    const [, frame] = page.frames()
    assert.notInclude(yield* run(async () => (await frame?.content()) ?? ""), "Folio")
    yield* run(() => page.click("button"))
    yield* run(() => page.waitForURL(`${url}/portal/leave`))
    // The browser sends no cookie with another site's form, so the session stays.
    assert.lengthOf(yield* run(() => context.cookies(url)), 1)
    assert.strictEqual((yield* run(() => page.goto(`${url}/portal/nowhere`)))?.status(), 404)
  })

  there("explains in both languages why a link does not work, on accessible pages", function* () {
    const url = yield* serviceUrl
    for (const locale of ["en", "es-CO"]) {
      const { faults, page } = yield* opened(url, { locale })
      const others = yield* post("/v1/portal-sessions", {}, bearer(keys.otherAccount))
      yield* run(() => page.goto(others.json.url.replace(/^http:\/\/[^/]+/u, url)))
      const used = yield* link
      yield* run(() => page.goto(url + used))
      yield* assertClear(page, `the question, ${locale}`)
      yield* run(() => page.click("main button"))
      yield* run(() => page.waitForURL(`${url}/portal`))
      yield* run(() => page.context().clearCookies())
      for (const path of [used, `/portal/enter/${"A".repeat(43)}`, "/portal/documents"]) {
        yield* run(() => page.goto(url + path))
        yield* assertClear(page, `${path}, ${locale}`)
      }
      const unexpected = faults.filter((fault) => !fault.includes("the server responded with a status of 4"))
      assert.deepStrictEqual(unexpected, [])
    }
  })
})
