import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { localDate } from "../../../src/runtime/AuthorityTime.ts"
import { customerBody, invoiceBody, resolutionBody } from "../../support/apps/Invoices.ts"
import { rangeId, testMode } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { settled } from "../../support/apps/Correcting.ts"
import { rowCount } from "../../support/database/Owners.ts"
import { lockRows } from "../../support/database/TwoOwners.ts"
import { get, patch, post } from "../../support/apps/Requests.ts"
import { describeLive } from "../../support/Tests.ts"

const patchRange = (id: string, body: object) => patch(`/v1/resolutions/${id}`, body)

const outcomeOf = Effect.fnUntraced(function* (id: string) {
  const json = yield* settled(`/v1/invoices/${id}`)
  return [json.status, json.full_number, json.failure?.code ?? null]
})

/** The date so many days from now, in the authority's zone. */
const dayIn = (days: number) => localDate(Date.now() + days * 86_400_000)

const create = Effect.fnUntraced(function* (fields: object = {}) {
  const customer = yield* post("/v1/customers", customerBody())
  const { json } = yield* post("/v1/invoices", { ...invoiceBody(customer.json.id), ...fields })
  return String(json.id)
})

/** An invoice with its number, or the reason that it has none. */
const issue = Effect.flatMap(create(), outcomeOf)

/** Creation and validation reject an invoice with these fields for the same reason, and store nothing. */
const isRefused = Effect.fnUntraced(function* (fields: object, expected: object) {
  const customer = yield* post("/v1/customers", customerBody())
  const body = { ...invoiceBody(customer.json.id), ...fields }
  const before = yield* rowCount("invoices")
  const refused = yield* post("/v1/invoices", body)
  assert.strictEqual(refused.status, 400, refused.text)
  const { json } = yield* post("/v1/invoices/validate", body)
  assert.deepStrictEqual(json, { object: "validation", valid: false, errors: refused.json.error.errors })
  assert.deepInclude(json.errors[0], { param: "prefix", ...expected })
  assert.strictEqual(yield* rowCount("invoices"), before)
})

const issueFrom = (prefix: string) => Effect.flatMap(create({ prefix }), outcomeOf)

