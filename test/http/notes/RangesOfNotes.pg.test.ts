import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { documentKinds } from "../../../schemas/DocumentKinds.ts"
import { codeOf, settled } from "../../support/apps/Correcting.ts"
import { noteRangeBody, periodNoteBody, resolutionBody } from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { addCustomer } from "../../support/apps/PostgresRows.ts"
import { get, patch, post } from "../../support/apps/Requests.ts"
import { describeLive } from "../../support/Tests.ts"

const listed = (query: string) =>
  Effect.map(get(`/v1/resolutions?limit=100${query}`), ({ json }) =>
    json.data.map(({ prefix }: { readonly prefix: string }) => prefix)
  )

const register = (body: object) => post("/v1/resolutions", body)

for (const [kind, counter] of [
  ["credit_note", "NC"],
  ["debit_note", "ND"]
] as const) {
  const { path } = documentKinds[kind]
  /** The full number of a new note, or the error. */
  const numbered = Effect.fnUntraced(function* (fields: object = {}) {
    const { json, status, text } = yield* post(path, { ...periodNoteBody(yield* addCustomer()), ...fields })
    assert.strictEqual(status, 202, text)
    const note = yield* settled(`${path}/${json.id}`)
    return note.failure?.code ?? note.full_number
  })

  describeLive(app)(`ranges of ${kind}s`, (it) => {
    it.effect("need a prefix and a next number, and show no grant", function* () {
      const { headers, json, status } = yield* register(noteRangeBody(kind, "DV", 501))
      const { created_at: _at, id, ...rest } = json
      assert.deepStrictEqual([status, headers.location], [201, `/v1/resolutions/${id}`])
      assert.deepStrictEqual(rest, {
        object: "resolution",
        livemode: false,
        document_type: kind,
        prefix: "DV",
        from_number: 1,
        to_number: 9_999_999_999,
        is_active: true,
        next_number: 501,
        remaining: 9_999_999_499,
        status: "active",
        warnings: []
      })
      assert.deepStrictEqual((yield* get(`/v1/resolutions/${id}`)).json, json)
      assert.strictEqual(yield* numbered(), "DV501")
      assert.strictEqual(yield* numbered({ prefix: "DV" }), "DV502")
      assert.strictEqual((yield* get(`/v1/resolutions/${id}`)).json.next_number, 503)
      assert.sameMembers(yield* listed(""), ["DV", "SETP"])
      assert.deepStrictEqual(yield* listed(`&document_type=${kind}`), ["DV"], "no counter was made beside it")
      assert.deepStrictEqual(yield* listed("&document_type=invoice"), ["SETP"])
    })

    it.effect("accept no field of a grant, at registration or later", function* () {
      const granted = resolutionBody({ document_type: kind, prefix: "X" })
      const { json } = yield* register(granted)
      assert.deepStrictEqual(
        json.error.errors.map(({ code, param }: Record<string, string>) => [param, code]),
        ["number", "from_number", "to_number", "valid_from", "valid_to", "technical_key"].map((name) => [
          name,
          "parameter_conflict"
        ])
      )
      assert.deepInclude((yield* register({ document_type: kind })).json.error, {
        code: "parameter_missing",
        param: "prefix"
      })
      const range = (yield* register(noteRangeBody(kind, "X"))).json
      const changed = yield* patch(`/v1/resolutions/${range.id}`, { valid_to: "2030-01-01" })
      assert.deepInclude(changed.json.error, { code: "parameter_conflict", param: "valid_to" })
    })

    it.effect("share no full number with any other range of the account", function* () {
      yield* register(noteRangeBody(kind, "Q"))
      const other = kind === "credit_note" ? "debit_note" : "credit_note"
      for (const body of [
        noteRangeBody(kind, "Q", 900),
        noteRangeBody(other, "Q"),
        noteRangeBody(other, "Q1"),
        resolutionBody({ prefix: "Q", from_number: 700, to_number: 800 }),
        noteRangeBody(kind, "SETP")
      ]) {
        assert.deepStrictEqual(codeOf(yield* register(body)), [409, "resolution_overlap"], JSON.stringify(body))
      }
      const free = (yield* register(noteRangeBody(other, "W"))).json
      yield* patch(`/v1/resolutions/${free.id}`, { is_active: false })
      assert.strictEqual((yield* register(noteRangeBody(kind, "W"))).status, 201)
      const back = yield* patch(`/v1/resolutions/${free.id}`, { is_active: true })
      assert.deepStrictEqual(codeOf(back), [409, "resolution_overlap"])
    })
  })

  describeLive(app)(`the ranges of ${kind}s of an account`, (it) => {
    it.effect(
      "number notes from the oldest on, or by prefix; the account's counter serves if no range is active",
      function* () {
        assert.strictEqual(yield* numbered(), `${counter}1`)
        const ids: Array<string> = []
        for (const prefix of ["A", "B"]) ids.push((yield* register(noteRangeBody(kind, prefix))).json.id)
        const activate = (index: number, is_active: boolean) =>
          patch(`/v1/resolutions/${ids[index] ?? ""}`, { is_active })
        assert.strictEqual(yield* numbered(), "A1")
        assert.strictEqual(yield* numbered({ prefix: "B" }), "B1")
        assert.strictEqual(yield* numbered({ prefix: counter }), `${counter}2`)
        yield* activate(0, false)
        assert.strictEqual(yield* numbered(), "B2")
        yield* activate(1, false)
        assert.strictEqual(yield* numbered(), `${counter}3`)
        yield* activate(0, true)
        assert.strictEqual(yield* numbered(), "A2")
        yield* activate(0, false)
        const all = (yield* get(`/v1/resolutions?document_type=${kind}`)).json.data
        const made = all.find(({ prefix }: { readonly prefix: string }) => prefix === counter)
        yield* patch(`/v1/resolutions/${made.id}`, { is_active: false })
        const body = periodNoteBody(yield* addCustomer())
        const refused = yield* post(path, body)
        assert.deepInclude(refused.json.error, { code: "no_numbering_range", param: "prefix" })
        const { json } = yield* post(`${path}/validate`, body)
        assert.deepStrictEqual(json, { object: "validation", valid: false, errors: refused.json.error.errors })
        assert.notProperty(json.errors[0], "rule")
        yield* activate(0, true)
        assert.strictEqual(yield* numbered(), "A3")
        const unknown = yield* post(path, { ...periodNoteBody(yield* addCustomer()), prefix: "SETP" })
        assert.deepInclude(unknown.json.error, { code: "parameter_invalid", param: "prefix" })
        assert.include(unknown.json.error.message, `document_type "${kind}"`)
      }
    )
  })

  describeLive(app)(`an account that deactivates its only range of ${kind}s`, (it) => {
    it.effect("gets a counter from then on", function* () {
      const { json } = yield* register(noteRangeBody(kind, "A"))
      assert.strictEqual(yield* numbered(), "A1")
      yield* patch(`/v1/resolutions/${json.id}`, { is_active: false })
      assert.strictEqual(yield* numbered(), `${counter}1`)
    })
  })

  describeLive(app)(`an account that registers no range of ${kind}s`, (it) => {
    it.effect("may continue where another system stopped, even under the counter's prefix", function* () {
      yield* register(noteRangeBody(kind, counter, 318))
      assert.strictEqual(yield* numbered(), `${counter}318`)
      assert.deepStrictEqual(yield* listed(`&document_type=${kind}`), [counter])
    })
  })
}
