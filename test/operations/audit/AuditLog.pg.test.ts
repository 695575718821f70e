import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { auditActions } from "../../../schemas/AuditEntry.ts"
import { apiKeyIds, keys } from "../../support/apps/Accounts.ts"
import { customerBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { bearer, get, patch, post, send } from "../../support/apps/Requests.ts"
import { until } from "../../support/apps/Until.ts"
import { visitor } from "../../support/portal/Visitor.ts"
import { describeLive } from "../../support/Tests.ts"

interface Entry {
  readonly id: string
  readonly action: string
  readonly object_id: string
  readonly request_id: string
  readonly created_at: string
  readonly ip: string
}

const list = (query: string, headers = {}) =>
  Effect.map(get(`/v1/audit-log?${query}`, headers), ({ json }) => json.data as ReadonlyArray<Entry>)

const actionsOf = (query: string) => Effect.map(list(query), (entries) => entries.map(({ action }) => action))

describeLive(app)("the audit log", (it) => {
  it.effect("shows each change with its actor, its request and the changed fields", function* () {
    const made = yield* post("/v1/customers", customerBody())
    const id = String(made.json.id)
    const changed = yield* patch(`/v1/customers/${id}`, { legal_name: "Otra" })
    yield* send({ method: "DELETE", path: `/v1/customers/${id}` })
    const [removal, update, creation, ...others] = yield* list(`object_id=${id}`)
    assert.deepStrictEqual(others, [])
    assert.isDefined(update)
    const { created_at, id: entryId, ip, ...rest } = update
    assert.deepStrictEqual<unknown>(rest, {
      object: "audit_log_entry",
      livemode: false,
      actor: { type: "api_key", id: apiKeyIds.test },
      action: "customer.updated",
      object_id: id,
      request_id: String(changed.headers["request-id"]),
      details: { changed: ["legal_name"] }
    })
    assert.match(entryId, /^aud_[0-9a-hjkmnp-tv-z]{26}$/)
    assert.match(created_at, /-05:00$/)
    assert.isNotEmpty(ip)
    assert.deepInclude(creation!, { action: "customer.created", request_id: String(made.headers["request-id"]) })
    assert.deepInclude(removal!, { action: "customer.deleted" })
    assert.isTrue(removal!.id > entryId && entryId > creation!.id)
    assert.deepStrictEqual((yield* get(`/v1/audit-log/${entryId}`)).json, update)
  })

  it.effect("pages in both directions, and filters by action, actor and time", function* () {
    for (let number = 0; number < 5; number++) yield* post("/v1/customers", customerBody())
    const query = "action=customer.created"
    const all = yield* list(`${query}&limit=5`)
    const first = yield* list(`${query}&limit=2`)
    const second = yield* list(`${query}&limit=2&starting_after=${first[1]!.id}`)
    assert.deepStrictEqual([...first, ...second], all.slice(0, 4))
    assert.deepStrictEqual(yield* list(`${query}&limit=2&ending_before=${second[0]!.id}`), first)
    yield* post("/v1/api-keys", {})
    assert.deepStrictEqual(yield* actionsOf("action=api_key.created&limit=1"), ["api_key.created"])
    assert.isNotEmpty(yield* list(`actor=${apiKeyIds.test}`))
    assert.deepStrictEqual(yield* list("actor=key_other"), [])
    const [at] = [new Date(Date.now() + 3_600_000).toISOString()]
    assert.deepStrictEqual(yield* list(`created[gte]=${at}`), [])
    assert.isNotEmpty(yield* list(`created[lte]=${at}`))
    const unknown = yield* get("/v1/audit-log?action=customer.eaten")
    assert.deepStrictEqual([unknown.status, unknown.json.error.param], [400, "action"])
  })

  it.effect("shows each account and mode only its own entries", function* () {
    const { json } = yield* post("/v1/customers", customerBody())
    const [{ id }] = (yield* list(`object_id=${json.id}`)) as [Entry]
    for (const key of [keys.live, keys.otherAccount]) {
      assert.deepStrictEqual(yield* list(`object_id=${json.id}`, bearer(key)), [])
      assert.strictEqual((yield* get(`/v1/audit-log/${id}`, bearer(key))).status, 404)
    }
  })

  it.effect("names the portal session, and is sealed within seconds", function* () {
    const reader = yield* visitor()
    const page = yield* reader.see("/portal/setup/audit-log")
    assert.strictEqual(page.status, 200)
    assert.include(page.text, "Portal opened")
    const { json } = yield* get("/v1/audit-log?action=portal_session.entered&limit=1")
    assert.deepInclude(json.data[0].actor, { type: "portal_session", id: json.data[0].object_id })
    const sql = yield* SqlClient.SqlClient
    yield* until(sql`select 1 from audit_log where position is null`, (rows) => rows.length === 0)
  })

  it.effect("records a note's and an annulment's documents", function* () {
    const customer = yield* post("/v1/customers", customerBody())
    const invoice = yield* post("/v1/invoices", invoiceBody(customer.json.id))
    const { id } = invoice.json
    yield* until(get(`/v1/invoices/${id}`), ({ json }) => json.status === "accepted_by_authority")
    const note = yield* post(`/v1/invoices/${id}/annul`, { reason: "Error" })
    assert.strictEqual(note.status, 202, note.text)
    assert.deepStrictEqual(yield* actionsOf(`object_id=${id}`), ["document.annulled", "document.created"])
    assert.deepStrictEqual(yield* actionsOf(`object_id=${note.json.id}`), ["document.created"])
  })

  it.effect("answers each filter from an index", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      insert into audit_log (account_id, livemode, actor, action, object_id, details)
      select id, false, 'key_many', 'document.created', 'inv_' || n, '{}' from accounts, generate_series(1, 20000) n`
    yield* sql`analyze audit_log`
    const plan = (condition: string) =>
      Effect.map(
        sql.unsafe<{ "QUERY PLAN": string }>(
          `explain select id from audit_log where account_id = (select min(id) from accounts) and livemode = false and ${condition} order by id desc limit 11`
        ),
        (rows) => rows.map((row) => row["QUERY PLAN"]).join("\n")
      )
    assert.include(yield* plan("actor = 'ps_1'"), "audit_log_actors")
    assert.include(yield* plan("object_id = 'inv_7'"), "audit_log_objects")
    assert.include(
      yield* plan("action = 'api_key.revoked' and action not in ('customer.created', 'document.created')"),
      "audit_log_actions"
    )
    assert.include(yield* plan("action = 'document.created'"), "audit_log_pkey")
  })

  it.effect("has words for all its actions in both languages", function* () {
    const reader = yield* visitor()
    for (const language of ["en", "es"]) {
      const { text } = yield* reader.see(`/portal/setup/audit-log?lang=${language}`)
      for (const action of auditActions) assert.include(text, `<option value="${action}"`)
    }
  })
})
