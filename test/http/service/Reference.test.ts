import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import { gunzipSync } from "node:zlib"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { fetchBytes, get } from "../../support/apps/Requests.ts"
import { describeOn } from "../../support/Tests.ts"

const answerMax = 1_000_000

const script = (headers: Readonly<Record<string, string>> = {}) =>
  fetchBytes({ path: "/docs/reference.js", headers: { authorization: undefined, ...headers } })

describeOn(app)("the API reference", (it) => {
  it.effect.each(["/docs", "/docs/reference.js", "/docs/errors", "/v1/openapi.json", "/metrics"])(
    "at %s answers at most 1 MB",
    function* (path) {
      for (const encoding of ["gzip, deflate, br", "identity", "", undefined]) {
        const { bytes, status } = yield* fetchBytes({ path, headers: { "accept-encoding": encoding } })
        assert.isBelow(status, 500)
        assert.isAbove(bytes.length, 0)
        assert.isAtMost(bytes.length, answerMax, encoding)
      }
    }
  )

  it.effect(
    "stands beside the pages of the repository, word for word, which link to pages that are there",
    function* () {
      const folder = new URL("../../../src/http/docs/", import.meta.url)
      for (const file of Fs.readdirSync(folder)) {
        const { headers, status, text } = yield* get(`/docs/${file.replace(".md", "")}`, { authorization: undefined })
        assert.strictEqual(status, 200)
        assert.match(headers["content-type"] ?? "", /^text\/plain/)
        assert.strictEqual(text, Fs.readFileSync(new URL(file, folder), "utf8"))
      }
      const readme = new URL("../../../README.md", import.meta.url)
      for (const page of [readme, ...Fs.readdirSync(folder).map((file) => new URL(file, folder))]) {
        for (const [, link = ""] of Fs.readFileSync(page, "utf8").matchAll(/\]\(([^):]+)\)/g)) {
          assert.isTrue(Fs.existsSync(new URL(link, page)), `${page.pathname} links to ${link}`)
        }
      }
    }
  )

  it.effect("names no address but its own: neither for its script, nor for its fonts", function* () {
    const { headers, text } = yield* get("/docs", { authorization: undefined })
    assert.match(headers["content-type"] ?? "", /^text\/html/)
    assert.include(text, '<script src="docs/reference.js"></script>')
    assert.include(text, "withDefaultFonts: false")
    assert.notInclude(text, "//")
  })

  it.effect("has its script packed, and once for all who ask at the same time", function* () {
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

  it.effect("has a script that a client need not fetch again", function* () {
    const { headers } = yield* script()
    const again = yield* script({ "if-none-match": headers.etag ?? "" })
    assert.deepStrictEqual([again.status, again.bytes.length, again.headers.etag], [304, 0, headers.etag])
  })

  it.effect.each(["identity", "gzip;q=0, *", "br", ""])(
    "says that its script comes as gzip only to who asks for %j",
    function* (encoding) {
      const { bytes, headers, status } = yield* script({ "accept-encoding": encoding })
      assert.strictEqual(status, 406)
      assert.match(bytes.toString(), /gzip only.*Accept-Encoding: gzip/)
      assert.strictEqual(headers["cache-control"], "no-store")
    }
  )
})
