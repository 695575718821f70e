import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Page } from "playwright-core"
import { vi } from "vitest"
import { png } from "../../domain/accounts/pictures.ts"
import { apiKeyIds, layer as app, testMode } from "../../support/apps/MemoryApp.ts"
import { bearer, get, post } from "../../support/apps/Requests.ts"
import { assertClear, executablePath } from "../../support/browser/Chromium.ts"
import { browsing } from "../../support/portal/Visitor.ts"
import { describeOn } from "../../support/Tests.ts"

const does = <A>(run: () => Promise<A>) => Effect.promise(run)
const liveMode = { account: { ...testMode, livemode: true }, apiKeyId: apiKeyIds.live } as const
const setup = "/portal/setup"
const customers = "/portal/customers"

const andina = {
  identification: { type: "31", number: "900373115", check_digit: "3" },
  legal_name: "Comercial Andina S.A.S.",
  organization_type: "1",
  email: "facturas@andina.test",
  address: "Calle 10 # 5-51",
  city_code: "05001",
  department_code: "05",
  country_code: "CO",
  tax_responsibilities: ["O-13"],
  metadata: { shop: "A-77" }
}

const registered = Effect.map(post("/v1/customers", andina), ({ json }) => json.id as string)
const click = (page: Page, name: string, role: "button" | "link" = "button") =>
  does(() => page.getByRole(role, { name, exact: true }).first().click())
const notice = (page: Page, words: string) => does(() => page.getByRole("status").getByText(words).waitFor())
const fill = (page: Page, label: string, value: string) =>
  does(() => page.getByLabel(label, { exact: true }).fill(value))

/** A day's work with both pages, as a person does it. */
const day = Effect.fnUntraced(function* (browser: { readonly javaScriptEnabled: boolean }) {
  const { faults, go, page } = yield* browsing({ browser: { locale: "en-GB", ...browser } })

  yield* go(customers)
  yield* click(page, "New customer", "link")
  // First a field that the list has not: a click does not wait for the page, and the list is searched by a number as well.
  yield* fill(page, "Legal name", "Ferretería El Tornillo")
  yield* fill(page, "Number", "800.197.268-4")
  yield* fill(page, "E-mail", "no address @ all")
  yield* does(() => page.evaluate(`document.querySelector("main form[method=post]").noValidate = true`))
  yield* click(page, "Register")
  yield* does(() => page.getByText("email must be one e-mail address").waitFor())
  yield* fill(page, "E-mail", "hola@tornillo.test")
  yield* fill(page, "Municipality", "Medellín")
  yield* click(page, "Register")
  yield* notice(page, "The customer was registered.")
  yield* click(page, "Change", "link")
  yield* fill(page, "Trade name", "El Tornillo")
  yield* click(page, "Save")
  yield* notice(page, "The customer was changed.")
  yield* go(customers)
  yield* fill(page, "Number", "800197268")
  yield* click(page, "Find")
  // The whole list has the customer too: only what was found has a way back to all.
  yield* does(() => page.getByRole("link", { name: "Show all" }).waitFor())
  yield* does(() => page.getByText("El Tornillo", { exact: true }).waitFor())
  yield* click(page, "Ferretería El Tornillo", "link")
  yield* does(() => page.getByText("Medellín, Antioquia, Colombia").waitFor())
  yield* does(() => page.getByText("Delete the customer…").click())
  yield* click(page, "Delete for good")
  yield* notice(page, "The customer was deleted.")

  yield* click(page, "Setup", "link")
  yield* click(page, "Logo", "link")
  yield* does(() =>
    page.getByLabel("File").setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: png(300, 90) })
  )
  yield* click(page, "Save the logo")
  yield* notice(page, "The logo was saved.")
  const shown = `(() => { const one = document.querySelector("main img"); return one.complete && one.naturalWidth })()`
  // Looked at from here: without JavaScript no timer of a page runs, by which it could be looked at there again.
  yield* does(() => vi.waitFor(async () => assert.strictEqual(await page.evaluate(shown), 300), 30_000))
  yield* does(() =>
    page
      .getByLabel("File")
      .setInputFiles({ name: "photo.jpg", mimeType: "image/jpeg", buffer: Buffer.alloc(6_000_000, 1) })
  )
  yield* click(page, "Save the logo")
  yield* does(() => page.getByText("The file is larger than").first().waitFor())

  yield* go(`${setup}/ranges`)
  yield* click(page, "Register a range", "link")
  yield* fill(page, "Prefix", "FE")
  yield* fill(page, "Resolution number", "18764000001")
  yield* fill(page, "From", "1")
  yield* fill(page, "To", "5.000")
  yield* fill(page, "Valid from", "2026-01-19")
  yield* fill(page, "Valid until", "2030-01-19")
  yield* fill(page, "Technical key", "fc8eac422eba16e22ffd8c6f94b3f40a6e38162c")
  yield* click(page, "Register the range")
  yield* notice(page, "The range was registered.")
  yield* click(page, "FE · Invoice", "link")
  yield* click(page, "Switch the range off")
  yield* notice(page, "The range was changed.")

  yield* go(`${setup}/keys`)
  yield* fill(page, "Name of the new key", "The till")
  yield* click(page, "Create the key")
  const first = yield* does(() => page.getByLabel("The new key", { exact: true }).locator("code").innerText())
  yield* does(() => page.goto(page.url()))
  yield* click(page, "The till", "link")
  yield* does(() => page.getByLabel("The old key", { exact: true }).selectOption("3600"))
  yield* click(page, "Roll the key")
  const second = yield* does(() => page.getByLabel("The new key", { exact: true }).locator("code").innerText())
  assert.notStrictEqual(second, first)
  for (const key of [first, second]) assert.strictEqual((yield* get("/v1/account", bearer(key))).status, 200)
  assert.notInclude(page.url(), second)
  return faults
})

