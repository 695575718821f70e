import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { customerBody, invoiceBody, resolutionBody } from "../support/Invoices.ts"
import { layer as app, rangeId, testMode } from "../support/MemoryApp.ts"
import { MemoryTables } from "../support/MemoryTables.ts"
import { get, post, send } from "../support/Requests.ts"

const patch = (id: string, body: object) => send({ method: "PATCH", path: `/v1/resolutions/${id}`, body })

/** An invoice with its number, or what kept it from having one. */
const issue = Effect.gen(function* () {
  const { until } = yield* MemoryTables
  const customer = yield* post("/v1/customers", customerBody())
  const { json } = yield* post("/v1/invoices", invoiceBody(customer.json.id))
  yield* until(({ invoices }) => invoices.get(json.id)?.next_action_at === null)
  const invoice = yield* get(`/v1/invoices/${json.id}`)
  return [invoice.json.status, invoice.json.full_number, invoice.json.failure?.code ?? null]
})

layer(app)("resolutions", (it) => {
  it.effect("are shown as they were registered, with what is left of them", () =>
    Effect.gen(function* () {
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
  )

  it.effect("change in what may change, and are checked again", () =>
    Effect.gen(function* () {
      const { json: made } = yield* post("/v1/resolutions", resolutionBody({ prefix: "C" }))
      for (const [change, changed] of [
        [{}, {}],
        [{ is_active: false }, { is_active: false, status: "inactive" }],
        [{ valid_to: "2026-11-20" }, { valid_to: "2026-11-20", status: "expired" }],
        [
          { valid_to: "2026-11-21", is_active: true },
          {
            valid_to: "2026-11-21",
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
        const reply = yield* patch(made.id, change ?? {})
        assert.strictEqual(reply.status, 200, reply.text)
        assert.deepStrictEqual(reply.json, made)
        assert.deepStrictEqual((yield* get(`/v1/resolutions/${made.id}`)).json, made)
      }
      const refused = yield* patch(made.id, { valid_to: "2025-01-01" })
      assert.deepInclude(refused.json.error, { code: "parameter_invalid", param: "valid_to" })
      assert.deepStrictEqual((yield* get(`/v1/resolutions/${made.id}`)).json, made)
    })
  )

  it.effect("registered by mistake can be put away and registered rightly, and then not come back", () =>
    Effect.gen(function* () {
      const { json: wrong } = yield* post("/v1/resolutions", resolutionBody({ prefix: "W", number: "1" }))
      const right = resolutionBody({ prefix: "W", number: "2" })
      assert.strictEqual((yield* post("/v1/resolutions", right)).json.error.code, "resolution_overlap")
      yield* patch(wrong.id, { is_active: false })
      assert.strictEqual((yield* post("/v1/resolutions", right)).status, 201)
      const back = yield* patch(wrong.id, { is_active: true })
      assert.deepStrictEqual([back.status, back.json.error.code], [409, "resolution_overlap"])
    })
  )

  it.effect(
    "are what invoices are numbered from: the oldest that is active; a new one is all that new drafts need",
    () =>
      Effect.gen(function* () {
        const { tables } = yield* MemoryTables
        tables.resolutions.forEach((row, id) =>
          tables.resolutions.set(id, { ...row, is_active: row.id === rangeId(testMode) })
        )
        assert.deepStrictEqual(yield* issue, ["accepted_by_authority", "SETP990000000", null])
        yield* patch(rangeId(testMode), { is_active: false })
        assert.deepStrictEqual(yield* issue, ["failed", "", "no_numbering_range"])
        const two = { from_number: 7, to_number: 8 }
        const { json } = yield* post("/v1/resolutions", resolutionBody({ prefix: "N", ...two }))
        assert.deepStrictEqual(yield* issue, ["accepted_by_authority", "N7", null])
        assert.deepStrictEqual(yield* issue, ["accepted_by_authority", "N8", null])
        assert.deepStrictEqual(yield* issue, ["failed", "", "range_exhausted"])
        assert.deepInclude((yield* get(`/v1/resolutions/${json.id}`)).json, {
          status: "exhausted",
          remaining: 0,
          next_number: 9
        })
        yield* patch(rangeId(testMode), { is_active: true })
        assert.deepStrictEqual(yield* issue, ["accepted_by_authority", "SETP990000001", null])
      })
  )
})