describeLive(app)("resolutions", (it) => {
  it.effect("appear as registered, with their remaining numbers", function* () {
    const sent = resolutionBody({ prefix: "R", from_number: 100, to_number: 199, next_number: 150 })
    const { headers, json, status } = yield* post("/v1/resolutions", sent)
    assert.strictEqual(status, 201)
    assert.strictEqual(headers.location, `/v1/resolutions/${json.id}`)
    const { created_at, id, ...rest } = json
    assert.match(id, /^res_[0-9a-hjkmnp-tv-z]{26}$/)
    assert.match(created_at, /-05:00$/)
    assert.deepStrictEqual(rest, {
      ...sent,
      object: "resolution",
      livemode: false,
      document_type: "invoice",
      is_active: true,
      remaining: 50,
      status: "active",
      warnings: []
    })
    assert.deepStrictEqual((yield* get(headers.location ?? "")).json, json)
    const { data } = (yield* get("/v1/resolutions")).json
    assert.deepStrictEqual(
      data.filter((one: { readonly id: string }) => one.id === id),
      [json]
    )
  })

  it.effect("allow changes of some fields, with a new check", function* () {
    const { json: made } = yield* post("/v1/resolutions", resolutionBody({ prefix: "C" }))
    for (const [change, changed] of [
      [{}, {}],
      [{ is_active: false }, { is_active: false, status: "inactive" }],
      [{ valid_to: dayIn(-1) }, { valid_to: dayIn(-1), status: "expired" }],
      [
        { valid_to: dayIn(0), is_active: true },
        {
          valid_to: dayIn(0),
          is_active: true,
          status: "active",
          warnings: [
            {
              code: "expires_soon",
              message: "The range expires today. Ask the authority to extend it, or for another one."
            }
          ]
        }
      ]
    ]) {
      Object.assign(made, changed)
      const reply = yield* patchRange(made.id, change ?? {})
      assert.strictEqual(reply.status, 200, reply.text)
      assert.deepStrictEqual(reply.json, made)
      assert.deepStrictEqual((yield* get(`/v1/resolutions/${made.id}`)).json, made)
    }
    const refused = yield* patchRange(made.id, { valid_to: "2025-01-01" })
    assert.deepInclude(refused.json.error, { code: "parameter_invalid", param: "valid_to" })
    assert.deepStrictEqual((yield* get(`/v1/resolutions/${made.id}`)).json, made)
  })

  it.effect("registered by mistake can be deactivated and replaced, and then not reactivated", function* () {
    const { json: wrong } = yield* post("/v1/resolutions", resolutionBody({ prefix: "W", number: "1" }))
    const right = resolutionBody({ prefix: "W", number: "2" })
    assert.strictEqual((yield* post("/v1/resolutions", right)).json.error.code, "resolution_overlap")
    yield* patchRange(wrong.id, { is_active: false })
    assert.strictEqual((yield* post("/v1/resolutions", right)).status, 201)
    const back = yield* patchRange(wrong.id, { is_active: true })
    assert.deepStrictEqual([back.status, back.json.error.code], [409, "resolution_overlap"])
  })

  it.effect(
    "number invoices, the oldest active range first; a new range serves new drafts without another step",
    function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`update resolutions set is_active = false where id <> ${rangeId(testMode)}`
      assert.deepStrictEqual(yield* issue, ["accepted_by_authority", "SETP990000000", null])
      yield* patchRange(rangeId(testMode), { is_active: false })
      yield* isRefused({}, { code: "no_numbering_range" })
      const two = { from_number: 7, to_number: 8 }
      const { json } = yield* post("/v1/resolutions", resolutionBody({ prefix: "N", ...two }))
      assert.deepStrictEqual(yield* issue, ["accepted_by_authority", "N7", null])
      assert.deepStrictEqual(yield* issue, ["accepted_by_authority", "N8", null])
      yield* isRefused({}, { code: "range_exhausted", rule: "FAD05c" })
      assert.deepInclude((yield* get(`/v1/resolutions/${json.id}`)).json, {
        status: "exhausted",
        remaining: 0,
        next_number: 9
      })
      yield* patchRange(rangeId(testMode), { is_active: true })
      assert.deepStrictEqual(yield* issue, ["accepted_by_authority", "SETP990000001", null])
    }
  )
})

