import { assert } from "@effect/vitest"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { get } from "../../support/apps/Requests.ts"
import { describeLive } from "../../support/Tests.ts"

const open = (path: string, headers: Readonly<Record<string, string>>) =>
  get(path, { authorization: undefined, ...headers })

const browser = "text/html,application/xhtml+xml,*/*;q=0.8"
const unknown = ["/docs/none", "/docs/guides/none", "/docs/errors/none", "/docs/guides/portal/"]

describeLive(app)("an unknown address of the documentation", (it) => {
  it.effect("shows browsers a page in their language, whose links lead to pages", function* () {
    for (const [language, title] of [
      ["en", "Page not found"],
      ["es", "Página no encontrada"]
    ] as const) {
      for (const path of unknown) {
        const { headers, status, text } = yield* open(path, { accept: browser, "accept-language": language })
        assert.deepStrictEqual([status, headers["content-language"]], [404, language], path)
        assert.include(headers["content-security-policy"], "default-src 'none'")
        assert.include(text, `<h1>${title}</h1>`)
        assert.match(text, new RegExp(`<main[^>]* lang="${language}"`))
        assert.notInclude(text, "Esta página solo está disponible en inglés.")
        const [, start = ""] = /<a class="brand" href="([^"]*)"/.exec(text) ?? []
        assert.strictEqual(new URL(start, `http://folio.test${path}`).pathname, "/docs", path)
      }
    }
    assert.include((yield* open("/docs/none?lang=es", { accept: browser })).text, "Página no encontrada")
  })

  it.effect("shows its path as text", function* () {
    const { text } = yield* open("/docs/<b>none</b>", { accept: browser })
    assert.notInclude(text, "<b>none")
  })

  it.effect("returns an error to clients, and to a browser outside the documentation", function* () {
    for (const path of unknown) {
      const { json, status } = yield* open(path, { accept: "application/json" })
      assert.deepStrictEqual([status, json.error.type], [404, "invalid_request_error"], path)
    }
    assert.strictEqual((yield* open("/none", { accept: browser })).json.error.code, "route_not_found")
  })
})
