import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { answered, FakeReceiver } from "../../support/apps/Fakes.ts"
import { customerBody, endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { get, post } from "../../support/apps/Requests.ts"
import { until } from "../../support/apps/Until.ts"
import { assertClear, executablePath } from "../../support/browser/Chromium.ts"
import { arrivedAt, attempted, delivered, givenUp, isSigned, sampled } from "../../support/portal/Deliveries.ts"
import { browsing } from "../../support/portal/Visitor.ts"
import { en } from "../../support/portal/Words.ts"
import { reasonWords } from "../../../src/portal/events/DeliveryParts.ts"
import { itOn } from "../../support/Tests.ts"

const it = itOn(app)
const url = "https://hooks.example.com/folio"

const click = (page: Page, role: "link" | "button", name: string | RegExp) =>
  Effect.promise(() => page.getByRole(role, { name }).first().click())

const sees = (page: Page, text: string | RegExp) =>
  Effect.promise(() => page.locator("main").getByText(text).first().waitFor())

/** Follows the page's first link to an address that contains a text. */
const follow = (page: Page, to: string) => Effect.promise(() => page.locator(`main a[href*="${to}"]`).first().click())
/** Sends the form for an address that ends with a text. */
const submit = (page: Page, action: string) =>
  Effect.promise(() => page.locator(`form[action$="${action}"]`).getByRole("button").last().click())
const notice = (page: Page, name: string) =>
  Effect.promise(() => page.locator(`[role=status][data-notice=${name}]`).waitFor())
const at = (page: Page, path: RegExp) => Effect.promise(() => page.waitForURL(path))

/** An endpoint with a permanently failed delivery, and the invoice's request, which was sent twice. */
const outage = Effect.gen(function* () {
  const receiver = yield* FakeReceiver
  receiver.onSend = () =>
    Effect.succeed({ ...answered(503), headers: { "retry-after": "60" }, body: "<h1>Down for repairs</h1>" })
  const endpoint = yield* post("/v1/webhook-endpoints", { ...endpointBody(url), description: "The shop" })
  const customer = yield* post("/v1/customers", customerBody())
  for (let time = 0; time < 2; time++) {
    yield* post("/v1/invoices", invoiceBody(customer.json.id), { "idempotency-key": "order-1" })
  }
  const id = String(endpoint.json.id)
  yield* attempted(id)
  yield* givenUp(id)
  receiver.onSend = () => Effect.succeed(answered(204))
  return { id, old: String(endpoint.json.secret) }
})

it.live.skipIf(executablePath === undefined)(
  "a day of webhooks leads from a failed delivery to its cause, to the endpoint, and to the original request",
  function* () {
    const { id, old } = yield* outage
    const { faults, go, page } = yield* browsing()
    yield* go("/portal/events")
    yield* follow(page, "portal/events/evt_")
    yield* sees(page, reasonWords(en, "status", 503))
    yield* sees(page, "<h1>Down for repairs</h1>")
    yield* submit(page, "/redeliver")
    yield* notice(page, "redelivered")
    yield* delivered(id)
    // The page reloads until the delivery has ended.
    yield* Effect.promise(() => page.locator("main .state.ok").first().waitFor())

    yield* follow(page, `portal/endpoints/${id}`)
    yield* submit(page, "/pause")
    yield* notice(page, "paused")
    yield* submit(page, "/resume")
    yield* notice(page, "resumed")
    yield* submit(page, "/test")
    yield* at(page, /tested=whd_/)
    yield* Effect.promise(() => page.locator('#tested a[href*="portal/events/"]').waitFor())
    assert.lengthOf(yield* arrivedAt(url), 6)

    yield* go(`/portal/endpoints/${id}`)
    yield* follow(page, "/rotate")
    yield* at(page, /rotate$/)
    yield* submit(page, "/rotate")
    yield* sees(page, /^whsec_/)
    const main = yield* Effect.promise(() => page.innerText("main"))
    const secret = /whsec_[\w+/=]+/.exec(main)?.[0] ?? ""
    assert.notStrictEqual(secret, old)
    assert.isTrue(isSigned(secret, yield* sampled(id, url)))
    assert.notInclude(page.url(), "whsec_")
    yield* assertClear(page, page.url())
    yield* go(`/portal/endpoints/${id}`)
    yield* submit(page, "/recover")
    yield* notice(page, "recovered")

    yield* follow(page, "/edit")
    yield* Effect.promise(() => page.locator('[name="url"]').fill("https://10.0.0.1/hook"))
    yield* submit(page, "/edit")
    yield* Effect.promise(() => page.getByRole("alert").waitFor())
    yield* assertClear(page, page.url())

    yield* go("/portal/requests")
    yield* Effect.promise(() => page.locator('main a[href*="requests/req_"]:not(:has(code))').first().click())
    yield* at(page, /requests\/req_/)
    yield* click(page, "link", /^evt_/)
    yield* at(page, /events\/evt_/)
    // The browser reports the rejected form, and nothing else.
    assert.deepStrictEqual(
      faults.filter((fault) => !fault.includes("status of 400") && !fault.includes("Response Status Error Code 400")),
      []
    )
  }
)

/** Presses Tab until `isThere` accepts the focus. */
const tabTo = Effect.fnUntraced(function* (page: Page, isThere: string) {
  for (let count = 0; count < 80; count++) {
    yield* Effect.promise(() => page.keyboard.press("Tab"))
    const there = yield* Effect.promise(() =>
      page.evaluate<boolean>(`(() => { const one = document.activeElement; return ${isThere} })()`)
    )
    if (there) return
  }
  assert.fail(`the keyboard never reaches: ${isThere}`)
})

it.live.skipIf(executablePath === undefined)("webhooks can be managed with the keyboard only", function* () {
  const { id } = yield* outage
  const { go, page } = yield* browsing()
  const press = (key: string) => Effect.promise(() => page.keyboard.press(key))
  yield* go("/portal/endpoints")
  yield* tabTo(page, `one.matches('main a[href$="/endpoints/new"]')`)
  yield* press("Enter")
  yield* at(page, /endpoints\/new$/)
  yield* tabTo(page, `one.name === "url"`)
  yield* press("Control+A")
  yield* Effect.promise(() => page.keyboard.type("https://erp.example.com/hook"))
  yield* tabTo(page, `one.value === "invoice.email.bounced"`)
  yield* press("Space")
  yield* tabTo(page, `one.matches('form[action$="/endpoints/new"] button')`)
  yield* press("Enter")
  yield* sees(page, /^whsec_/)
  const { json } = yield* get("/v1/webhook-endpoints")
  const made = json.data.find((row: { url: string }) => row.url === "https://erp.example.com/hook")
  assert.include(made.subscribed_events, "invoice.email.bounced")

  yield* go("/portal/events")
  yield* tabTo(page, `one.matches('main a[href*="portal/events/evt_"]')`)
  yield* press("Enter")
  yield* sees(page, "Down for repairs")
  yield* tabTo(page, `one.tagName === "SUMMARY" && one.textContent.includes("Attempt 3")`)
  yield* press("Enter")
  yield* Effect.promise(() => page.locator("details[open] summary", { hasText: "Attempt 3" }).waitFor())
  yield* Effect.promise(() => page.keyboard.press("Shift+Tab"))
  yield* go(page.url().slice(page.url().indexOf("/portal")))
  yield* tabTo(page, `one.matches('form[action$="/redeliver"] button')`)
  yield* press("Enter")
  yield* delivered(id)

  yield* go("/portal/requests")
  yield* tabTo(page, `one.name === "status"`)
  yield* press("ArrowDown")
  yield* tabTo(page, `one.matches("main form button")`)
  yield* press("Enter")
  yield* Effect.promise(() => page.waitForURL(/status=2xx/))
})

it.live.skipIf(executablePath === undefined)("webhooks can be managed without JavaScript", function* () {
  const { id } = yield* outage
  const { faults, go, page } = yield* browsing({
    browser: { javaScriptEnabled: false, locale: "es-CO", viewport: { width: 360, height: 800 } }
  })
  yield* go("/portal/events?type=invoice.accepted_by_authority")
  yield* follow(page, "portal/events/evt_")
  yield* submit(page, "/redeliver")
  yield* notice(page, "redelivered")
  yield* delivered(id)
  yield* go(`/portal/endpoints/${id}`)
  yield* submit(page, "/test")
  yield* at(page, /tested=whd_/)
  yield* until(arrivedAt(url), ({ length }) => length === 6)
  yield* delivered(id)
  yield* Effect.promise(() => page.reload())
  yield* follow(page, "/delete")
  yield* submit(page, "/delete")
  yield* notice(page, "deleted")
  assert.strictEqual((yield* get(`/v1/webhook-endpoints/${id}`)).status, 404)
  yield* go("/portal/requests")
  yield* Effect.promise(() => page.locator('main a[href*="requests/req_"]:not(:has(code))').first().click())
  yield* at(page, /requests\/req_/)
  assert.deepStrictEqual(faults, [])
})
