import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { existing, MemoryTables } from "../../../support/memory/MemoryTables.ts"
import { account, apiKeyIds, keys, rangeId } from "../../../support/apps/Accounts.ts"
import { layer as app } from "../../../support/apps/MemoryApp.ts"
import { bearer, get, patch, post, send } from "../../../support/apps/Requests.ts"
import { invoiceBody } from "../../../support/apps/Invoices.ts"
import { describeOn } from "../../../support/Tests.ts"

const live = bearer(keys.live)
const liveRow = `${account}|true`
const range = rangeId({ account_id: account, livemode: true })

/** The steps that keys of both modes see, which are the same. */
const codes = Effect.gen(function* () {
  const [mine, theirs] = [yield* get("/v1/account", live), yield* get("/v1/account")]
  assert.deepStrictEqual(mine.json.live, theirs.json.live)
  assert.strictEqual(mine.json.live.ready, mine.json.live.steps.length === 0)
  return mine.json.live.steps.map(({ code }: { code: string }) => code) as ReadonlyArray<string>
})

const refusal = Effect.map(post("/v1/invoices", invoiceBody("cust_none"), live), ({ json }) => json.error)

describeOn(app)("live of an account", (it) => {
  it.effect("is ready when nothing is missing", function* () {
    assert.deepStrictEqual(yield* codes, [])
    assert.deepStrictEqual((yield* get("/v1/account")).json.live, { ready: true, steps: [] })
  })

  it.effect("names each thing that is missing, in the words with which an invoice is refused", function* () {
    const { tables } = yield* MemoryTables
    const row = existing(tables.accounts, liveRow)
    const { vat_responsible: _vat, ...untold } = row.issuer!
    const cases = [
      ["issuer", () => tables.accounts.set(liveRow, { ...row, issuer: null, issuer_version: 0 })],
      ["vat_responsible", () => tables.accounts.set(liveRow, { ...row, issuer: untold })],
      ["certificate", () => tables.certificates.clear()]
    ] as const
    const certificates = [...tables.certificates]
    for (const [code, lose] of cases) {
      lose()
      assert.deepStrictEqual(yield* codes, [code])
      const [step] = (yield* get("/v1/account")).json.live.steps
      const error = yield* refusal
      assert.strictEqual(error.code, "account_not_live")
      assert.strictEqual(error.message.split(": ")[1].toLowerCase(), step.message.toLowerCase())
      tables.accounts.set(liveRow, row)
      for (const [id, certificate] of certificates) tables.certificates.set(id, certificate)
    }
    assert.deepStrictEqual(yield* codes, [])
  })

  it.effect("asks for a range, and for another one when the last has no number left or has expired", function* () {
    const { tables } = yield* MemoryTables
    const row = existing(tables.resolutions, range)
    for (const change of [{ is_active: false }, { next_number: row.to_number + 1n }, { valid_to: "2026-11-20" }]) {
      tables.resolutions.set(range, { ...row, ...change })
      assert.deepStrictEqual(yield* codes, ["numbering_range"])
    }
    tables.resolutions.delete(range)
    assert.deepStrictEqual(yield* codes, ["enablement", "numbering_range"])
    tables.resolutions.set(range, row)
    assert.deepStrictEqual(yield* codes, [])
  })

  it.effect("asks a test key for a live key", function* () {
    const { tables } = yield* MemoryTables
    const row = existing(tables.apiKeys, apiKeyIds.live)
    tables.apiKeys.set(apiKeyIds.live, { ...row, revoked_at: new Date(0) })
    const { json } = yield* get("/v1/account")
    tables.apiKeys.set(apiKeyIds.live, row)
    assert.deepStrictEqual(
      json.live.steps.map(({ code }: { code: string }) => code),
      ["live_key"]
    )
  })

  it.effect("is part of every answer that gives the account, as after the change", function* () {
    const { tables } = yield* MemoryTables
    const row = existing(tables.accounts, liveRow)
    const { vat_responsible: _vat, ...untold } = row.issuer!
    tables.accounts.set(liveRow, { ...row, issuer: untold })
    const named = yield* patch("/v1/account", { name: "En pruebas" })
    assert.strictEqual(named.json.live.steps[0].code, "vat_responsible")
    const told = yield* patch("/v1/account", { vat_responsible: true }, live)
    assert.deepStrictEqual(told.json.live, { ready: true, steps: [] })
    assert.deepStrictEqual(told.json, (yield* get("/v1/account", live)).json)
  })
})

const software = { id: "56f2ae4e-9812-4fad-9255-08fcfcd5ccb0", pin: "canary-pin" }
const put = (body: object) => send({ method: "PUT", path: "/v1/account/software", headers: live, body })

describeOn(app)("PUT /v1/account/software", (it) => {
  it.effect("is answered with the software, never with its PIN, and may come before the issuer", function* () {
    const { tables } = yield* MemoryTables
    const row = existing(tables.accounts, liveRow)
    assert.isNull((yield* get("/v1/account", live)).json.software)
    tables.accounts.set(liveRow, { ...row, issuer: null, issuer_version: 0 })
    const early = yield* put(software)
    assert.strictEqual(early.status, 200, early.text)
    assert.deepInclude(early.json.software, { id: software.id, provider_nit: null })
    const { issuer } = row
    tables.accounts.set(liveRow, { ...existing(tables.accounts, liveRow), issuer, issuer_version: 1 })
    const shown = yield* get("/v1/account", live)
    assert.deepInclude(shown.json.software, { id: software.id, provider_nit: "900373115-3" })
    assert.isNull((yield* get("/v1/account")).json.software, "of test mode")
    const provided = yield* put({ ...software, provider_nit: "800197268" })
    assert.deepInclude(provided.json.software, { provider_nit: "800197268-4" })
    const removed = yield* send({ method: "DELETE", path: "/v1/account/software", headers: live })
    assert.isNull(removed.json.software)
    for (const { text } of [early, shown, provided, removed]) assert.notInclude(text, software.pin)
    assert.notInclude(JSON.stringify([...tables.auditLog, ...tables.requests.values()]), software.pin)
  })
})
