import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { get, send } from "../../support/apps/Requests.ts"
import { describeOn } from "../../support/Tests.ts"

// Tables 2.6 to 2.10 of the interface.
const catalogs = {
  "medios-pago": ["10", "47", "48", "30", "31", "20", "42", "71", "49"],
  "tipo-identificacion": ["31", "13", "22", "21", "41", "12", "11", "50"],
  "unidad-medida": ["94", "KGM", "MTR", "LTR", "HUR", "DAY", "NAR"],
  tributos: ["01", "04", "03", "02", "ZZ"],
  "tipo-operacion": ["10", "09", "11"],
  // Those of the authority.
  "concepto-nota-credito": ["1", "2", "3", "4", "5", "6"],
  "concepto-nota-debito": ["1", "2", "3", "4"]
}

const cases = Object.entries(catalogs).map(([name, codes]) => ({ name, codes, path: `/v1/catalogs/${name}` }))

describeOn(app)("catalogs", (it) => {
  it.effect.each(cases)("$name holds the codes of the interface, each with its names", function* ({ codes, path }) {
    const { json, status } = yield* get(path)
    assert.strictEqual(status, 200)
    assert.deepInclude(json, { object: "list", url: path, has_more: false })
    assert.deepStrictEqual(
      json.data.map((item: { readonly code: string }) => item.code),
      codes
    )
    for (const item of json.data) {
      assert.strictEqual(item.object, "catalog_item")
      assert.isNotEmpty(item.name)
      assert.isNotEmpty(item.name_en)
    }
  })

  it.effect.each(cases)("$name may be kept for 24 hours, and is not sent again to who holds it", function* ({ path }) {
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
  })

  it.effect("have a tag each, and need a key", function* () {
    const replies = yield* Effect.forEach(cases, ({ path }) => get(path))
    assert.strictEqual(new Set(replies.map(({ headers }) => headers.etag)).size, cases.length)
    for (const { path } of cases) {
      assert.strictEqual((yield* get(path, { authorization: undefined, "if-none-match": "*" })).status, 401)
    }
  })
})
