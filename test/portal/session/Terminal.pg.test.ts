import { assert } from "@effect/vitest"
import { Layer } from "effect"
import { ServiceInfo } from "../../../src/runtime/ServiceInfo.ts"
import { Onlooker } from "../../../src/runtime/Onlooker.ts"
import { serviceWith } from "../../support/apps/PostgresApp.ts"
import { cookieOf, link, open, pairOf } from "../../support/portal/Entering.ts"
import { describeLive } from "../../support/Tests.ts"

const answered: Array<string> = []
const watched = Layer.succeed(Onlooker, { answered: ({ path }) => void answered.push(path), ended: () => {} })
const secure = Layer.succeed(ServiceInfo, { version: "0.1.0", baseUrl: "https://folio.example.com/below" })

describeLive(serviceWith(Layer.merge(watched, secure)))("the portal over https, watched at a terminal", (it) => {
  it.effect("shows at the terminal neither the link of a session nor the reads of its pages", function* () {
    const { path } = yield* link()
    const entered = yield* open(path.replace("/below", ""))
    assert.strictEqual((yield* open("/portal/setup", { cookie: pairOf(entered) })).status, 200)
    assert.deepStrictEqual(answered, ["/v1/portal-sessions", "/portal/enter/…", "/portal/setup"])
  })

  it.effect("sets a cookie for this host over https only, and accepts no other", function* () {
    const { path, url } = yield* link()
    assert.match(url, /^https:\/\/folio\.example\.com\/below\/portal\/enter\//u)
    const reply = yield* open(path.replace("/below", ""))
    assert.match(
      cookieOf(reply),
      /^__Host-folio_portal=[\w-]{43}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$/u
    )
    const cookie = pairOf(reply)
    const seen = yield* open("/portal/nowhere", { cookie })
    assert.strictEqual(seen.status, 404)
    assert.strictEqual(seen.headers["referrer-policy"], "no-referrer")
    const renamed = cookie.replace("__Host-", "")
    assert.strictEqual((yield* open("/portal/nowhere", { cookie: renamed })).status, 401)
  })
})
