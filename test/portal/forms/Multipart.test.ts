import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { createServer } from "node:http"
import { readParts, fileBytesMax } from "../../../src/portal/forms/Multipart.ts"
import { describeLive } from "../../support/Tests.ts"

const told = Effect.match(readParts, {
  onFailure: ({ code, status }) => HttpServerResponse.text(code, { status }),
  onSuccess: ({ fields, files }) =>
    HttpServerResponse.text(
      JSON.stringify({
        fields: fields,
        files: [...files].map(([field, { bytes, isTooLarge, name }]) => ({
          field,
          name,
          isTooLarge,
          size: bytes.length,
          last: bytes.at(-1) ?? null
        }))
      })
    )
})

const app = HttpRouter.serve(HttpRouter.add("POST", "/form", told), {
  disableListenLog: true,
  disableLogger: true
}).pipe(Layer.provideMerge(NodeHttpServer.layer(() => createServer(), { host: "127.0.0.1", port: 0 })))

const post = Effect.fnUntraced(function* (
  body: NonNullable<RequestInit["body"]>,
  headers: Record<string, string> = {}
) {
  const url = `${HttpServer.formatAddress((yield* HttpServer.HttpServer).address)}/form`
  return yield* Effect.promise(async () => {
    const answer = await fetch(url, { method: "POST", body, headers })
    return { status: answer.status, text: await answer.text() }
  })
})

const file = (size: number) => {
  const bytes = new Uint8Array(size)
  bytes[size - 1] = 7
  return new Blob([bytes])
}

const withFile = (blob: Blob, name = "logo.png") => {
  const form = new FormData()
  form.append("token", "t")
  form.append("logo", blob, name)
  form.append("after", "the file")
  return form
}

describeLive(app)("a multipart form", (it) => {
  it.effect("contains its file, and also the fields after the file", function* () {
    const name = '"><script>.png'
    const { text } = yield* post(withFile(file(fileBytesMax), name))
    const { fields, files } = JSON.parse(text)
    assert.deepStrictEqual(fields, [
      ["token", "t"],
      ["after", "the file"]
    ])
    assert.strictEqual(files[0].size, fileBytesMax)
    assert.strictEqual(files[0].last, 7)
    assert.isFalse(files[0].isTooLarge)
  })

  it.effect("keeps its fields if a file in it is too large, and drops the file", function* () {
    for (const size of [fileBytesMax + 1, 12 * 1024 * 1024]) {
      const { status, text } = yield* post(withFile(file(size)))
      assert.strictEqual(status, 200)
      const { fields, files } = JSON.parse(text)
      assert.deepStrictEqual(fields[1], ["after", "the file"])
      assert.deepStrictEqual([files[0].isTooLarge, files[0].size], [true, 0])
    }
  })

  it.effect("has no file if the person chose none", function* () {
    const boundary = "b"
    const body = [
      `--${boundary}`,
      'Content-Disposition: form-data; name="logo"; filename=""',
      "Content-Type: application/octet-stream",
      "",
      "",
      `--${boundary}--`,
      ""
    ].join("\r\n")
    const { text } = yield* post(body, { "content-type": `multipart/form-data; boundary=${boundary}` })
    assert.deepStrictEqual(JSON.parse(text), { fields: [], files: [] })
  })

  it.effect("gets an error if it is too large or malformed", function* () {
    const many = new FormData()
    for (let index = 0; index < 200; index++) many.append(`f${index}`, "1")
    assert.deepStrictEqual(yield* post(many), { status: 413, text: "request_too_large" })
    const long = new FormData()
    long.append("name", "x".repeat(300 * 1024))
    assert.deepStrictEqual(yield* post(long), { status: 413, text: "request_too_large" })
    // Each field is small enough, but memory would hold all of them together.
    const fields = new FormData()
    for (let index = 0; index < 4; index++) fields.append(`f${index}`, "x".repeat(100 * 1024))
    assert.deepStrictEqual(yield* post(fields), { status: 413, text: "request_too_large" })
    const files = new FormData()
    for (let index = 0; index < 20; index++) files.append(`f${index}`, file(fileBytesMax), "logo.png")
    assert.deepStrictEqual(yield* post(files), { status: 413, text: "request_too_large" })
    assert.deepStrictEqual(yield* post(withFile(file(25 * 1024 * 1024))), { status: 413, text: "request_too_large" })
    for (const type of ["multipart/form-data; boundary=b", "multipart/form-data; none"]) {
      assert.deepStrictEqual(yield* post("no form", { "content-type": type }), { status: 400, text: "malformed_json" })
    }
  })
})