describeLive(app)("several ranges", (it) => {
  it.effect(
    "an invoice gets its number from the prefix that it names, or else from the oldest range that serves",
    function* () {
      for (const prefix of ["FA", "FB", ""]) yield* post("/v1/resolutions", resolutionBody({ prefix }))
      assert.deepStrictEqual(yield* issueFrom("FB"), ["accepted_by_authority", "FB1", null])
      assert.deepStrictEqual(yield* issueFrom("FA"), ["accepted_by_authority", "FA1", null])
      assert.deepStrictEqual(yield* issueFrom("FB"), ["accepted_by_authority", "FB2", null])
      assert.deepStrictEqual(yield* issueFrom(""), ["accepted_by_authority", "1", null])
      // In the order of their ids: the test's own range comes last.
      assert.deepStrictEqual(yield* issue, ["accepted_by_authority", "FA2", null])
    }
  )

  it.effect("an unknown prefix is an error of creation and of validation", function* () {
    const customer = yield* post("/v1/customers", customerBody())
    const body = { ...invoiceBody(customer.json.id), prefix: "ZZ" }
    const refused = yield* post("/v1/invoices", body)
    const { json } = yield* post("/v1/invoices/validate", body)
    assert.deepStrictEqual(json, { object: "validation", valid: false, errors: refused.json.error.errors })
    assert.deepInclude(json.errors[0], { param: "prefix", code: "parameter_invalid" })
  })

  it.effect(
    "a draft fails if its range is exhausted before it has a number, and a retry uses the next range",
    function* () {
      yield* post("/v1/resolutions", resolutionBody({ prefix: "X", from_number: 1, to_number: 1 }))
      const sql = yield* SqlClient.SqlClient
      const held = yield* lockRows(sql`resolutions where prefix = 'X'`)
      const [first, id] = [yield* create({ prefix: "X" }), yield* create({ prefix: "X" })]
      yield* held.release
      assert.deepStrictEqual(yield* outcomeOf(first), ["accepted_by_authority", "X1", null])
      assert.deepStrictEqual(yield* outcomeOf(id), ["failed", "", "range_exhausted"])
      assert.include((yield* get(`/v1/invoices/${id}`)).json.failure.message, '"X"')
      const early = yield* post(`/v1/invoices/${id}/retry`)
      assert.strictEqual(early.status, 202)
      assert.deepStrictEqual(yield* outcomeOf(id), ["failed", "", "range_exhausted"])
      yield* post("/v1/resolutions", resolutionBody({ prefix: "X", from_number: 2, to_number: 9 }))
      assert.strictEqual((yield* post(`/v1/invoices/${id}/retry`)).status, 202)
      assert.deepStrictEqual(yield* outcomeOf(id), ["accepted_by_authority", "X2", null])
    }
  )

  it.effect("an expired range creates no invoice until it is extended, and then the same key works", function* () {
    const past = resolutionBody({ prefix: "Y", valid_to: dayIn(-1) })
    const { json: range } = yield* post("/v1/resolutions", past)
    assert.deepInclude(range, { status: "expired" })
    yield* isRefused({ prefix: "Y" }, { code: "range_expired", rule: "FAB08a" })
    assert.strictEqual((yield* get(`/v1/resolutions/${range.id}`)).json.next_number, 1)
    yield* patchRange(range.id, { valid_to: "2029-12-31" })
    const body = { ...invoiceBody((yield* post("/v1/customers", customerBody())).json.id), prefix: "Y" }
    const made = yield* post("/v1/invoices", body, { "idempotency-key": "Y" })
    assert.deepStrictEqual(yield* outcomeOf(made.json.id), ["accepted_by_authority", "Y1", null])
    // The range has expired since, and the key still returns the response of the creation.
    yield* patchRange(range.id, { valid_to: dayIn(-1) })
    yield* isRefused({ prefix: "Y" }, { code: "range_expired", rule: "FAB08a" })
    const again = yield* post("/v1/invoices", body, { "idempotency-key": "Y" })
    assert.deepStrictEqual([again.status, again.text], [202, made.text])
  })

  it.effect("an invoice can be created as soon as its range exists, with the key of the earlier error", function* () {
    const body = { ...invoiceBody((yield* post("/v1/customers", customerBody())).json.id), prefix: "NEW" }
    const ask = post("/v1/invoices", body, { "idempotency-key": "new" })
    assert.strictEqual((yield* ask).status, 400)
    yield* post("/v1/resolutions", resolutionBody({ prefix: "NEW" }))
    assert.deepStrictEqual(yield* outcomeOf((yield* ask).json.id), ["accepted_by_authority", "NEW1", null])
  })

  it.effect("a range warns before it stops serving", function* () {
    const body = resolutionBody({ prefix: "V", to_number: 10, next_number: 10, valid_to: dayIn(30) })
    const { json } = yield* post("/v1/resolutions", body)
    assert.deepStrictEqual(json.warnings, [
      {
        code: "few_numbers_left",
        message: "1 of 10 numbers are left. Ask the authority for another range and register it."
      },
      {
        code: "expires_soon",
        message: `The range expires on ${dayIn(30)}. Ask the authority to extend it, or for another one.`
      }
    ])
    assert.deepStrictEqual((yield* patchRange(json.id, { is_active: false })).json.warnings, [])
  })
})
