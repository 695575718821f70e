import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import * as Fs from "node:fs"
import * as http from "node:http"
import axe from "axe-core"
import { type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { pages } from "../../../src/http/pages/Guides.ts"
import { resources } from "../../../src/http/pages/reference/Resources.ts"
import { listening } from "../../support/apps/Listening.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { describeOn } from "../../support/Tests.ts"

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((file) =>
  Fs.existsSync(file)
)
const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

const firstViewMax = 300_000
const paths = [
  "/",
  ...pages.map(({ path }) => path),
  ...resources.map(({ slug }) => `/docs/reference/${slug}`),
  "/docs/reference",
  "/docs/reference/webhooks",
  "/docs/errors",
  "/docs/errors/rate_limited"
]

/** Pages that have all that pages are made of: they are looked at in every view, and the others in the first one. */
const ofAllKinds = new Set([
  "/",
  "/docs",
  "/docs/guides/sandbox",
  "/docs/reference",
  "/docs/reference/customers",
  "/docs/reference/webhooks",
  "/docs/errors/rate_limited"
])

/** The service below a path, as a proxy serves it; the address of that path. */
const belowAPath = Effect.gen(function* () {
  const { hostname, port } = new URL(HttpServer.formatAddress((yield* HttpServer.HttpServer).address))
  const own = yield* listening(({ headers, method, url = "" }, response) => {
    if (!url.startsWith("/folio/")) return void response.writeHead(404).end()
    http
      .request({ hostname, port, method, path: url.slice("/folio".length), headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      })
      .end()
  })
  return `http://127.0.0.1:${own}/folio`
})

const browser = Effect.acquireRelease(
  Effect.promise(() => chromium.launch({ ...(executablePath === undefined ? {} : { executablePath }), args })),
  (one) => Effect.promise(() => one.close())
)

/** A page of a browser that has seen nothing before, and all that goes wrong in it. */
const opened = Effect.fnUntraced(function* (options: BrowserContextOptions) {
  const chrome = yield* browser
  const url = yield* belowAPath
  const context = yield* Effect.promise(() => chrome.newContext(options))
  const page = yield* Effect.promise(() => context.newPage())
  const faults: Array<string> = []
  page.on("console", (message) => faults.push(`${page.url()}: ${message.text()}`))
  page.on("pageerror", (error) => faults.push(`${page.url()}: ${error.message}`))
  page.on("request", (request) => {
    if (!request.url().startsWith(url)) faults.push(`${page.url()} asks for ${request.url()}`)
  })
  const go = (path: string) => Effect.promise(() => page.goto(url + path))
  return { context, page, faults, go, url }
})

interface View {
  readonly width: number
  readonly colorScheme: "light" | "dark"
}

const views: ReadonlyArray<View> = [1440, 360].flatMap((width) => [
  { width, colorScheme: "light" },
  { width, colorScheme: "dark" }
])

/**
 * What axe finds wrong with the page as it is shown now. In the first view every element is looked at. In the others the operations after
 * the third are left out, which are of the same kinds, and in the dark only colours are judged. The contents beside a page are the
 * same on every page, so that one page's are looked at.
 */
const violations = (page: Page, path: string, view: View) => {
  const exclude = [
    ...(path === "/docs" ? [] : ["#contents"]),
    ...(view === views[0] ? [] : [".operation:nth-child(n+5)"])
  ]
  const where = exclude.length === 0 ? "document" : `{ exclude: ${JSON.stringify(exclude.map((one) => [one]))} }`
  const rules = view.colorScheme === "dark" ? `, runOnly: ["color-contrast", "link-in-text-block"]` : ""
  return page.evaluate<ReadonlyArray<string>>(
    `axe.run(${where}, { resultTypes: ["violations"]${rules} }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)).join(" | ")))`
  )
}

describeOn(app)("the documentation in a browser (skipped where there is no Chromium)", (it) => {
  it.effect.skipIf(executablePath === undefined)(
    "has no fault of access or of its own, light and dark, on a phone and on a desktop",
    function* () {
      const { faults, go, page } = yield* opened({ colorScheme: "light", viewport: { width: 1440, height: 900 } })
      let received = 0
      page.on("requestfinished", (request) => {
        void request.sizes().then((sizes) => (received += sizes.responseBodySize + sizes.responseHeadersSize))
      })
      for (const path of paths) {
        received = 0
        yield* go(path)
        // What stays closed otherwise is of the same kinds on every page.
        if (path === "/docs/reference/customers" || path === "/docs/reference/webhooks") {
          yield* Effect.promise(() =>
            page.evaluate(`for (const one of document.querySelectorAll("details")) one.open = true`)
          )
        }
        yield* Effect.promise(() => page.evaluate(axe.source))
        for (const view of ofAllKinds.has(path) ? views : views.slice(0, 1)) {
          const { colorScheme, width } = view
          yield* Effect.promise(() => page.setViewportSize({ width, height: 800 }))
          yield* Effect.promise(() => page.emulateMedia({ colorScheme }))
          assert.deepStrictEqual(
            yield* Effect.promise(() => violations(page, path, view)),
            [],
            `${path}, ${width}, ${colorScheme}`
          )
          const over = yield* Effect.promise(() =>
            page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
          )
          assert.strictEqual(over, 0, `${path} is wider than ${width}`)
        }
        assert.isBelow(received, firstViewMax, path)
        assert.isAbove(received, 500, path)
      }
      assert.deepStrictEqual(faults, [])
    }
  )

  it.effect.skipIf(executablePath === undefined)("is read without JavaScript, every sample of it", function* () {
    const { faults, go, page } = yield* opened({ javaScriptEnabled: false })
    yield* go("/docs/reference/invoices")
    const sample = page.locator("#createInvoice .tabs")
    for (const [language, says] of [
      ["curl", "Authorization: Bearer $FOLIO_API_KEY"],
      ["TypeScript", "folio.invoices.createInvoice({"],
      ["PHP", "$folio->invoices->create(["],
      ["Python", "folio.invoices.create({"]
    ] as const) {
      yield* Effect.promise(() => sample.getByText(language, { exact: true }).click())
      const shown = yield* Effect.promise(() => sample.innerText())
      assert.include(shown, says)
    }
    assert.deepStrictEqual(faults, [])
  })

  it.effect.skipIf(executablePath === undefined)("is reached by the keyboard alone", function* () {
    const { go, page } = yield* opened({})
    yield* go("/docs/reference/versions")
    const reached = new Set<unknown>()
    const here = `(() => { const all = [...document.querySelectorAll("a, input, button, summary")]
      const one = document.activeElement
      return all.indexOf(one.type === "radio" ? document.getElementsByName(one.name)[0] : one) })()`
    const expected = yield* Effect.promise(() =>
      page.evaluate<ReadonlyArray<number>>(`[...document.querySelectorAll("a, input, button, summary")]
        .map((one, index) => one.checkVisibility() && (one.type !== "radio" || one.checked) ? index : -1)
        .filter((index) => index >= 0)`)
    )
    assert.isAbove(expected.length, 40)
    for (const _ of expected) {
      yield* Effect.promise(() => page.keyboard.press("Tab"))
      reached.add(yield* Effect.promise(() => page.evaluate(here)))
    }
    assert.deepStrictEqual(
      expected.filter((index) => !reached.has(index)),
      []
    )
    // The arrows choose among the languages.
    yield* Effect.promise(() => page.locator("#listVersions-curl").focus())
    yield* Effect.promise(() => page.keyboard.press("ArrowRight"))
    assert.include(yield* Effect.promise(() => page.locator("#listVersions .tabs").innerText()), "folio.versions.")
  })

  it.effect.skipIf(executablePath === undefined)("remembers the language, copies samples and filters", function* () {
    const { context, faults, go, page } = yield* opened({})
    yield* Effect.promise(() => context.grantPermissions(["clipboard-read", "clipboard-write"]))
    yield* go("/docs/reference/customers")
    yield* Effect.promise(() => page.locator("#createCustomer").getByText("Python", { exact: true }).click())
    yield* go("/docs/reference/invoices")
    const sample = page.locator("#cancelInvoice .tabs")
    const shown = yield* Effect.promise(() => sample.locator(".sample:visible code").innerText())
    assert.include(shown, "folio.invoices.cancel(")
    yield* Effect.promise(() => sample.getByRole("button", { name: "Copy" }).click())
    yield* Effect.promise(() => sample.getByRole("button", { name: "Copied" }).waitFor())
    assert.strictEqual(yield* Effect.promise(() => page.evaluate("navigator.clipboard.readText()")), shown)

    const contents = page.locator("#contents")
    yield* Effect.promise(() => contents.getByRole("searchbox").fill("rotate-secret"))
    const found = yield* Effect.promise(() => contents.locator("li a:visible").allInnerTexts())
    assert.deepStrictEqual(found, ["Webhook endpoints", "POST /webhook-endpoints/{id}/rotate-secret"])
    assert.deepStrictEqual(faults, [])
  })
})
