import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AuditEntry } from "../../../schemas/AuditEntry.ts"
import { AccountId } from "../../../schemas/Id.ts"
import { createKey } from "../../../src/accounts/store/Operations.ts"
import { customerBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { accountOf, acting, newAccount, platform } from "./Platform.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { bearer, get, patch, post, type Reply, send, type Sent } from "../../support/apps/Requests.ts"
import { until } from "../../support/apps/Until.ts"
import { seedDrafts } from "../../support/database/Owners.ts"
import { eventually, open as openLine, statusesOf } from "../../support/processes/Sockets.ts"
import { describeLive } from "../../support/Tests.ts"

const idsOf = ({ json }: Reply) => json.data.map((one: { readonly id: string }) => one.id)

/** Waits until a response of a request with these headers fits. A key is looked up once a second. */
const seen = (path: string, fits: (json: Reply["json"]) => boolean, headers: Sent["headers"]) =>
  until(get(path, headers), ({ json }) => fits(json))

/** The outcome of an attempt once it is rejected. */
const untilRefused = <A extends readonly [number, ...ReadonlyArray<unknown>], R>(attempt: Effect.Effect<A, never, R>) =>
  until(attempt, ([status]) => status === 403)

const outcome = ({ json, status }: Reply) => [status, json?.error?.code] as const

describeLive(app)("a platform", (it) => {
  it.effect("creates an account with its issuer, and issues an invoice for it", function* () {
    const mine = yield* platform()
    const body = newAccount()
    const key = { "idempotency-key": "first account" }
    const created = yield* post("/v1/accounts", body, { ...mine.headers, ...key })
    assert.strictEqual(created.status, 201, created.text)
    assert.strictEqual(created.headers.location, `/v1/accounts/${created.json.id}`)
    assert.include(created.json, { name: body.legal_name, status: "active", key_mode: "test", status_reason: null })
    const again = yield* post("/v1/accounts", body, { ...mine.headers, ...key })
    assert.strictEqual(again.text, created.text)

    const headers = acting(mine, created.json.id)
    const customer = yield* post("/v1/customers", customerBody(), headers)
    const invoice = yield* post("/v1/invoices", invoiceBody(customer.json.id), headers)
    assert.strictEqual(invoice.status, 202, invoice.text)
    const done = yield* seen(`/v1/invoices/${invoice.json.id}`, ({ stage }) => stage === "done", headers)
    assert.strictEqual(done.json.full_number, "SETP990000000")
  })

  it.effect("gives each account its own idempotency keys", function* () {
    const mine = yield* platform()
    const [one, other] = [yield* accountOf(mine), yield* accountOf(mine)]
    const key = { "idempotency-key": "the same" }
    const first = yield* post("/v1/customers", customerBody(), { ...acting(mine, one), ...key })
    const second = yield* post("/v1/customers", customerBody(), { ...acting(mine, other), ...key })
    assert.deepStrictEqual([first.status, second.status], [201, 201])
    assert.notStrictEqual(first.json.id, second.json.id)
    const replay = yield* post("/v1/customers", customerBody(), { ...acting(mine, one), ...key })
    assert.strictEqual(replay.text, first.text)
  })

  it.effect("makes a key for an account, which works without the header", function* () {
    const mine = yield* platform()
    const id = yield* accountOf(mine)
    const made = yield* post(`/v1/accounts/${id}/api-keys`, { name: "ERP" }, mine.headers)
    assert.strictEqual(made.status, 201, made.text)
    const account = yield* get("/v1/account", bearer(made.json.key))
    assert.strictEqual(account.json.id, id)
    // The platform's row in the account is no key of the account.
    const { json } = yield* get("/v1/api-keys", bearer(made.json.key))
    assert.deepStrictEqual(
      json.data.map((one: { readonly id: string }) => one.id),
      [made.json.id]
    )
  })

  it.effect("changes an account by its path, as by the header", function* () {
    const mine = yield* platform()
    const id = yield* accountOf(mine)
    const changed = yield* patch(`/v1/accounts/${id}`, { name: "Otra" }, mine.headers)
    assert.strictEqual(changed.status, 200, changed.text)
    assert.strictEqual((yield* get("/v1/account", acting(mine, id))).json.name, "Otra")
    assert.strictEqual((yield* get(`/v1/accounts/${id}`, mine.headers)).json.name, "Otra")
  })

  it.effect("lists its accounts only, newest first, with filters and pages", function* () {
    const [mine, theirs] = [yield* platform(), yield* platform()]
    const bodies = [newAccount(), newAccount(), newAccount()]
    const ids = yield* Effect.forEach(bodies, (body) =>
      Effect.map(post("/v1/accounts", body, mine.headers), ({ json }) => String(json.id))
    )
    yield* accountOf(theirs)
    const newest = ids.toReversed()
    const all = yield* get("/v1/accounts", mine.headers)
    assert.deepStrictEqual(idsOf(all), newest)
    // The list reads all accounts together.
    for (const one of all.json.data) {
      assert.deepStrictEqual(one, (yield* get(`/v1/accounts/${one.id}`, mine.headers)).json)
    }
    const first = yield* get("/v1/accounts?limit=2", mine.headers)
    assert.isTrue(first.json.has_more)
    assert.deepStrictEqual(idsOf(first), newest.slice(0, 2))
    const rest = yield* get(`/v1/accounts?limit=2&starting_after=${newest[1]}`, mine.headers)
    assert.deepStrictEqual([idsOf(rest), rest.json.has_more], [newest.slice(2), false])
    const { number } = bodies[1]!.identification
    assert.deepStrictEqual(idsOf(yield* get(`/v1/accounts?identification=31-${number}`, mine.headers)), [ids[1]])
    yield* post(`/v1/accounts/${ids[0]}/suspend`, { reason: "Mora" }, mine.headers)
    assert.deepStrictEqual(idsOf(yield* get("/v1/accounts?status=suspended", mine.headers)), [ids[0]])
    assert.deepStrictEqual(idsOf(yield* get("/v1/accounts?live_ready=true", mine.headers)), [])
    const unknown = yield* get("/v1/accounts?status=deleted", mine.headers)
    assert.strictEqual(unknown.json.error.message, "status must be one of active, suspended, closed.")
    for (const page of ["limit=2", `limit=2&starting_after=${newest[1]}`, `limit=2&ending_before=${newest[2]}`]) {
      const plain = yield* get(`/v1/accounts?${page}`, mine.headers)
      const filtered = yield* get(`/v1/accounts?${page}&live_ready=false`, mine.headers)
      assert.deepStrictEqual([filtered.json.data, filtered.json.has_more], [plain.json.data, plain.json.has_more], page)
    }
  })

  it.effect("creates no more accounts than its limit, even at the same moment", function* () {
    const mine = yield* platform(2)
    const replies = yield* Effect.forEach([1, 2, 3, 4], () => post("/v1/accounts", newAccount(), mine.headers), {
      concurrency: "unbounded"
    })
    const refused = replies.filter(({ status }) => status === 409)
    assert.lengthOf(refused, 2)
    for (const reply of refused) assert.deepStrictEqual(outcome(reply), [409, "account_limit_reached"])
    const [open] = replies.filter(({ status }) => status === 201)
    yield* post(`/v1/accounts/${open?.json.id}/close`, { reason: "Fin" }, mine.headers)
    assert.strictEqual((yield* post("/v1/accounts", newAccount(), mine.headers)).status, 201)
  })

  it.effect("shows all faults of a new account together", function* () {
    const mine = yield* platform()
    const { identification, ...body } = newAccount()
    const wrong = { ...body, email: "x", identification: { ...identification, check_digit: "x" } }
    const { json, status } = yield* post("/v1/accounts", wrong, mine.headers)
    assert.strictEqual(status, 400)
    assert.sameMembers(
      json.error.errors.map(({ param }: { readonly param: string }) => param),
      ["email", "identification.check_digit"]
    )
  })

  it.effect("suspends an account, which then creates nothing, and resumes it", function* () {
    const mine = yield* platform()
    const id = yield* accountOf(mine)
    const own = yield* post(`/v1/accounts/${id}/api-keys`, {}, mine.headers)
    const both = [acting(mine, id), bearer(own.json.key)]
    const [first, once] = [customerBody(), { "idempotency-key": "before the suspension" }]
    const customer = yield* post("/v1/customers", first, { ...acting(mine, id), ...once })
    const body = invoiceBody(customer.json.id)
    const path = `/v1/accounts/${id}`
    const suspended = yield* post(`${path}/suspend`, { reason: "Mora" }, mine.headers)
    assert.include(suspended.json, { status: "suspended", status_reason: "Mora" })
    for (const headers of both) {
      const attempt = Effect.map(post("/v1/invoices", body, headers), outcome)
      assert.deepStrictEqual(yield* untilRefused(attempt), [403, "account_suspended"])
      assert.deepStrictEqual(outcome(yield* post("/v1/customers", customerBody(), headers)), [403, "account_suspended"])
      assert.strictEqual((yield* get("/v1/invoices", headers)).status, 200)
      assert.strictEqual((yield* get("/v1/account", headers)).json.status_reason, "Mora")
      assert.strictEqual((yield* patch("/v1/account", { name: "Nueva" }, headers)).status, 200)
    }
    // A retry gets the response of the first request, and another body with its key does not.
    const retry = yield* post("/v1/customers", first, { ...acting(mine, id), ...once })
    assert.strictEqual(retry.text, customer.text)
    assert.strictEqual(retry.headers["svc-idempotency-cached"], "true")
    const other = yield* post("/v1/customers", body, { ...acting(mine, id), ...once })
    assert.strictEqual(other.status, 409)
    const resumed = yield* post(`${path}/resume`, undefined, mine.headers)
    assert.include(resumed.json, { status: "active", status_reason: null })
    for (const headers of both) {
      yield* seen("/v1/account", ({ status }) => status === "active", headers)
    }
  })

  it.effect("suspends an account while the body of a creation arrives, which then fails", function* () {
    const mine = yield* platform()
    const id = yield* accountOf(mine)
    const { json: own } = yield* post(`/v1/accounts/${id}/api-keys`, {}, mine.headers)
    const body = JSON.stringify(customerBody())
    const line = yield* openLine()
    line.socket.write(
      [
        "POST /v1/customers HTTP/1.1",
        "Host: folio.test",
        `Authorization: Bearer ${own.key}`,
        "Idempotency-Key: slow",
        "Content-Type: application/json",
        `Content-Length: ${Buffer.byteLength(body)}`,
        "",
        ""
      ].join("\r\n")
    )
    // Authentication of a request records the first use of its key.
    yield* until(get(`/v1/api-keys/${own.id}`, acting(mine, id)), ({ json }) => json.last_used_at !== null)
    yield* post(`/v1/accounts/${id}/suspend`, { reason: "Mora" }, mine.headers)
    yield* untilRefused(Effect.map(post("/v1/customers", customerBody(), bearer(own.key)), outcome))
    line.socket.write(body)
    yield* eventually(() => statusesOf(line).length > 0)
    assert.deepStrictEqual(statusesOf(line), [403])
  })

  it.effect("finds its key and its changes in the audit log of an account", function* () {
    const mine = yield* platform()
    const id = yield* accountOf(mine)
    const second = yield* post("/v1/api-keys", {}, mine.headers)
    yield* post("/v1/customers", customerBody(), acting({ key: second.json.key }, id))
    const own = yield* post(`/v1/accounts/${id}/api-keys`, {}, mine.headers)
    yield* patch("/v1/account", { name: "Otra" }, bearer(own.json.key))
    // No request has acted for this account yet.
    const untouched = yield* accountOf(mine)
    const sql = yield* SqlClient.SqlClient
    const keys = yield* sql`select platform_key from api_keys where account_id = ${untouched}`
    assert.deepStrictEqual(keys, [{ platform_key: mine.api_key_id }])
    const found = (query: string) =>
      Effect.map(get(`/v1/audit-log${query}`, acting(mine, id)), ({ json }) =>
        json.data.map(({ action, actor }: AuditEntry) => [action, actor.type, actor.id])
      )
    const [changed, made, customer, created] = [
      ["account.updated", "api_key", own.json.id],
      ["api_key.created", "platform", mine.api_key_id],
      ["customer.created", "platform", second.json.id],
      ["account.created", "platform", mine.api_key_id]
    ]
    assert.deepStrictEqual(yield* found(""), [changed, made, customer, created])
    assert.deepStrictEqual(yield* found(`?actor=${mine.api_key_id}`), [made, created])
    assert.deepStrictEqual(yield* found(`?actor=${second.json.id}`), [customer])
    assert.deepStrictEqual(yield* found(`?actor=${own.json.id}`), [changed])

    // A status applies to both modes, and so does its entry.
    const live = yield* createKey({ account_id: mine.account_id, livemode: true }, {}, { copyIssuer: false })
    yield* post(`/v1/accounts/${id}/suspend`, { reason: "Mora" }, bearer(live.key))
    const suspended = ["account.suspended", "platform", live.row.id]
    assert.deepStrictEqual(yield* found(`?actor=${live.row.id}`), [suspended])
  })

  it.effect("closes an account for ever once nothing is under way", function* () {
    const mine = yield* platform()
    const id = yield* accountOf(mine)
    const headers = acting(mine, id)
    const customer = yield* post("/v1/customers", customerBody(), headers)
    const invoice = yield* post("/v1/invoices", invoiceBody(customer.json.id), headers)
    yield* seen(`/v1/invoices/${invoice.json.id}`, ({ stage }) => stage === "done", headers)
    const [waiting] = yield* seedDrafts(AccountId.make(id), 1, "queued")
    const close = post(`/v1/accounts/${id}/close`, { reason: "Fin" }, mine.headers)
    assert.deepStrictEqual(outcome(yield* close), [409, "account_not_closable"])
    assert.strictEqual((yield* post(`/v1/invoices/${waiting}/cancel`, undefined, headers)).status, 200)
    assert.strictEqual((yield* close).status, 200)
    // The process still has the status from before.
    const resume = post(`/v1/accounts/${id}/resume`, undefined, mine.headers)
    assert.deepStrictEqual(outcome(yield* resume), [403, "account_closed"])
    const sql = yield* SqlClient.SqlClient
    // A creation that passed its checks before gets no number, and both modes have the entry.
    const ranges = yield* sql`select from resolutions where account_id = ${id} and is_active`
    const logged = yield* sql<{ livemode: boolean; platform_key: string }>`
      select livemode, platform_key_of(actor) as platform_key from audit_log
      where account_id = ${id} and action in ('account.created', 'account.closed') order by livemode, id`
    assert.deepStrictEqual([ranges.length, logged.map(({ livemode }) => livemode)], [0, [false, false, true]])
    assert.isTrue(logged.every(({ platform_key }) => platform_key === mine.api_key_id))
    const attempt = Effect.map(patch("/v1/account", { name: "Otra" }, headers), outcome)
    assert.deepStrictEqual(yield* untilRefused(attempt), [403, "account_closed"])
    assert.deepStrictEqual(outcome(yield* resume), [403, "account_closed"])
    assert.strictEqual((yield* get(`/v1/invoices/${invoice.json.id}`, headers)).status, 200)
    assert.strictEqual((yield* get(`/v1/invoices/${invoice.json.id}/pdf`, headers)).status, 200)
  })

  it.effect(
    "acts for no account after its key was revoked, and neither does a portal session of the key",
    function* () {
      const mine = yield* platform()
      const id = yield* accountOf(mine)
      const second = yield* post("/v1/api-keys", {}, mine.headers)
      assert.strictEqual(second.status, 201, second.text)
      const headers = acting({ key: second.json.key }, id)
      const session = yield* post("/v1/portal-sessions", {}, headers)
      assert.strictEqual(session.status, 201, session.text)
      assert.strictEqual((yield* get("/v1/account", headers)).status, 200)
      yield* send({ method: "DELETE", path: `/v1/api-keys/${second.json.id}`, headers: mine.headers })
      yield* seen("/v1/account", ({ error }) => error?.code === "invalid_api_key", headers)
      const { json } = yield* get(`/v1/portal-sessions/${session.json.id}`, acting(mine, id))
      assert.strictEqual(json.status, "ended")
    }
  )
})
