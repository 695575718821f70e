import { assert } from "@effect/vitest"
import { Effect, Latch } from "effect"
import type { Page } from "playwright-core"
import { vi } from "vitest"
import { png } from "../../accounts/rules/pictures.ts"
import { apiKeyIds } from "../../support/apps/Accounts.ts"
import { accepted, FakeAuthority } from "../../support/apps/Fakes.ts"
import { serviceWith } from "../../support/apps/PostgresApp.ts"
import { bearer, get, post } from "../../support/apps/Requests.ts"
import { assertClear, executablePath } from "../../support/browser/Chromium.ts"
import { asLive, browsing } from "../../support/portal/Visitor.ts"
import { describeLive } from "../../support/Tests.ts"
import { pace } from "./Pace.ts"

const does = <A>(run: () => Promise<A>) => Effect.promise(run)
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
/** Follows the page's link to an address that ends with a text. */
const follow = (page: Page, to: string) => does(() => page.locator(`main a[href$="${to}"]`).first().click())
/** Sends the form for an address that ends with a text. */
const submit = (page: Page, action: string) =>
  does(() => page.locator(`form[action$="${action}"]`).getByRole("button").last().click())
const notice = (page: Page, name: string) => does(() => page.locator(`[role=status][data-notice=${name}]`).waitFor())
const field = (page: Page, name: string) => page.locator(`main [name="${name}"]:visible`)
const fill = (page: Page, name: string, value: string) => does(() => field(page, name).fill(value))
/** The message next to a field. */
const refused = (page: Page, name: string) => does(() => page.locator(`[id="field-${name}-error"]`).waitFor())
/** Opens the details that hide the form for an address. */
const reveal = (page: Page, action: string) =>
  does(() =>
    page
      .locator("details", { has: page.locator(`form[action$="${action}"]`) })
      .locator("summary")
      .click()
  )

/** A day's work with both pages, as a person does it. */
const day = Effect.fnUntraced(function* (browser: { readonly javaScriptEnabled: boolean }) {
  const { faults, go, page } = yield* browsing({ browser: { locale: "en-GB", ...browser } })

  yield* go(customers)
  yield* follow(page, "/customers/new")
  // First a field that the list lacks: a click does not wait for the page, and the list also has a search by number.
  yield* fill(page, "legal_name", "Ferretería El Tornillo")
  yield* fill(page, "identification.number", "800.197.268-4")
  yield* fill(page, "email", "no address @ all")
  yield* does(() => page.evaluate(`document.querySelector("main form[method=post]").noValidate = true`))
  yield* submit(page, "/customers/new")
  yield* refused(page, "email")
  yield* fill(page, "email", "hola@tornillo.test")
  yield* fill(page, "city_code", "Medellín")
  yield* submit(page, "/customers/new")
  yield* notice(page, "created")
  yield* follow(page, "/change")
  yield* fill(page, "trade_name", "El Tornillo")
  yield* submit(page, "/change")
  yield* notice(page, "changed")
  yield* go(customers)
  yield* fill(page, "number", "800197268")
  yield* does(() => field(page, "number").press("Enter"))
  // The whole list has the customer too. Only the result of a search has a way back to all customers.
  yield* does(() => page.waitForURL(/number=800197268/))
  yield* does(() => page.getByText("El Tornillo", { exact: true }).waitFor())
  yield* does(() => page.getByRole("link", { name: "Ferretería El Tornillo" }).click())
  yield* does(() => page.getByText("Medellín, Antioquia, Colombia").waitFor())
  yield* reveal(page, "/delete")
  yield* submit(page, "/delete")
  yield* notice(page, "deleted")

  yield* does(() => page.locator('nav a[href$="/setup"]').first().click())
  yield* follow(page, "/setup/logo")
  yield* does(() =>
    field(page, "logo").setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: png(300, 90) })
  )
  yield* submit(page, "/setup/logo")
  yield* notice(page, "saved")
  const shown = `(() => { const one = document.querySelector("main img"); return one.complete && one.naturalWidth })()`
  // The test reloads the page itself: without JavaScript, no timer of a page runs.
  yield* does(() => vi.waitFor(async () => assert.strictEqual(await page.evaluate(shown), 300), 30_000))
  yield* does(() =>
    field(page, "logo").setInputFiles({
      name: "photo.jpg",
      mimeType: "image/jpeg",
      buffer: Buffer.alloc(6_000_000, 1)
    })
  )
  yield* submit(page, "/setup/logo")
  yield* does(() => page.getByRole("alert").waitFor())

  yield* go(`${setup}/ranges`)
  yield* follow(page, "/ranges/new")
  // The account also has the range of the other day.
  const prefix = browser.javaScriptEnabled ? "FE" : "FF"
  yield* fill(page, "prefix", prefix)
  yield* fill(page, "number", "18764000001")
  yield* fill(page, "from_number", "1")
  yield* fill(page, "to_number", "5.000")
  yield* fill(page, "valid_from", "2026-01-19")
  yield* fill(page, "valid_to", "2030-01-19")
  yield* fill(page, "technical_key", "fc8eac422eba16e22ffd8c6f94b3f40a6e38162c")
  yield* submit(page, "/ranges/new")
  yield* notice(page, "registered")
  yield* does(() =>
    page
      .getByRole("link", { name: new RegExp(`^${prefix} ·`) })
      .first()
      .click()
  )
  yield* does(() => page.locator('form:has([name="is_active"])').getByRole("button").click())
  yield* notice(page, "changed")

  yield* go(`${setup}/keys`)
  yield* fill(page, "name", "The till")
  yield* submit(page, "/setup/keys")
  const made = () => does(() => page.locator("main code", { hasText: /^sk_/ }).first().innerText())
  const first = yield* made()
  yield* does(() => page.goto(page.url()))
  yield* does(() => page.getByRole("link", { name: "The till" }).first().click())
  yield* does(() => field(page, "expires_in").selectOption("3600"))
  yield* submit(page, "/roll")
  yield* does(() => page.waitForURL(/roll/))
  const second = yield* made()
  assert.notStrictEqual(second, first)
  for (const key of [first, second]) assert.strictEqual((yield* get("/v1/account", bearer(key))).status, 200)
  assert.notInclude(page.url(), second)
  return faults
})

