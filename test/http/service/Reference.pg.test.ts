import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import { gunzipSync } from "node:zlib"
import * as Assets from "../../../src/http/pages/Assets.ts"
import { guides, pages as written, redirects } from "../../../src/http/pages/Guides.ts"
import { rendered } from "../../../src/http/pages/Markdown.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { baseUrl } from "../../support/apps/TestSettings.ts"
import { fetchBytes, get } from "../../support/apps/Requests.ts"
import { describeLive } from "../../support/Tests.ts"

const answerMax = 1_000_000

const root = new URL("../../../", import.meta.url)
const read = (file: string) => Fs.readFileSync(new URL(file, root), "utf8")
const markdown = Fs.globSync("src/docs/**/*.md", { cwd: root })

const open = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  get(path, { authorization: undefined, ...headers })

/**
 * The targets of a page's links, stylesheet, script and icon, as a browser resolves them if the service is below /base.
 */
const addressesOf = (path: string, text: string) =>
  [...text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address = ""]) => {
    const url = new URL(address.replaceAll("&amp;", "&"), `http://folio.test/base${path}`)
    assert.strictEqual(url.origin, "http://folio.test", `${path} names ${address}`)
    assert.match(url.pathname, /^\/base(\/|$)/, `${path} leads out of the folder of the service by ${address}`)
    return { path: url.pathname.slice("/base".length), anchor: decodeURIComponent(url.hash.slice(1)) }
  })

