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

/** A square of one colour, as PNG. */
const logo = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64"
)

const act = (run: () => Promise<unknown>) => Effect.asVoid(Effect.promise(run))

/** Steps of a person in the page. */
const hands = (page: Page, javaScriptEnabled: boolean) => {
  const main = page.locator("main")
  // Without JavaScript each click loads a page, and Chromium fails to load that page again while it is still on its way.
  const click = (what: Locator) =>
    act(() => Promise.all([javaScriptEnabled ? undefined : page.waitForEvent("load"), what.click()]))
  return {
    section: (name: string) =>
      click(page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true })),
    follow: (name: string | RegExp) => click(main.getByRole("link", { name }).first()),
    press: (name: string | RegExp) => click(main.getByRole("button", { name }).first()),
    type: (label: string, value: string) => act(() => main.getByLabel(label, { exact: true }).first().fill(value)),
    choose: (label: string, value: string) =>
      act(() => main.getByLabel(label, { exact: true }).first().selectOption(value)),
    /** Waits until the page says so; a person without JavaScript loads the page again meanwhile. */
    sees: Effect.fnUntraced(function* (words: string | RegExp, isReloaded = false) {
      const shown = Effect.promise(() => main.getByText(words).first().isVisible())
      const look = isReloaded ? Effect.andThen(Effect.asVoid(Effect.promise(() => page.reload())), shown) : shown
      yield* until(look, (isShown) => isShown, "30 seconds", isReloaded ? "500 millis" : "20 millis")
    }),
    text: Effect.promise(() => main.innerText())
  }
}

for (const javaScriptEnabled of [true, false]) {
  itOn(layer).live.skipIf(executablePath === undefined)(
    `a day's work is done in the portal ${javaScriptEnabled ? "with" : "without"} JavaScript (skipped where there is no Chromium)`,
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

      // The sandbox is told to reject the next document, which the shop then sends.
      yield* section("Sandbox tools")
      yield* choose("The authority shall", "reject")
      yield* type("Rules, to reject it", "FAJ43b")
      yield* press("Add")
      yield* sees("It is planned for one more document.")
      const { id } = yield* made("/v1/invoices", invoiceBody(customer.id, { order: "1001" }))
      yield* until(client.get(`/v1/invoices/${id}`), ({ json }) => json.status === "rejected_by_authority")

      // It is found, and the page says why it was rejected.
      yield* section("Documents")
      yield* choose("State", "rejected_by_authority")
      yield* press("Find")
      // The list of all has the document too: it is followed from the page of what was found.
      yield* Effect.promise(() => page.waitForURL(/status=rejected_by_authority/))
      yield* follow(/^SETP/)
      yield* sees("Why it was rejected")
      assert.include(yield* text, "FAJ43b")
      assert.include(yield* text, "Comercial Andina S.A.S.")

      // It is corrected, and accepted.
      yield* follow("Correct and send again")
      yield* type("Description", "Consultoría de noviembre")
      yield* press("Correct and send again")
      yield* sees("Accepted by the authority", !javaScriptEnabled)
      const corrected = yield* client.get(`/v1/invoices/${id}`)
      assert.strictEqual(corrected.json.status, "accepted_by_authority")
      assert.strictEqual(corrected.json.lines[0].description, "Consultoría de noviembre")

      // Its webhook, which the shop has refused, is delivered again.
      yield* sees("not delivered", true)
      // Only now: half a minute after an attempt the next one is made without anybody's doing.
      shop.answerWith(() => 204)
      const before = shop.received.length
      yield* press("Send again")
      yield* until(
        Effect.sync(() => shop.received.length),
        (count) => count > before
      )
      yield* sees(/(?<!not\s+)delivered\s+to 127\.0\.0\.1/, true)

      // The request that made the document.
      yield* follow(/POST \/v1\/invoices/)
      yield* sees("Request body")
      assert.include(yield* text, "a day /v1/invoices")
      assert.include(yield* text, id)

      // A key is rolled: the new one works.
      yield* section("Setup")
      yield* follow(/keys/i)
      yield* follow("Unnamed")
      yield* press("Roll the key")
      yield* sees("Here is the new key. Copy it now.")
      const [key = ""] = /sk_test_\w+/.exec(yield* text) ?? []
      const withKey = yield* Effect.promise(() =>
        fetch(`${url}/v1/account`, { headers: { authorization: `Bearer ${key}` } })
      )
      assert.strictEqual(withKey.status, 200)

      // A range is registered.
      yield* section("Setup")
      yield* follow(/numbering|ranges/i)
      yield* follow("Register a range")
      for (const [label, value] of [
        ["Prefix", "FE"],
        ["Resolution number", "18760000002"],
        ["From", "1"],
        ["To", "1000"],
        ["Valid from", "2026-01-01"],
        ["Valid until", "2029-12-31"],
        ["Technical key", "fc8eac422eba16e22ffd8c6f94b3f40a6e38162c"]
      ] as const) {
        yield* type(label, value)
      }
      yield* press("Register the range")
      yield* sees("The range was registered.")
      const ranges = yield* client.get("/v1/resolutions")
      assert.deepInclude(ranges.json.data[0], { prefix: "FE", number: "18760000002" })

      // A logo is added.
      yield* section("Setup")
      yield* follow(/logo/i)
      yield* Effect.promise(() =>
        page
          .getByLabel("File", { exact: true })
          .setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: logo })
      )
      yield* press("Save the logo")
      yield* sees("Remove the logo")
      assert.strictEqual((yield* client.get("/v1/account/logo")).status, 200)

      // Whoever leaves is out.
      yield* Effect.promise(() => page.getByRole("button", { name: "Leave" }).click())
      yield* Effect.promise(() => page.waitForURL("**/portal/leave"))
      const after = yield* go("/portal")
      assert.strictEqual(after?.status(), 401)
      const wrong = faults.filter((fault) => !fault.includes("401 (Unauthorized)"))
      assert.deepStrictEqual(wrong, [])
    }
  )
}
