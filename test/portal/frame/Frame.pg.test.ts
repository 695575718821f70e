import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import { connect } from "node:net"
import { Refusal } from "../../../src/portal/frame/Refusal.ts"
import { inLanguage } from "../../../src/portal/frame/SpanishRefusals.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { get } from "../../support/apps/Requests.ts"
import { formOf, visitor } from "../../support/portal/Visitor.ts"
import { describeLive } from "../../support/Tests.ts"

/** The response to a path as written. `fetch` would resolve the dots. */
const rawGet = (url: string, path: string, cookie: string) =>
  new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`
      )
    )
    let text = ""
    socket.on("data", (bytes) => (text += bytes.toString()))
    socket.on("end", () => resolve(text))
    socket.on("error", reject)
  })

describeLive(app)("the frame of the portal", (it) => {
  it.effect("shows a missing page in the reader's language, within the frame", function* () {
    const reader = yield* visitor({ language: "es-CO,es;q=0.9,en;q=0.8" })
    const answer = yield* reader.see("/portal/nowhere")
    assert.strictEqual(answer.status, 404)
    assert.include(answer.text, 'lang="es"')
  })

  it.effect("links to the documentation in the reader's language, with and without a session", function* () {
    for (const language of ["es", "en"]) {
      const reader = yield* visitor({ language })
      assert.include((yield* reader.see("/portal/setup")).text, `href="../docs?lang=${language}"`)
      const shut = yield* get("/portal/setup", { authorization: undefined, "accept-language": language })
      assert.include(shut.text, `href="../docs/guides/portal?lang=${language}"`)
    }
  })

  it.effect("rejects an id that leads the page's request to another path of the API", function* () {
    const reader = yield* visitor()
    for (const id of ["%2e%2e", "%2e", "..%2f..%2fmetrics", "%2e%2e%2frequests", "a%3Flimit=1", "a%23b"]) {
      for (const path of ["events", "customers", "endpoints", "deliveries", "requests", "documents", "setup/keys"]) {
        const text = yield* Effect.promise(() => rawGet(reader.url, `/portal/${path}/${id}`, reader.cookie))
        assert.match(text, /^HTTP\/1\.1 404 /, `${path}/${id}`)
      }
    }
  })

  it.effect("rejects a form with more fields than any page has, and omits no part of it", function* () {
    const reader = yield* visitor()
    const form = formOf((yield* reader.see("/portal/customers/new")).text, "/portal/customers/new")
    for (const [count, status] of [
      [1_900, 400],
      [2_001, 413],
      [60_000, 413]
    ] as const) {
      const fields = new URLSearchParams([
        ...Object.entries(form),
        ...Array.from({ length: count }, (): [string, string] => ["a", ""])
      ])
      assert.strictEqual((yield* reader.post("/portal/customers/new", fields)).status, status, `${count} fields`)
    }
  })

  it.effect("ignores a forged idempotency key", function* () {
    const reader = yield* visitor()
    const form = formOf((yield* reader.see("/portal/customers/new")).text, "/portal/customers/new")
    for (const once of ["a\r\nauthorization: Bearer x", "ñ", "\u{1F600}", "x".repeat(5_000)]) {
      const answer = yield* reader.post("/portal/customers/new", new URLSearchParams({ ...form, once }))
      assert.strictEqual(answer.status, 400, once)
    }
  })

  it.effect("names a range, a mode and a file the same on every page", function* () {
    const folder = new URL("../../../src/portal/", import.meta.url)
    const pages = Fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
    assert.isAbove(pages.length, 80)
    const others = /(?<![Rr]angos? de )[Nn]umeraci(?:ón|ones)|[Mm]odo real|\banew\b|\b[Ww]hoever\b|"(?:Bench|Papers)"/g
    const found = yield* Effect.forEach(pages, (file) =>
      Effect.sync(() =>
        (Fs.readFileSync(new URL(file, folder), "utf8").match(others) ?? []).map((words) => `${file}: ${words}`)
      )
    )
    assert.deepStrictEqual(found.flat(), [])
  })

  it.effect("explains in Spanish why a form was rejected, or that a page is missing", function* () {
    const person = yield* visitor({ language: "es" })
    const refused = yield* person.submit("/portal/setup/ranges/new", "/portal/setup/ranges/new")
    assert.strictEqual(refused.status, 400)
    const missingField = {
      status: 400,
      code: "parameter_missing",
      message: "x is required.",
      errors: [],
      requestId: null
    }
    assert.include(refused.text, inLanguage("es", new Refusal(missingField)).message)
    assert.match(refused.text, /role="alert"[^>]* autofocus/)
    assert.notInclude(refused.text, "is required")
    const missing = yield* person.see("/portal/documents/inv_00000000000000000000000000")
    assert.strictEqual(missing.status, 404)
    assert.match(missing.text, /<p class="sub" lang="es">/)
    assert.notInclude(missing.text, "There is no")
  })
})
