import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Locator, Page } from "playwright-core"
import { Capability } from "../../../schemas/PortalSession.ts"
import { customerBody, endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { TestApp, layer as testApp } from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { executablePath, opened } from "../../support/browser/Chromium.ts"
import { type Receiver, receiver } from "../../support/receiver/Receiver.ts"
import { itOn } from "../../support/Tests.ts"

class Shop extends Context.Service<Shop, Receiver>()("test/Shop") {}

const layer = Layer.unwrap(
  Effect.map(receiver, (shop) => Layer.merge(testApp({ allow: `127.0.0.1:${shop.port}` }), Layer.succeed(Shop, shop)))
)

const act = (run: () => Promise<unknown>) => Effect.asVoid(Effect.promise(run))

/** The actions of a person in the page. */
const hands = (page: Page, javaScriptEnabled: boolean) => {
  const main = page.locator("main")
  // Without JavaScript each click loads a page, and Chromium fails to reload a page that is still loading.
  const click = (what: Locator) =>
    act(() => Promise.all([javaScriptEnabled ? undefined : page.waitForEvent("load"), what.click()]))
  return {
    section: (path: string) => click(page.getByRole("navigation").locator(`a[href$="portal/${path}"]`).first()),
    /** Follows the first link whose address contains this path. */
    follow: (path: string) => click(main.locator(`a[href*="${path}"]`).first()),
    /** Presses the button of the form whose address ends with this action. */
    press: (action: string, button = "button:not(.skip)") =>
      click(main.locator(`form[action$="${action}"]`).locator(`${button}:visible`).first()),
    type: (name: string, value: string) => act(() => main.locator(`[name="${name}"]`).first().fill(value)),
    choose: (name: string, value: string) => act(() => main.locator(`[name="${name}"]`).first().selectOption(value)),
    /** Waits until the page shows the element. Without JavaScript, the page is reloaded meanwhile. */
    sees: Effect.fnUntraced(function* (selector: string, isReloaded = false) {
      const shown = Effect.promise(() => main.locator(selector).first().isVisible())
      const look = isReloaded ? Effect.andThen(Effect.asVoid(Effect.promise(() => page.reload())), shown) : shown
      yield* until(look, (isShown) => isShown, "30 seconds", isReloaded ? "500 millis" : "20 millis")
    }),
    text: Effect.promise(() => main.innerText())
  }
}

for (const javaScriptEnabled of [true, false]) {
  itOn(layer).live.skipIf(executablePath === undefined)(
    `The portal supports a day's work ${javaScriptEnabled ? "with" : "without"} JavaScript (skipped without Chromium)`,
    function* () {
      const { client, url } = yield* TestApp
      const shop = yield* Shop
      shop.answerWith(() => 500)
      const made = (path: string, body: unknown) =>
        Effect.map(client.post(path, body, { key: `a day ${path}` }), ({ json, status, text }) => {
          assert.isBelow(status, 300, text)
          return json as { readonly id: string; readonly url: string }
        })
      yield* made("/v1/webhook-endpoints", endpointBody(shop.url("/hook")))
      const customer = yield* made("/v1/customers", {
        ...customerBody("900123456"),
        legal_name: "Comercial Andina S.A.S."
      })
      const link = yield* made("/v1/portal-sessions", { capabilities: Capability.literals, expires_in: 3600 })

      const { faults, go, page } = yield* opened(url, { javaScriptEnabled, locale: "en-GB" })
      const { choose, follow, press, section, sees, text, type } = hands(page, javaScriptEnabled)
      yield* go(new URL(link.url).pathname)

      // The person scripts a rejection of the next document in the sandbox, and the shop sends the document.
      yield* section("bench")
      yield* choose("outcome", "reject")
      yield* type("rules", "FAJ43b")
      yield* press("/bench/scripts")
      yield* sees("[data-notice=planned]")
      const { id } = yield* made("/v1/invoices", invoiceBody(customer.id, { order: "1001" }))
      yield* until(client.get(`/v1/invoices/${id}`), ({ json }) => json.status === "rejected_by_authority")

      // The search finds the document, and its page shows the reason of the rejection.
      yield* section("documents")
      yield* choose("status", "rejected_by_authority")
      yield* act(() => page.locator("main form").getByRole("button").first().click())
      // The list of all documents has it too, but the test follows the link of the search result.
      yield* Effect.promise(() => page.waitForURL(/status=rejected_by_authority/))
      yield* follow("portal/documents/inv_")
      yield* sees("h2#why")
      assert.include(yield* text, "FAJ43b")
      assert.include(yield* text, "Comercial Andina S.A.S.")

      // The correction is accepted.
      yield* follow("/correct")
      yield* type("lines[0].description", "Consultoría de noviembre")
      yield* press("/correct", 'button[value="send"]')
      yield* sees("#document .state.ok", !javaScriptEnabled)
      const corrected = yield* client.get(`/v1/invoices/${id}`)
      assert.strictEqual(corrected.json.status, "accepted_by_authority")
      assert.strictEqual(corrected.json.lines[0].description, "Consultoría de noviembre")

      // The webhook that the shop has rejected is delivered again.
      yield* sees('li.no form[action*="/redeliver/"]', true)
      // Not earlier: half a minute after an attempt, the next attempt is automatic.
      shop.answerWith(() => 204)
      const before = shop.received.length
      yield* act(() => page.locator('main form[action*="/redeliver/"]').getByRole("button").first().click())
      yield* until(
        Effect.sync(() => shop.received.length),
        (count) => count > before
      )
      yield* sees('li.good form[action*="/redeliver/"]', true)

      // The request that created the document.
      yield* follow("portal/requests/req_")
      yield* Effect.promise(() => page.waitForURL(/requests\/req_/))
      assert.include(yield* text, "a day /v1/invoices")
      assert.include(yield* text, id)

      // After the sign-out, the session has no access.
      yield* Effect.promise(() => page.locator('form[action$="/portal/leave"] button').first().click())
      yield* Effect.promise(() => page.waitForURL("**/portal/leave"))
      const after = yield* go("/portal")
      assert.strictEqual(after?.status(), 401)
      const wrong = faults.filter((fault) => !fault.includes("401 (Unauthorized)"))
      assert.deepStrictEqual(wrong, [])
    }
  )
}