describeLive(serviceWith(pace))("customers and setup in a browser (skipped where there is no Chromium)", (it) => {
  it.effect.skipIf(executablePath === undefined)("complete a day's work with JavaScript", function* () {
    const faults = yield* day({ javaScriptEnabled: true })
    assert.deepStrictEqual(
      faults.filter((fault) => !/status of 4(00|13)/.test(fault)),
      []
    )
  })

  it.effect.skipIf(executablePath === undefined)("complete the same work without JavaScript", function* () {
    assert.deepStrictEqual(
      (yield* day({ javaScriptEnabled: false })).filter((fault) => !/status of 4/.test(fault)),
      []
    )
  })

  it.effect.skipIf(executablePath === undefined)(
    "have no accessibility fault in live mode, and fit (the crawl of all pages covers the test mode)",
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
      const { go, page } = yield* browsing({ ...asLive, browser: { locale: "es-CO" } })
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

  it.effect.skipIf(executablePath === undefined)("show the progress of a test set without a click", function* () {
    const authority = yield* FakeAuthority
    const judged = yield* Latch.make()
    authority.onTestVerdict = () => Effect.as(judged.await, accepted)
    const { faults, go, page } = yield* browsing({ ...asLive, browser: { locale: "en-GB" } })
    yield* go(`${setup}/enablement`)
    yield* fill(page, "test_set_id", "b7d1c2a4-93cf")
    yield* fill(page, "invoices", "1")
    yield* fill(page, "credit_notes", "0")
    yield* fill(page, "debit_notes", "0")
    yield* submit(page, "/enablement")
    yield* does(() => page.locator("[hx-trigger]").waitFor())
    yield* does(() => page.evaluate("window.same = true"))
    yield* judged.open
    const passed = page.locator("main .state.ok").first()
    yield* does(() => passed.waitFor())
    assert.isTrue(yield* does(() => page.evaluate("window.same")), "without a new page")
    assert.strictEqual(yield* does(() => page.locator("[hx-trigger]").count()), 0)
    assert.deepStrictEqual(faults, [])
  })

  it.effect.skipIf(executablePath === undefined)("can be used with the keyboard only", function* () {
    const id = yield* registered
    const { go, page } = yield* browsing({ browser: { locale: "en-GB" } })
    const press = (key: string) => does(() => page.keyboard.press(key))
    /** Presses Tab until the element of a selector has the focus. */
    const reach = Effect.fnUntraced(function* (selector: string) {
      const here = `document.activeElement.matches(${JSON.stringify(selector)})`
      for (let step = 0; step < 80; step++) {
        if (yield* does(() => page.evaluate<boolean>(here))) return
        yield* press("Tab")
      }
      assert.fail(`${selector} is not reached`)
    })
    yield* go(`${customers}/${id}`)
    yield* reach('main a[href$="/change"]')
    yield* press("Enter")
    yield* does(() => field(page, "legal_name").waitFor())
    yield* reach('[name="trade_name"]')
    yield* does(() => page.keyboard.type("La Esquina"))
    yield* press("Enter")
    yield* notice(page, "changed")
    yield* go(`${setup}/keys`)
    yield* reach('main [name="name"]')
    yield* does(() => page.keyboard.type("By hand"))
    yield* press("Enter")
    yield* does(() => page.locator("main code", { hasText: /^sk_/ }).first().waitFor())
    yield* go(`${setup}/keys`)
    const key = yield* does(() => page.getByRole("link", { name: "By hand" }).getAttribute("href"))
    yield* reach(`main a[href="${key}"]`)
    yield* press("Enter")
    yield* does(() => page.locator('form[action$="/revoke"]').waitFor({ state: "attached" }))
    yield* reach('details:has(form[action$="/revoke"]) summary')
    yield* press("Enter")
    yield* reach('form[action$="/revoke"] button')
    yield* press("Enter")
    yield* notice(page, "revoked")
  })
})
