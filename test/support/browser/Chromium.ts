import { assert } from "@effect/vitest"
import axe from "axe-core"
import { Effect } from "effect"
import * as Fs from "node:fs"
import { type BrowserContextOptions, chromium, type Page } from "playwright-core"

/** The Chromium of the system's packages; undefined if there is none. */
export const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (file) => Fs.existsSync(file)
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

/** A browser that is closed with the scope. */
export const browser = Effect.acquireRelease(
  Effect.promise(() => chromium.launch({ ...(executablePath === undefined ? {} : { executablePath }), args })),
  (one) => Effect.promise(() => one.close())
)

/** A page of a new browser, with all of its failures: errors, and requests that leave the service at `url`. */
export const opened = Effect.fnUntraced(function* (url: string, options: BrowserContextOptions) {
  const chrome = yield* browser
  const context = yield* Effect.promise(() => chrome.newContext(options))
  const page = yield* Effect.promise(() => context.newPage())
  const faults: Array<string> = []
  page.on("console", (message) => {
    // A person who focuses a field before the form's autofocus keeps the focus; the browser logs a message about it.
    if (message.text().startsWith("Autofocus processing was blocked")) return
    faults.push(`${page.url()}: ${message.text()}`)
  })
  page.on("pageerror", (error) => faults.push(`${page.url()}: ${error.message}`))
  page.on("request", (request) => {
    // The PDF viewer, a part of the browser, loads itself.
    if (!request.url().startsWith(url) && !/^chrome(-extension)?:/.test(request.url()))
      faults.push(`${page.url()} asks for ${request.url()}`)
  })
  const go = (path: string) => Effect.promise(() => page.goto(url + path))
  return { context, page, faults, go, url }
})

/** Options for axe: which parts of the page to exclude, and whether to check only colours. */
export interface Look {
  readonly exclude?: ReadonlyArray<string>
  readonly onlyColours?: boolean
}

/** The violations that axe finds in the current page. `axe.source` must have been evaluated in the page. */
export const violations = (page: Page, { exclude = [], onlyColours = false }: Look = {}) => {
  const where = exclude.length === 0 ? "document" : `{ exclude: ${JSON.stringify(exclude.map((one) => [one]))} }`
  const rules = onlyColours ? `, runOnly: ["color-contrast", "link-in-text-block"]` : ""
  return Effect.promise(() =>
    page.evaluate<ReadonlyArray<string>>(
      `axe.run(${where}, { resultTypes: ["violations"]${rules} }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)).join(" | ")))`
    )
  )
}

/** Loads into the page the code that `violations` needs. */
export const withAxe = (page: Page) => Effect.promise(() => page.evaluate(axe.source))

/** Number of pixels by which the page is wider than its window. */
export const overflow = (page: Page) =>
  Effect.promise(() =>
    page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth")
  )

/** Fails if the page is wider than its window. */
export const assertFits = Effect.fnUntraced(function* (page: Page, where: string) {
  assert.strictEqual(yield* overflow(page), 0, `${where} is wider than its window`)
})

export interface View {
  readonly width: number
  readonly colorScheme: "light" | "dark"
}

/** On a desktop and on a phone, light and dark. */
export const views: ReadonlyArray<View> = [1440, 360].flatMap((width) => [
  { width, colorScheme: "light" },
  { width, colorScheme: "dark" }
])

/** Shows the page in this view. */
export const showAs = Effect.fnUntraced(function* (page: Page, { colorScheme, width }: View) {
  yield* Effect.promise(() => page.setViewportSize({ width, height: 800 }))
  yield* Effect.promise(() => page.emulateMedia({ colorScheme }))
})

/** The two views with the most coverage: wide and light, narrow and dark. The crawl of all pages covers the others. */
export const mostViews: ReadonlyArray<View> = views.filter(
  ({ colorScheme, width }) => (width === 1440) === (colorScheme === "light")
)

/**
 * Fails if the current page violates an accessibility rule in one of these views, or is wider than its window. Leaves
 * the page wide and light.
 */
export const assertClear = Effect.fnUntraced(function* (page: Page, what: string, seen = mostViews) {
  yield* withAxe(page)
  for (const view of seen) {
    const where = `${what}, ${view.width}, ${view.colorScheme}`
    yield* showAs(page, view)
    yield* assertFits(page, where)
    assert.deepStrictEqual(yield* violations(page, { onlyColours: view.colorScheme === "dark" }), [], where)
  }
  yield* showAs(page, { width: 1440, colorScheme: "light" })
})