/** The commands and programs of a page, without their comments. */
const commands = (text: string) =>
  [...text.matchAll(/^```(?:sh|ts|json)\n(.*?)^```/gms)].map(([, block = ""]) =>
    block.replaceAll(/^# .*\n/gm, "").replaceAll(/\n{2,}/g, "\n")
  )

/** The depth of each heading of a page. */
const depths = (text: string) => [...text.replaceAll(/^```.*?^```/gms, "").matchAll(/^#+(?= )/gm)].map(String)

/** Every page that is linked, directly or not, from the first page of a browser in this language. */
const everyPageIn = Effect.fnUntraced(function* (language: "en" | "es") {
  const pages = new Map<string, string>()
  const links: Array<{ readonly from: string; readonly path: string; readonly anchor: string }> = []
  const waiting = ["/"]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue
    const { headers, status, text } = yield* open(path, {
      accept: "text/html,*/*;q=0.8",
      "accept-language": language
    })
    // Without a session, the portal explains how to get one.
    const expected = path === "/portal" ? 401 : 200
    assert.strictEqual(status, expected, `${path}, of ${links.find((link) => link.path === path)?.from}`)
    const isPage = headers["content-type"]?.startsWith("text/html") === true && path !== "/portal"
    pages.set(path, isPage ? text : "")
    if (!isPage) continue
    const csp = String(headers["content-security-policy"])
    assert.include(csp, "default-src 'none'")
    assert.include(csp, "frame-ancestors 'none'")
    assert.notMatch(csp, /unsafe|https?:|\*/)
    assert.deepInclude(headers, { "referrer-policy": "no-referrer", "x-content-type-options": "nosniff" })
    assert.notMatch(text, /<[^>]* (style|on\w+)=|<style|<script(?! src=)|javascript:/, path)
    for (const link of addressesOf(path, text)) {
      links.push({ from: path, ...link })
      waiting.push(link.path)
    }
  }
  return { pages, links }
})

const everyPage = everyPageIn("en")

describeLive(app)("the documentation", (it) => {
  it.effect("names the address of this service in its commands", function* () {
    for (const path of ["/docs", "/docs/guides/webhooks", "/docs/reference/invoices"]) {
      const { text } = yield* open(path)
      assert.include(text, `export FOLIO_URL=${baseUrl}\n`, path)
      assert.notInclude(text, "127.0.0.1:3000", path)
    }
  })

  it.effect("has the language that the reader chose, or that the browser prefers", function* () {
    const spanish = { "accept-language": "es-CO,es;q=0.9,en;q=0.8" }
    for (const path of ["/docs", "/docs/errors", "/docs/errors/rate_limited"]) {
      const [inEnglish, inSpanish] = [yield* open(path), yield* open(path, spanish)]
      assert.deepInclude(inEnglish.headers, {
        "content-language": "en",
        vary: "Accept-Encoding, Accept-Language, Cookie"
      })
      assert.deepInclude(inSpanish.headers, {
        "content-language": "es",
        vary: "Accept-Encoding, Accept-Language, Cookie"
      })
      assert.notStrictEqual(inSpanish.headers["etag"], inEnglish.headers["etag"])
      for (const [{ text }, language] of [
        [inEnglish, "en"],
        [inSpanish, "es"]
      ] as const) {
        assert.include(text, `<html lang="${language}">`, path)
        assert.match(text, new RegExp(`<main[^>]* lang="${language}"`), path)
      }
      const switched = yield* open(`${path}?lang=en`, spanish)
      assert.strictEqual(switched.text, inEnglish.text)
      const [cookie = ""] = String(switched.headers["set-cookie"]).split(";")
      assert.strictEqual((yield* open(path, { ...spanish, cookie })).text, inEnglish.text)
    }
  })

  it.effect("shows Spanish readers a page without a translation in English, with a note", function* () {
    const note = "Esta página solo está disponible en inglés."
    for (const path of ["/docs/reference/invoices", "/docs/operating"]) {
      const { text } = yield* open(`${path}?lang=es`)
      assert.include(text, '<html lang="es">')
      assert.match(text, new RegExp(`<main[^>]* lang="en"[^>]*>\\s*<p class="note" lang="es">${note}</p>`), path)
      assert.match(text, new RegExp(`<a href="[^"]*${path.slice(1)}" lang="en" aria-current="page">`), path)
      assert.notInclude(text, 'rel="alternate"')
      assert.notInclude((yield* open(`${path}?lang=en`)).text, note)
    }
  })

  it.effect("has every guide, the start page and the error pages in both languages", function* () {
    const translated = guides
      .filter(({ title }) => ["Start", "Guides"].includes(title.en))
      .flatMap(({ pages }) => pages)
    assert.isAbove(translated.length, 8)
    for (const path of [...translated.map((one) => one.path), "/docs/errors", "/docs/errors/rate_limited"]) {
      for (const language of ["en", "es"]) {
        const { text } = yield* open(`${path}?lang=${language}`)
        assert.match(text, new RegExp(`<main[^>]* lang="${language}"`), path)
        assert.notInclude(text, "Esta página solo está disponible en inglés.")
        for (const other of ["en", "es"])
          assert.include(text, `<link rel="alternate" hreflang="${other}" href="?lang=${other}" />`, path)
      }
    }
  })

  it.effect("has every page in one chapter, and no user's page among the internals", function* () {
    const placed = guides.flatMap(({ pages }) => pages.map(({ name }) => name))
    assert.deepStrictEqual(placed.toSorted(), written.map(({ name }) => name).toSorted())
    const internals = guides.find(({ title }) => title.en === "Folio internals")
    assert.deepStrictEqual(
      internals?.pages.map(({ name }) => name),
      ["architecture", "decisions", "costs", "testing"]
    )
    yield* Effect.void
  })

  it.effect("links every page to the previous and the next page, from the start page to the last page", function* () {
    const { pages } = yield* everyPage
    const neighbour = (path: string, rel: "prev" | "next") => {
      const [, href] = new RegExp(`<a href="([^"]*)"(?: lang="en")? rel="${rel}">`).exec(pages.get(path) ?? "") ?? []
      return href === undefined ? undefined : new URL(href, `http://folio.test${path}`).pathname
    }
    const walked = ["/docs"]
    for (let next = neighbour("/docs", "next"); next !== undefined; next = neighbour(next, "next")) {
      assert.notInclude(walked, next)
      assert.strictEqual(neighbour(next, "prev"), walked.at(-1), next)
      walked.push(next)
    }
    const shown = [...pages].filter(([path, text]) => path.startsWith("/docs") && text !== "").map(([path]) => path)
    assert.deepStrictEqual(walked.toSorted(), shown.toSorted())
  })

  it.effect("lists the headings of each page with two or more headings", function* () {
    const { pages } = yield* everyPage
    for (const [path, text] of pages) {
      if (!path.startsWith("/docs") || text === "") continue
      const [, main = ""] = /<main [^>]*>(.*)<\/main>/s.exec(text) ?? []
      const headings = [...main.matchAll(/<h[23] id="/g)].length
      const listed = [...text.matchAll(/<ul class="inside" lang="en">(.*?)<\/ul>/gs)].map(([, list = ""]) => list)
      // For a phone and for a desktop.
      assert.strictEqual(listed.length, headings < 2 ? 0 : 2, path)
      for (const list of listed) assert.strictEqual([...list.matchAll(/<a href="#[^"]+">/g)].length, headings, path)
    }
  })

  it.effect("redirects every former address to a page, and keeps the language", function* () {
    assert.isAbove(redirects.length, 0)
    for (const [from, to] of redirects) {
      const { headers, status } = yield* open(`${from}?lang=es`)
      assert.strictEqual(status, 308, from)
      const found = new URL(String(headers["location"]), `http://folio.test/base${from}`)
      assert.strictEqual(found.pathname + found.search, `/base${to}?lang=es`, from)
      assert.strictEqual((yield* open(to)).status, 200, to)
    }
  })

  it.effect("redirects a former address whose letters a client has percent-encoded", function* () {
    for (const query of ["", "?lang=es"]) {
      const { headers, status } = yield* open(`/docs/%73tart${query}`)
      assert.deepStrictEqual([status, headers["location"]], [308, `../docs${query}`])
    }
  })

  it.effect("has in Spanish the same headings and commands as in English, and no English paragraph", function* () {
    const translated = markdown.filter((file) => file.includes("/docs/es/"))
    assert.isAbove(translated.length, 0)
    for (const file of translated) {
      const [english, spanish] = [read(file.replace("/es/", "/")), read(file)]
      assert.deepStrictEqual(commands(spanish), commands(english), file)
      assert.deepStrictEqual(depths(spanish), depths(english), file)
      for (const paragraph of spanish.replaceAll(/```[\s\S]*?```/g, "").split("\n\n")) {
        const ofEnglish = paragraph.match(/\b(the|of|is|with|which|until|when)\b/gi) ?? []
        assert.isBelow(ofEnglish.length / paragraph.split(/\s+/).length, 0.1, `${file}: ${paragraph}`)
      }
    }
    yield* Effect.void
  })

  it.effect("can be searched by every heading and the text below it, in both languages", function* () {
    for (const [language, ...words] of [
      ["en", "retries the delivery 30 s, 5 min and 30 min later", "Delivery headers", "Response fields"],
      ["es", "Cada valor es un texto decimal", "Delivery headers", "Sí, con el mismo Idempotency-Key"]
    ] as const) {
      const { json } = yield* open(`/docs/search.${language}.json`)
      const sections = json as ReadonlyArray<readonly [path: string, title: string, heading: string, text: string]>
      for (const one of words) {
        assert.isTrue(
          sections.some(([, , heading, text]) => heading.includes(one) || text.includes(one)),
          `${language}: ${one}`
        )
      }
      assert.isAbove(sections.length, 400)
      const shown = new Map<string, string>()
      for (const [address] of sections) {
        const [path = "", anchor] = address.split("#")
        if (!shown.has(path)) shown.set(path, (yield* open(`${path}?lang=${language}`)).text)
        assert.include(shown.get(path), anchor === undefined ? "<h1" : ` id="${anchor}"`, address)
      }
    }
  })

  it.effect("may be cached for good at addresses that change with the content, and at no others", function* () {
    const { address, path, text } = Assets.style
    const kept = yield* open(`/${address}`)
    assert.include(kept.headers["cache-control"], "immutable")
    for (const other of [`/${path}`, `/${path}?v=000000000000`, `/${address}0`]) {
      const { headers, text: shown } = yield* open(other)
      assert.strictEqual(headers["cache-control"], "no-cache", other)
      assert.strictEqual(shown, text)
    }
  })

  it.effect.each(["/", "/docs", "/docs/reference/invoices", "/docs/errors", "/v1/openapi.json", "/metrics"])(
    "at %s returns at most 1 MB",
    function* (path) {
      for (const encoding of ["gzip, deflate, br", "identity", "", undefined]) {
        const { bytes, status } = yield* fetchBytes({ path, headers: { "accept-encoding": encoding } })
        assert.isBelow(status, 500)
        assert.isAbove(bytes.length, 0)
        assert.isAtMost(bytes.length, answerMax, encoding)
      }
    }
  )

  it.effect("links only to its own pages, below any path, and every link has a target", function* () {
    for (const language of ["en", "es"] as const) {
      const { links, pages } = yield* everyPageIn(language)
      assert.isAbove(pages.size, 90)
      for (const { anchor, from, path } of links) {
        const what = `in ${language}, ${from} links to ${path}#${anchor}`
        if (anchor !== "") assert.include(pages.get(path), ` id="${anchor}"`, what)
      }
    }
  })

  it.effect("shows every operation and every webhook type of the OpenAPI document", function* () {
    const { pages } = yield* everyPage
    const all = [...pages].filter(([path]) => path.startsWith("/docs/reference/")).map(([, text]) => text)
    const { paths, webhooks } = JSON.parse(read("schemas/openapi.json"))
    for (const [path, methods] of Object.entries<object>(paths)) {
      for (const method of Object.keys(methods).filter((one) => one !== "post" || !("patch" in methods))) {
        const route = `<b class="method">${method.toUpperCase()}</b> <code>${path}</code>`
        assert.isTrue(
          all.some((text) => text.includes(route)),
          route
        )
      }
    }
    for (const type of Object.keys(webhooks))
      assert.include(pages.get("/docs/reference/webhooks"), `"${type}"`.replaceAll('"', "&quot;"))
  })

  it.effect("has the pages of the repository, word for word with .md, without broken links", function* () {
    for (const file of markdown) {
      const { headers, status, text } = yield* open(`/docs/${file.slice("src/docs/".length)}`)
      assert.strictEqual(status, 200)
      assert.match(headers["content-type"] ?? "", /^text\/plain/)
      assert.strictEqual(text, read(file))
    }
    for (const page of ["README.md", ...markdown]) {
      for (const [, link = ""] of read(page).matchAll(/\]\(([^):]+)\)/g)) {
        const file = new URL(link, new URL(page, root))
        file.hash = ""
        // A test above follows links to paths of the service.
        if (!link.startsWith("/")) assert.isTrue(Fs.existsSync(file), `${page} links to ${link}`)
      }
    }
  })

  it.effect(
    "runs with npx only programs that the folder of the repository provides, and names that folder",
    function* () {
      const { bin, dependencies, optionalDependencies } = JSON.parse(read("package.json"))
      const { packages } = JSON.parse(read("package-lock.json"))
      const installed = Object.keys({ ...dependencies, ...optionalDependencies })
      const provided = new Set(
        [bin, ...installed.map((name) => packages[`node_modules/${name}`].bin)].flatMap((one) => Object.keys(one ?? {}))
      )
      for (const page of ["README.md", ...markdown]) {
        const text = read(page)
        const names = [...text.matchAll(/\bnpx ([\w@./-]+)/g)].map(([, name = ""]) => name)
        const unscoped = names.filter((name) => !name.startsWith("@folio-einvoicing/"))
        assert.deepStrictEqual(
          unscoped.filter((name) => !provided.has(name)),
          [],
          page
        )
        if (unscoped.length > 0)
          assert.match(
            text,
            /folder (?:of|with) the repository|the same folder|carpeta del repositorio|la misma carpeta/i,
            page
          )
      }
      yield* Effect.void
    }
  )

  it.effect(
    "comes compressed for gzip clients, uncompressed for others, and not again for a cached copy",
    function* () {
      for (const path of ["/docs", "/docs/reference/invoices", "/docs/api.md", "/docs/style.css", "/v1/openapi.json"]) {
        const plain = yield* fetchBytes({ path })
        assert.isUndefined(plain.headers["content-encoding"])
        for (const encoding of ["gzip", "br, gzip;q=0.1", "*"]) {
          const packed = yield* fetchBytes({ path, headers: { "accept-encoding": encoding } })
          assert.strictEqual(packed.headers["content-encoding"], "gzip")
          assert.include(packed.headers.vary, "Accept-Encoding")
          assert.isBelow(packed.bytes.length, 80_000)
          assert.deepStrictEqual(gunzipSync(packed.bytes), plain.bytes)
        }
        for (const encoding of ["identity", "gzip;q=0, *", "br", ""]) {
          const { bytes, headers } = yield* fetchBytes({ path, headers: { "accept-encoding": encoding } })
          assert.isUndefined(headers["content-encoding"])
          assert.deepStrictEqual(bytes, plain.bytes)
        }
        const again = yield* fetchBytes({ path, headers: { "if-none-match": plain.headers.etag } })
        assert.deepStrictEqual([again.status, again.bytes.length, again.headers.etag], [304, 0, plain.headers.etag])
      }
    }
  )

  it.effect("shows the root to browsers only, and returns an error to clients", function* () {
    const shown = yield* open("/", { accept: "text/html,application/xhtml+xml,*/*;q=0.8" })
    assert.match(shown.headers["content-type"] ?? "", /^text\/html/)
    for (const accept of ["*/*", "application/json", "application/json, text/html;q=0.5"]) {
      const { headers, json, status } = yield* open("/", { accept })
      assert.strictEqual(status, 404)
      assert.strictEqual(json.error.code, "route_not_found")
      assert.include(headers.vary, "Accept,")
    }
  })

  it.effect("shows markup in markdown as text, and follows no foreign scheme", function* () {
    const text = "# A <b>\n\n<script>x</script> <i>y</i>\n\n[z](javascript:x) ![w](http://foreign.test/a.png) `<u>`\n"
    const { markup } = rendered(text, "api", "")
    assert.notMatch(markup, /<(script|i|b|u|img)\b|javascript/)
    assert.include(markup, "&lt;script&gt;")
    yield* Effect.void
  })
})
