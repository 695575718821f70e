import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { colombianSandbox } from "../../../../src/documents/rules/parties/SandboxIds.ts"
import { Certificates } from "../../../../src/accounts/store/Certificates.ts"
import { account, apiKeyIds, firstNumber, keys, otherAccount, rangeId } from "../../../support/apps/Accounts.ts"
import { layer as app } from "../../../support/apps/PostgresApp.ts"
import { localDate } from "../../../../src/runtime/AuthorityTime.ts"
import { change, changeMode, pastGuards } from "../../../support/apps/PostgresRows.ts"
import { bearer, get, patch, post, send } from "../../../support/apps/Requests.ts"
import { invoiceBody } from "../../../support/apps/Invoices.ts"
import { describeLive } from "../../../support/Tests.ts"

const live = bearer(keys.live)
const liveMode = { account_id: account, livemode: true }
const { issuer } = colombianSandbox
// A version that no other issuer has had.
const whole = { issuer: { ...issuer, vat_responsible: true }, issuer_version: 1_000 }
const noIssuer = { issuer: null, issuer_version: 0 }
const range = rangeId(liveMode)

/** The steps for keys of both modes, which are the same. */
const codes = Effect.gen(function* () {
  const [mine, theirs] = [yield* get("/v1/account", live), yield* get("/v1/account")]
  assert.deepStrictEqual(mine.json.live, theirs.json.live)
  assert.strictEqual(mine.json.live.ready, mine.json.live.steps.length === 0)
  return mine.json.live.steps.map(({ code }: { code: string }) => code) as ReadonlyArray<string>
})

const software = { id: "56f2ae4e-9812-4fad-9255-08fcfcd5ccb0", pin: "canary-pin" }
const put = (body: object) => send({ method: "PUT", path: "/v1/account/software", headers: live, body })

const refusal = Effect.map(post("/v1/invoices", invoiceBody("cust_none"), live), ({ json }) => json.error)

describeLive(app)("the live steps of an account", (it) => {
  it.effect("report that the account is ready if nothing is missing", function* () {
    assert.deepStrictEqual(yield* codes, [])
    assert.deepStrictEqual((yield* get("/v1/account")).json.live, { ready: true, steps: [] })
  })

  it.effect("name each missing thing in the words of the error at creation", function* () {
    const sql = yield* SqlClient.SqlClient
    const { forget } = yield* Certificates
    const certificates = (account_id: string, other: string) =>
      Effect.andThen(
        pastGuards(sql`update certificates set account_id = ${account_id} where account_id = ${other}`),
        forget(account)
      )
    const cases = [
      ["issuer", changeMode(liveMode, noIssuer), changeMode(liveMode, whole)],
      ["vat_responsible", changeMode(liveMode, { issuer }), changeMode(liveMode, whole)],
      ["certificate", certificates(otherAccount, account), certificates(account, otherAccount)]
    ] as const
    for (const [code, lose, restore] of cases) {
      yield* lose
      assert.deepStrictEqual(yield* codes, [code])
      const [step] = (yield* get("/v1/account")).json.live.steps
      const error = yield* refusal
      assert.strictEqual(error.code, "account_not_live")
      assert.strictEqual(error.message.split(": ")[1].toLowerCase(), step.message.toLowerCase())
      yield* restore
      assert.deepStrictEqual(yield* codes, [])
    }
  })

  it.effect("require a range, and another one if the last range is exhausted or has expired", function* () {
    const before = { is_active: true, next_number: firstNumber, valid_to: "2030-01-19" }
    const yesterday = localDate(Date.now() - 86_400_000)
    for (const lacking of [{ is_active: false }, { next_number: 995_000_001n }, { valid_to: yesterday }]) {
      yield* change("resolutions", range, { ...before, ...lacking })
      assert.deepStrictEqual(yield* codes, ["numbering_range"])
    }
    yield* change("resolutions", range, { ...before, document_type: "credit_note" })
    assert.deepStrictEqual(yield* codes, ["enablement", "numbering_range"])
    yield* change("resolutions", range, { document_type: "invoice" })
    assert.deepStrictEqual(yield* codes, [])
  })

  it.effect("require a live key, for a test key", function* () {
    yield* change("api_keys", apiKeyIds.live, { revoked_at: new Date(0) })
    const { json } = yield* get("/v1/account")
    yield* change("api_keys", apiKeyIds.live, { revoked_at: null })
    assert.deepStrictEqual(
      json.live.steps.map(({ code }: { code: string }) => code),
      ["live_key"]
    )
  })

  it.effect("appear in every response with the account, also after a change", function* () {
    yield* changeMode(liveMode, { issuer })
    const named = yield* patch("/v1/account", { name: "En pruebas" })
    assert.strictEqual(named.json.live.steps[0].code, "vat_responsible")
    const reported = yield* patch("/v1/account", { vat_responsible: true }, live)
    assert.deepStrictEqual(reported.json.live, { ready: true, steps: [] })
    assert.deepStrictEqual(reported.json, (yield* get("/v1/account", live)).json)
  })

  it.effect(
    "PUT /v1/account/software returns the software without its PIN, and is possible before the issuer",
    function* () {
      assert.isNull((yield* get("/v1/account", live)).json.software)
      yield* changeMode(liveMode, noIssuer)
      const early = yield* put(software)
      assert.strictEqual(early.status, 200, early.text)
      assert.deepInclude(early.json.software, { id: software.id, provider_nit: null })
      yield* changeMode(liveMode, { ...whole, issuer_version: 2_000 })
      const shown = yield* get("/v1/account", live)
      assert.deepInclude(shown.json.software, { id: software.id, provider_nit: "900373115-3" })
      assert.isNull((yield* get("/v1/account")).json.software, "of test mode")
      const provided = yield* put({ ...software, provider_nit: "800197268" })
      assert.deepInclude(provided.json.software, { provider_nit: "800197268-4" })
      const removed = yield* send({ method: "DELETE", path: "/v1/account/software", headers: live })
      assert.isNull(removed.json.software)
      for (const { text } of [early, shown, provided, removed]) assert.notInclude(text, software.pin)
      const sql = yield* SqlClient.SqlClient
      for (const table of ["audit_log", "requests", "idempotency_keys", "softwares"]) {
        const rows = yield* sql<{ row: string }>`select t::text as row from ${sql(table)} t`
        assert.notInclude(JSON.stringify(rows), software.pin, table)
      }
    }
  )
})
