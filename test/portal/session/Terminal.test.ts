import { assert } from "@effect/vitest"
import { Layer } from "effect"
import { Onlooker } from "../../../src/protocol/Onlooker.ts"
import { serviceWith } from "../../support/apps/MemoryApp.ts"
import { post, send } from "../../support/apps/Requests.ts"
import { describeOn } from "../../support/Tests.ts"

const answered: Array<string> = []
const watched = Layer.succeed(Onlooker, { answered: ({ path }) => void answered.push(path), ended: () => {} })

const open = (path: string, cookie?: string) =>
  send({ method: "GET", path, headers: { authorization: undefined, "sec-fetch-mode": "navigate", cookie } })

describeOn(serviceWith(watched))("who watches the service at a terminal", (it) => {
  it.effect("sees neither the link of a session nor what its pages read", function* () {
    const { json } = yield* post("/v1/portal-sessions", {})
    const entered = yield* open(new URL(json.url).pathname)
    const cookie = String(entered.headers["set-cookie"]?.[0]).split(";")[0]
    assert.strictEqual((yield* open("/portal/setup", cookie)).status, 200)
    assert.deepStrictEqual(answered, ["/v1/portal-sessions", "/portal/enter/…", "/portal/setup"])
  })
})
