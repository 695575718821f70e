import { assert, it as test } from "@effect/vitest"
import { Effect } from "effect"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { get, send } from "../../support/apps/Requests.ts"
import { paymentMeans, units } from "../../../schemas/Code.ts"
import { describeLive } from "../../support/Tests.ts"

// Tables 2.6 to 2.10 of the interface: their codes come first in the catalogs. Then the authority's number of codes.
const tables: Readonly<Record<string, readonly [codes: ReadonlyArray<string>, count: number]>> = {
  "medios-pago": [["10", "47", "48", "30", "31", "20", "42", "71", "49"], 77],
  "tipo-identificacion": [["31", "13", "22", "21", "41", "12", "11", "50", "42", "47", "48", "91"], 12],
  // The authority's 1,093 codes, and the right codes of Recommendation 20 for those that its list misspells.
  "unidad-medida": [["94", "KGM", "MTR", "LTR", "HUR", "DAY", "NAR"], 1114],
  tributos: [["01", "04", "03", "02", "22", "23", "24", "32", "33", "34", "35", "36", "ZZ"], 13],
  "tipo-operacion": [["10", "09", "11"], 3],
  "concepto-nota-credito": [["1", "2", "3", "4", "5", "6"], 6],
  "concepto-nota-debito": [["1", "2", "3", "4"], 4],
  retenciones: [["05", "06", "07"], 3],
  "estandar-item": [["999", "001", "010", "020"], 4],
  "precio-referencia": [["01", "02", "03"], 3],
  "tipo-descuento": [["00", "01"], 2],
  incoterms: [["CFR", "CIF", "CIP", "CPT", "DAP", "DAT", "DDP", "DPU", "EXW", "FAS", "FCA", "FOB"], 12],
  "responsabilidad-fiscal": [["O-13", "O-15", "O-23", "O-47", "R-99-PN"], 5]
}

const cases = Object.entries(tables).map(([name, [codes, count]]) => ({
  name,
  codes,
  count,
  path: `/v1/catalogs/${name}`
}))

describeLive(app)("catalogs", (it) => {
  it.effect.each(cases)(
    "$name contains the codes of the interface, each with its names",
    function* ({ codes, count, path }) {
      const { json, status, text } = yield* get(path)
      assert.strictEqual(status, 200)
      assert.deepInclude(json, { object: "list", url: path, has_more: false })
      const found: ReadonlyArray<string> = json.data.map((item: { readonly code: string }) => item.code)
      assert.deepStrictEqual(found.slice(0, codes.length), codes)
      assert.deepStrictEqual([found.length, new Set(found).size], [count, count], "no code twice")
      assert.isBelow(Buffer.byteLength(text), 120_000)
      for (const item of json.data) {
        assert.strictEqual(item.object, "catalog_item")
        assert.isNotEmpty(item.name)
        assert.isNotEmpty(item.name_en)
      }
    }
  )

  it.effect.each(cases)(
    "$name may be cached for 24 hours, and is sent again only if it has changed",
    function* ({ path }) {
      const first = yield* get(path)
      const etag = String(first.headers.etag)
      assert.match(etag, /^"[^"]+"$/, "a strong tag")
      assert.strictEqual(first.headers["cache-control"], "private, max-age=86400")
      for (const held of [etag, `W/${etag}`, `"other", ${etag}`, `W/"a",W/${etag}`, `"x,y" , ${etag}`, " * "]) {
        const again = yield* get(path, { "if-none-match": held })
        assert.strictEqual(again.status, 304, held)
        assert.strictEqual(again.text, "")
        for (const name of ["content-type", "content-length", "transfer-encoding"]) {
          assert.isUndefined(again.headers[name], name)
        }
        const head = yield* send({ method: "HEAD", path, headers: { "if-none-match": held } })
        assert.deepStrictEqual([head.status, head.text, head.headers.etag], [304, "", etag])
        assert.strictEqual(again.headers.etag, etag)
        assert.strictEqual(again.headers["cache-control"], "private, max-age=86400")
      }
      for (const held of ['"other"', etag.slice(1, -1), `"${etag.slice(1, -1)}, x"`, '"*"', ""]) {
        const again = yield* get(path, { "if-none-match": held })
        assert.strictEqual(again.status, 200, held)
        assert.strictEqual(again.text, first.text)
      }
    }
  )

  it.effect("have an entity tag each, and need a key", function* () {
    const replies = yield* Effect.forEach(cases, ({ path }) => get(path))
    assert.strictEqual(new Set(replies.map(({ headers }) => headers.etag)).size, cases.length)
    for (const { path } of cases) {
      assert.strictEqual((yield* get(path, { authorization: undefined, "if-none-match": "*" })).status, 401)
    }
  })
})

const english = (code: string) => units.find((unit) => unit.code === code)?.name_en

test("the units and means of payment have well-formed names", () => {
  for (const { code, name, name_en } of [...units, ...paymentMeans]) {
    assert.match(name, /^[\p{Lu}\d].*[^\s.,]$/u, code)
    assert.notMatch(name + name_en, /[Ãâ\ufffd]|  /u, code)
  }
  assert.deepStrictEqual(["MON", "LUN", "KWH"].map(english), [
    "month",
    "month (as the authority's list spells MON)",
    "kilowatt hour"
  ])
})
