import { assert, describe, it as test } from "@effect/vitest"
import { Array } from "effect"
import { SqlClient } from "effect/sql"
import { keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { bearer, send } from "../../support/apps/Requests.ts"
import { describeLive } from "../../support/Tests.ts"
import { noId, rows } from "../../http/inputs/routeRows.ts"

/** The routes other than GET that leave no entry, each with the reason. */
const silent: Readonly<Record<string, string>> = {
  "POST /v1/customers/validate": "changes nothing",
  "POST /v1/invoices/validate": "changes nothing",
  "POST /v1/credit-notes/validate": "changes nothing",
  "POST /v1/debit-notes/validate": "changes nothing",
  "POST /v1/email-notices": "the mail provider reports what became of an email",
  "POST /v1/resolutions/import": "needs the live authority: see LiveSteps"
}

/** The changes of a status, which applies to both modes. */
const ofBothModes = /\/(?:suspend|resume|close)$/

const changes = Object.keys(rows).filter((route) => !route.startsWith("GET ") && silent[route] === undefined)

describe("the silent routes", () => {
  test("exist", () => {
    for (const route of Object.keys(silent)) assert.property(rows, route)
  })
})

describeLive(app)("every change", (it) => {
  it.effect.each(changes)("%s leaves entries of its request in the audit log", function* (route) {
    const { answers, body, id: makeId = noId, key } = rows[route]!
    const [method = "", pattern = ""] = route.split(" ")
    const id = yield* makeId
    const isLive = Number(answers["nothing"][0]) >= 400
    const reply = yield* send({
      method,
      path: pattern.replace(/:\w+/, id),
      ...(body === undefined ? {} : { body: body(id) }),
      headers: bearer(isLive ? keys.live : key === undefined ? keys.test : yield* key)
    })
    assert.isBelow(reply.status, 300, reply.text)
    const sql = yield* SqlClient.SqlClient
    const entries = yield* sql<{ actor: string; ip: string | null; livemode: boolean }>`
      select actor, ip, livemode from audit_log where request_id = ${String(reply.headers["request-id"])}`
    assert.isNotEmpty(entries)
    for (const entry of entries) {
      assert.match(entry.actor, /^key_/)
      assert.isNotNull(entry.ip)
    }
    const modes = Array.dedupe(entries.map(({ livemode }) => livemode)).toSorted()
    assert.deepStrictEqual(modes, ofBothModes.test(route) ? [false, true] : [isLive])
  })
})
