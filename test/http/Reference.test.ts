import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { gunzipSync } from "node:zlib"
import { layer as app } from "../support/MemoryApp.ts"
import { fetchBytes, get } from "../support/Requests.ts"

const answerMax = 1_000_000

const script = (headers: Readonly<Record<string, string>> = {}) =>
  fetchBytes({ path: "/docs/reference.js", headers: { authorization: undefined, ...headers } })

layer(app)("the API reference", (it) => {
  it.effect.each(["/docs", "/docs/reference.js", "/docs/errors", "/v1/openapi.json", "/metrics"])(
    "at %s answers at most 1 MB",
    (path) =>
      Effect.gen(function* () {
        for (const encoding of ["gzip, deflate, br", "identity", "", undefined]) {
          const { bytes, status } = yield* fetchBytes({ path, headers: { "accept-encoding": encoding } })
          assert.isBelow(status, 500)
          assert.isAbove(bytes.length, 0)
          assert.isAtMost(bytes.length, answerMax, encoding)
        }
      })
  )

  it.effect("names no address but its own: neither for its script, nor for its fonts", () =>
    Effect.gen(function* () {
      const { headers, text } = yield* get("/docs", { authorization: undefined })
      assert.match(headers["content-type"] ?? "", /^text\/html/)
      assert.include(text, '<script src="docs/reference.js"></script>')
      assert.include(text, "withDefaultFonts: false")
      assert.notInclude(text, "//")
    })
  )

  it.effect("has its script packed, and once for all who ask at the same time", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.forEach(
        ["gzip", "br, gzip;q=0.1", "*", ""],
        (encoding) => script(encoding === "" ? {} : { "accept-encoding": encoding }),
        { concurrency: "unbounded" }
      )
      for (const { bytes, headers, status } of answers) {
        assert.strictEqual(status, 200)
        assert.deepInclude(headers, {
          "content-encoding": "gzip",
          "content-type": "text/javascript; charset=utf-8",
          "cache-control": "public, max-age=86400",
          vary: "Accept-Encoding"
        })
        assert.include(gunzipSync(bytes).toString(), "createApiReference")
      }
      assert.strictEqual(new Set(answers.map(({ headers }) => headers.etag)).size, 1)
    })
  )

  it.effect("has a script that a client need not fetch again", () =>
    Effect.gen(function* () {
      const { headers } = yield* script()
      const again = yield* script({ "if-none-match": headers.etag ?? "" })
      assert.deepStrictEqual([again.status, again.bytes.length, again.headers.etag], [304, 0, headers.etag])
    })
  )

  it.effect.each(["identity", "gzip;q=0, *", "br", ""])(
    "says that its script comes as gzip only to who asks for %j",
    (encoding) =>
      Effect.gen(function* () {
        const { bytes, headers, status } = yield* script({ "accept-encoding": encoding })
        assert.strictEqual(status, 406)
        assert.match(bytes.toString(), /gzip only.*Accept-Encoding: gzip/)
        assert.strictEqual(headers["cache-control"], "no-store")
      })
  )
})
