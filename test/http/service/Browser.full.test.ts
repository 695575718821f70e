import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import * as http from "node:http"
import type { BrowserContextOptions } from "playwright-core"
import { pages } from "../../../src/http/pages/Guides.ts"
import { resources } from "../../../src/http/pages/reference/Resources.ts"
import { listening } from "../../support/apps/Listening.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import {
  assertFits,
  executablePath,
  opened,
  showAs,
  type View,
  views,
  violations,
  withAxe
} from "../../support/browser/Chromium.ts"
import { describeLive } from "../../support/Tests.ts"

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

/**
 * Pages that together have all elements. The test checks them in every view, and other pages in the first view only.
 */
const ofAllKinds = new Set([
  "/",
  "/docs",
  "/docs/guides/sandbox",
  "/docs/reference",
  "/docs/reference/customers",
  "/docs/reference/webhooks",
  "/docs/errors/rate_limited"
])

/** The service below a path, as a proxy serves it, and the address of that path. */
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

/** A page of a fresh browser, of the service below a path. */
const visited = (options: BrowserContextOptions) => Effect.flatMap(belowAPath, (url) => opened(url, options))

/**
 * The scope of axe. On a page of each kind, the first view includes every element. The other views leave out the
 * operations after the third, which repeat earlier elements, and the dark views check colours only. The contents beside
 * a page are the same on every page, so axe checks them on one page.
 */
const lookAt = (path: string, view: View) => ({
  exclude: [...(path === "/docs" ? [] : ["#contents"]), ...(view === views[0] ? [] : [".operation:nth-child(n+5)"])],
  onlyColours: view.colorScheme === "dark"
})

describeLive(app)("the documentation in a browser (skipped where there is no Chromium)", (it) => {
  it.effect.skipIf(executablePath === undefined)(
    "has no accessibility fault and no error, light and dark, on a phone and on a desktop",
    function* () {
      const { faults, go, page } = yield* visited({ colorScheme: "light", viewport: { width: 1440, height: 900 } })
      let received = 0
      page.on("requestfinished", (request) => {
        void request.sizes().then((sizes) => (received += sizes.responseBodySize + sizes.responseHeadersSize))
      })
      for (const path of paths) {
        received = 0
        yield* go(path)
        // On other pages, the closed details have the same kinds of elements.
        if (path === "/docs/reference/customers" || path === "/docs/reference/webhooks") {
          yield* Effect.promise(() =>
            page.evaluate(`for (const one of document.querySelectorAll("details")) one.open = true`)
          )
        }
        yield* withAxe(page)
        for (const view of ofAllKinds.has(path) ? views : views.slice(0, 1)) {
          const where = `${path}, ${view.width}, ${view.colorScheme}`
          yield* showAs(page, view)
          assert.deepStrictEqual(yield* violations(page, lookAt(path, view)), [], where)
          yield* assertFits(page, where)
        }
        assert.isBelow(received, firstViewMax, path)
        assert.isAbove(received, 500, path)
      }
      assert.deepStrictEqual(faults, [])
    }
  )

  it.effect.skipIf(executablePath === undefined)("shows every sample without JavaScript", function* () {
    const { faults, go, page } = yield* visited({ javaScriptEnabled: false })
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

  it.effect.skipIf(executablePath === undefined)(
    "lists the headings of a page without JavaScript: beside the text, or closed on a phone",
    function* () {
      const { faults, go, page } = yield* visited({ javaScriptEnabled: false })
      yield* showAs(page, { width: 1440, colorScheme: "light" })
      yield* go("/docs/guides/webhooks")
      const beside = page.getByRole("navigation", { name: "On this page" })
      yield* Effect.promise(() => beside.getByRole("link", { name: "Retries and recovery" }).click())
      assert.isTrue(page.url().endsWith("#retries-and-recovery"))
      // The script makes the search field.
      assert.strictEqual(yield* Effect.promise(() => page.getByRole("searchbox").count()), 0)
      yield* showAs(page, { width: 360, colorScheme: "light" })
      assert.isFalse(yield* Effect.promise(() => beside.isVisible()))
      const link = page.locator("details.on-page").getByRole("link", { name: "Rotate the secret" })
      assert.isFalse(yield* Effect.promise(() => link.isVisible()))
      yield* Effect.promise(() => page.getByText("On this page").filter({ visible: true }).click())
      yield* Effect.promise(() => link.click())
      assert.isTrue(page.url().endsWith("#rotate-the-secret"))
      assert.deepStrictEqual(faults, [])
    }
  )

  it.effect.skipIf(executablePath === undefined)("can be used with the keyboard only", function* () {
    const { go, page } = yield* visited({})
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
    // The arrow keys choose a language.
    yield* Effect.promise(() => page.locator("#listVersions-curl").focus())
    yield* Effect.promise(() => page.keyboard.press("ArrowRight"))
    assert.include(yield* Effect.promise(() => page.locator("#listVersions .tabs").innerText()), "folio.versions.")
  })

  it.effect.skipIf(executablePath === undefined)(
    "remembers the language, copies samples and searches headings and text",
    function* () {
      const { context, faults, go, page } = yield* visited({})
      yield* Effect.promise(() => context.grantPermissions(["clipboard-read", "clipboard-write"]))
      yield* go("/docs/reference/customers")
      yield* Effect.promise(() => page.locator("#createCustomer").getByText("Python", { exact: true }).click())
      yield* go("/docs/reference/invoices")
      const sample = page.locator("#cancelInvoice .tabs")
      const shown = yield* Effect.promise(() => sample.locator(".sample:visible code").innerText())
      assert.include(shown, "folio.invoices.cancel(")
      // The wait begins before the click: the button shows its result for two seconds only.
      const copied = () => sample.getByRole("button", { name: "Copied" }).waitFor()
      yield* Effect.promise(() => Promise.all([copied(), sample.getByRole("button", { name: "Copy" }).click()]))
      assert.strictEqual(yield* Effect.promise(() => page.evaluate("navigator.clipboard.readText()")), shown)

      const contents = page.locator("#contents")
      const search = contents.getByRole("searchbox")
      const results = contents.locator(".results a")
      for (const [words, address] of [
        ["rotate-secret", "reference/webhook-endpoints#rotateWebhookSecret"],
        ["30 min later", "guides/webhooks#retries-and-recovery"]
      ] as const) {
        yield* Effect.promise(() => search.fill(words))
        yield* Effect.promise(() => results.first().waitFor())
        const found = yield* Effect.promise(() => results.evaluateAll((all) => all.map((one) => String(one))))
        assert.isTrue(
          found.some((one) => one.endsWith(`/docs/${address}`)),
          found.join("\n")
        )
      }
      yield* Effect.promise(() => search.fill("no page has these words"))
      yield* Effect.promise(() => contents.getByText("No page contains all these words.").waitFor())
      yield* Effect.promise(() => search.fill(""))
      yield* Effect.promise(() => contents.getByRole("link", { name: "Webhook endpoints" }).waitFor())
      // The Enter key opens the first result.
      yield* Effect.promise(() => search.fill("30 min later"))
      yield* Effect.promise(() => results.first().waitFor())
      const [first = ""] = yield* Effect.promise(() => results.evaluateAll((all) => all.map((one) => String(one))))
      yield* Effect.promise(() => search.press("Enter"))
      yield* Effect.promise(() => page.waitForURL(first))
      assert.deepStrictEqual(faults, [])
    }
  )
})