describeOn(app)("customers and setup in a browser (skipped where there is no Chromium)", (it) => {
  it.effect.skipIf(executablePath === undefined)("do a day's work with JavaScript", function* () {
    const faults = yield* day({ javaScriptEnabled: true })
    assert.deepStrictEqual(
      faults.filter((fault) => !/status of 4(00|13)/.test(fault)),
      []
    )
  })

  it.effect.skipIf(executablePath === undefined)("do the same work without JavaScript", function* () {
    assert.deepStrictEqual(
      (yield* day({ javaScriptEnabled: false })).filter((fault) => !/status of 4/.test(fault)),
      []
    )
  })

  it.effect.skipIf(executablePath === undefined)(
    "have no fault of access in the live mode, and fit (the crawl of all pages sees the test mode)",
    function* () {
      const id = yield* registered
      const paths = [
        customers,
        `${customers}?name=a`,
        `${customers}/new`,
        `${customers}/${id}`,
        `${customers}/${id}/change`,
        setup,
        ...["issuer", "logo", "certificate", "software", "enablement", "ranges", "ranges/new", "keys", "sessions"].map(
          (name) => `${setup}/${name}`
        ),
        `${setup}/keys/${apiKeyIds.test}`
      ]
      const { go, page } = yield* browsing({ ...liveMode, browser: { locale: "es-CO" } })
      for (const path of paths) {
        const isMissing = path.includes(id) || path.includes(apiKeyIds.test)
        const answer = yield* go(path)
        assert.include(isMissing ? [404] : [200, 400], answer?.status(), path)
        assert.strictEqual(yield* does(() => page.getAttribute("html", "lang")), "es")
        yield* does(() => page.evaluate(`for (const one of document.querySelectorAll("details")) one.open = true`))
        yield* assertClear(page, path)
      }
    }
  )

  it.effect.skipIf(executablePath === undefined)("show by themselves how a test set goes on", function* () {
    const { faults, go, page } = yield* browsing({ ...liveMode, browser: { locale: "en-GB" } })
    yield* go(`${setup}/enablement`)
    yield* fill(page, "Id of the test set (TestSetId)", "b7d1c2a4-93cf")
    yield* fill(page, "Invoices", "1")
    yield* fill(page, "Credit notes", "0")
    yield* fill(page, "Debit notes", "0")
    yield* click(page, "Start the test set")
    yield* does(() => page.getByText("0 of 1 accepted").waitFor())
    yield* does(() => page.evaluate("window.same = true"))
    const passed = page.getByText("Passed", { exact: true })
    // Second by second: whoever begins to sleep after the clock was set would sleep on, as who signs and sends takes a moment.
    for (let second = 0; second < 300 && !(yield* does(() => passed.isVisible())); second++) {
      yield* TestClock.adjust("1 second")
      yield* does(() => page.waitForTimeout(100))
    }
    yield* does(() => passed.waitFor())
    assert.isTrue(yield* does(() => page.evaluate("window.same")), "without a new page")
    assert.strictEqual(yield* does(() => page.locator("[hx-trigger]").count()), 0)
    assert.deepStrictEqual(faults, [])
  })

  it.effect.skipIf(executablePath === undefined)("are worked by the keyboard alone", function* () {
    const id = yield* registered
    const { go, page } = yield* browsing({ browser: { locale: "en-GB" } })
    const press = (key: string) => does(() => page.keyboard.press(key))
    const reach = Effect.fnUntraced(function* (words: string) {
      const here = `(document.activeElement.innerText || document.activeElement.labels?.[0]?.innerText || "").trim()`
      for (let step = 0; step < 80; step++) {
        if ((yield* does(() => page.evaluate(here))) === words) return
        yield* press("Tab")
      }
      assert.fail(`${words} is not reached`)
    })
    yield* go(`${customers}/${id}`)
    yield* reach("Change")
    yield* press("Enter")
    yield* does(() => page.getByLabel("Legal name").waitFor())
    yield* reach("Trade name")
    yield* does(() => page.keyboard.type("La Esquina"))
    yield* press("Enter")
    yield* notice(page, "The customer was changed.")
    yield* go(`${setup}/keys`)
    yield* reach("Name of the new key")
    yield* does(() => page.keyboard.type("By hand"))
    yield* press("Enter")
    yield* does(() => page.getByLabel("The new key", { exact: true }).waitFor())
    yield* go(`${setup}/keys`)
    yield* reach("By hand")
    yield* press("Enter")
    yield* does(() => page.getByText("Revoke the key…").waitFor())
    yield* reach("Revoke the key…")
    yield* press("Enter")
    yield* reach("Revoke it now")
    yield* press("Enter")
    yield* notice(page, "The key was revoked.")
  })
})
