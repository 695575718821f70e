import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { describeLive } from "../../support/Tests.ts"
import { app, directory, envOf, row, run } from "../../cli/user/ShellService.ts"
import { folioInTerminal, hasTerminals } from "../../cli/user/Spawned.ts"

/**
 * Opens a link as a browser without a session does, with the button of its page: a fetch shows that no person follows
 * it.
 */
const open = Effect.fnUntraced(function* (link: string) {
  const { url } = yield* TestApp.TestApp
  const { pathname, search } = new URL(link)
  return yield* Effect.promise(() =>
    fetch(url + pathname + search, { method: "POST", redirect: "manual", headers: { origin: url } })
  )
})

describeLive(app)("folio portal", (it) => {
  it.effect("prints a link that lets only one of several concurrent browsers enter", function* () {
    const { client, url } = yield* TestApp.TestApp
    const sql = yield* SqlClient.SqlClient
    const session = yield* row(["portal", "--expires-in", "2h"])
    assert.deepInclude(session, { object: "portal_session", status: "waiting", used_at: null })
    assert.deepStrictEqual(session.capabilities, ["view", "deliver", "endpoints", "documents", "keys", "setup"])
    assert.strictEqual(Date.parse(session.expires_at) - Date.parse(session.created_at), 7_200_000)

    const answers = yield* Effect.forEach(Array.from({ length: 8 }), () => open(session.url), {
      concurrency: "unbounded"
    })
    const statuses = answers.map(({ status }) => status).toSorted()
    assert.deepStrictEqual(statuses, [303, ...Array.from({ length: 7 }, () => 410)])
    const [entered] = answers.filter(({ status }) => status === 303)
    const [cookie = ""] = (entered?.headers.get("set-cookie") ?? "").split(";")
    const path = `/v1/portal-sessions/${session.id}`
    assert.strictEqual((yield* client.get(path)).json.status, "active")

    const home = yield* Effect.promise(() => fetch(`${url}/portal/nowhere`, { headers: { cookie } }))
    assert.strictEqual(home.status, 404)
    yield* client.request("DELETE", path)
    const after = yield* Effect.promise(() => fetch(`${url}/portal/nowhere`, { headers: { cookie } }))
    assert.strictEqual(after.status, 401)
    const { json } = yield* client.get(path)
    assert.strictEqual(json.status, "ended")
    const log = yield* sql<{ action: string; actor: string }>`
      select action, actor from audit_log where object_id = ${session.id} order by seq`
    assert.deepStrictEqual(
      log.map(({ action, actor }) => [action, actor.slice(0, 4)]),
      [
        ["portal_session.created", "key_"],
        ["portal_session.entered", "ps_" + session.id.slice(3, 4)],
        ["portal_session.ended", "key_"]
      ]
    )
  })

  it.effect("stores no link in the clear, and replays the sealed link to a repeated request", function* () {
    const { client } = yield* TestApp.TestApp
    const sql = yield* SqlClient.SqlClient
    const [first, again] = [
      yield* client.post("/v1/portal-sessions", {}, { key: "one link" }),
      yield* client.post("/v1/portal-sessions", {}, { key: "one link" })
    ]
    assert.strictEqual(first.status, 201)
    assert.strictEqual(again.text, first.text)
    const token = String(first.json.url).split("/").at(-1) ?? ""
    const stored = yield* sql<{ text: string }>`
      select s::text as text from portal_sessions s
      union all select k::text from idempotency_keys k
      union all select a::text from audit_log a
      union all select r::text from requests r`
    assert.isAbove(stored.length, 3)
    for (const { text } of stored) assert.notInclude(text, token)
    assert.strictEqual((yield* open(first.json.url)).status, 303)
  })

  it.effect("opens the page of the object that its argument names", function* () {
    const { client } = yield* TestApp.TestApp
    const customer = yield* TestApp.newCustomer(client)
    const { json: invoice } = yield* client.post("/v1/invoices", invoiceBody(customer), { key: "named" })
    const targets = yield* Effect.forEach(
      [["portal", invoice.id], ["portal", customer], ["portal"]],
      Effect.fnUntraced(function* (words) {
        const { url } = yield* row(words)
        return new URL((yield* open(url)).headers.get("location") ?? "", url).pathname
      })
    )
    assert.deepStrictEqual(targets, [`/portal/documents/${invoice.id}`, `/portal/customers/${customer}`, "/portal"])
    const key = yield* run(["portal", "key_01k9z3v8c2m4n6p8q0r2s4t6v8"])
    assert.deepStrictEqual([key.code, key.out], [2, ""])
    assert.include(key.error, "no page for")
  })

  it.effect("accepts capabilities and a lifetime, and rejects unknown values", function* () {
    const session = yield* row(["portal", "--capabilities", "view,documents", "--expires-in", "90"])
    assert.deepStrictEqual(session.capabilities, ["view", "documents"])
    assert.strictEqual(Date.parse(session.expires_at) - Date.parse(session.created_at), 90_000)
    const long = yield* run(["portal", "--expires-in", "8d"])
    assert.strictEqual(long.code, 1)
    assert.include(long.error, "seven days")
    const never = yield* run(["portal", "--expires-in", "soon"])
    assert.strictEqual(never.code, 2)
    assert.include(never.error, "8h")
    const flying = yield* run(["portal", "--capabilities", "view,fly"])
    assert.strictEqual(flying.code, 1)
    assert.include(flying.error, "must be one of view, deliver")
  })

  it.effect.skipIf(!hasTerminals)("shows at a terminal how long the link works, and what it opens", function* () {
    const { out } = yield* folioInTerminal(["portal"], [], {
      cwd: directory,
      env: { ...(yield* envOf), NO_COLOR: "1" }
    })
    assert.match(out, /\/portal\/enter\/[\w-]{43}\r\n/u)
    assert.include(out, "The link works once, within 60 seconds.")
    assert.match(out, /until \d{4}-\d\d-\d\d [\d:]{8}\.\r\nCapabilities: view, deliver/u)
    for (const line of out.split("\r\n")) assert.isAtMost(line.length, 100, line)
  })
})
