import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Page } from "playwright-core"
import { answered, FakeReceiver } from "../../support/apps/Fakes.ts"
import { customerBody, endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { post } from "../../support/apps/Requests.ts"
import { assertClear, executablePath } from "../../support/browser/Chromium.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { browsing } from "../../support/portal/Visitor.ts"
import { itOn } from "../../support/Tests.ts"

const it = itOn(app)
const url = "https://hooks.example.com/folio"

const click = (page: Page, role: "link" | "button", name: string | RegExp) =>
  Effect.promise(() => page.getByRole(role, { name }).first().click())

const sees = (page: Page, text: string | RegExp) =>
  Effect.promise(() => page.locator("main").getByText(text).first().waitFor())

/** An endpoint to which a delivery has failed for good, and the request that made the invoice, which was sent twice. */
const outage = Effect.gen(function* () {
  const receiver = yield* FakeReceiver
  const { tables, until } = yield* MemoryTables
  receiver.onSend = () =>
    Effect.succeed({ ...answered(503), headers: { "retry-after": "60" }, body: "<h1>Down for repairs</h1>" })
  const endpoint = yield* post("/v1/webhook-endpoints", { ...endpointBody(url), description: "The shop" })
  const customer = yield* post("/v1/customers", customerBody())
  for (let time = 0; time < 2; time++) {
    yield* post("/v1/invoices", invoiceBody(customer.json.id), { "idempotency-key": "order-1" })
  }
  yield* until(({ attempts }) => attempts.length === 1)
  yield* TestClock.adjust("40 minutes")
  yield* until(({ attempts }) => attempts.length === 4)
  receiver.onSend = () => Effect.succeed(answered(204))
  return { id: String(endpoint.json.id), tables, until, receiver }
})

it.effect.skipIf(executablePath === undefined)(
  "a day of webhooks: from a failed delivery to its cause, to the endpoint, and to the request that began it",
  function* () {
    const { id, receiver, tables, until } = yield* outage
    const { faults, go, page } = yield* browsing()
    yield* go("/portal/events")
    yield* sees(page, "1 failed")
    yield* click(page, "link", /Invoice accepted/)
    yield* sees(page, "Status 503; only 2xx counts.")
    yield* sees(page, "<h1>Down for repairs</h1>")
    yield* click(page, "button", "Send again")
    yield* sees(page, "The delivery is being sent once more.")
    yield* until(({ deliveries }) => [...deliveries.values()].every(({ status }) => status === "succeeded"))
    // The page asks by itself until the delivery has come to an end.
    yield* sees(page, "Delivered")

    yield* click(page, "link", url)
    yield* sees(page, "The last two days")
    yield* click(page, "button", "Pause")
    yield* sees(page, "The endpoint is paused: nothing is sent.")
    yield* click(page, "button", "Go on")
    yield* sees(page, /goes on/)
    yield* click(page, "button", "Send a sample")
    yield* sees(page, "What was sent and answered")
    assert.strictEqual(receiver.requests.length, 6)
    yield* click(page, "link", "What was sent and answered")
    yield* sees(page, "None: this is a sample")

    yield* go(`/portal/endpoints/${id}`)
    yield* click(page, "link", "Rotate the secret")
    yield* sees(page, "The old secret stops at once")
    yield* click(page, "button", "Rotate now")
    // The stored secret is the new one only after the answer has come.
    yield* sees(page, "Copy it now")
    yield* sees(page, tables.endpoints.get(id)?.secret ?? "none")
    assert.notInclude(page.url(), "whsec_")
    yield* assertClear(page, page.url())
    yield* click(page, "link", "I have copied it")
    yield* click(page, "button", "Recover")
    yield* sees(page, "Deliveries that are sent again: 0.")

    yield* click(page, "link", "Change")
    yield* Effect.promise(() => page.getByLabel("Address").fill("https://10.0.0.1/hook"))
    yield* click(page, "button", "Save")
    yield* sees(page, "Nothing was changed.")
    yield* assertClear(page, page.url())

    yield* go("/portal/requests")
    yield* click(page, "link", "replayed of the first")
    yield* sees(page, "This request was executed with this key.")
    yield* click(page, "link", /^evt_/)
    yield* sees(page, "What was signed")
    // The refused form is the one fault that a browser tells of.
    assert.deepStrictEqual(
      faults.filter((fault) => !fault.includes("status of 400") && !fault.includes("Response Status Error Code 400")),
      []
    )
  }
)

/** Moves on by the key Tab until the focus is where `isThere` says. */
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

it.effect.skipIf(executablePath === undefined)("webhooks are cared for by the keyboard alone", function* () {
  const { tables, until } = yield* outage
  const { go, page } = yield* browsing()
  const press = (key: string) => Effect.promise(() => page.keyboard.press(key))
  yield* go("/portal/endpoints")
  yield* tabTo(page, `one.textContent === "Add an endpoint"`)
  yield* press("Enter")
  yield* sees(page, "New endpoint")
  yield* tabTo(page, `one.name === "url"`)
  yield* press("Control+A")
  yield* Effect.promise(() => page.keyboard.type("https://erp.example.com/hook"))
  yield* tabTo(page, `one.value === "invoice.email.bounced"`)
  yield* press("Space")
  yield* tabTo(page, `one.textContent === "Add the endpoint"`)
  yield* press("Enter")
  yield* sees(page, "The endpoint is ready")
  const made = [...tables.endpoints.values()].find((row) => row.url === "https://erp.example.com/hook")
  assert.isTrue(made?.subscribed_events.includes("invoice.email.bounced"))

  yield* go("/portal/events")
  yield* tabTo(page, `one.tagName === "A" && one.textContent.includes("Invoice accepted")`)
  yield* press("Enter")
  yield* sees(page, "Down for repairs")
  yield* tabTo(page, `one.tagName === "SUMMARY" && one.textContent.includes("Attempt 3")`)
  yield* press("Enter")
  yield* Effect.promise(() => page.locator("details[open] summary", { hasText: "Attempt 3" }).waitFor())
  yield* Effect.promise(() => page.keyboard.press("Shift+Tab"))
  yield* go(page.url().slice(page.url().indexOf("/portal")))
  yield* tabTo(page, `one.textContent === "Send again"`)
  yield* press("Enter")
  yield* until(({ deliveries }) => [...deliveries.values()].every(({ status }) => status === "succeeded"))

  yield* go("/portal/requests")
  yield* tabTo(page, `one.name === "status"`)
  yield* press("ArrowDown")
  yield* tabTo(page, `one.textContent === "Filter"`)
  yield* press("Enter")
  yield* Effect.promise(() => page.waitForURL(/status=2xx/))
  yield* sees(page, "Newest first")
})

it.effect.skipIf(executablePath === undefined)("webhooks are cared for without JavaScript", function* () {
  const { id, tables, until } = yield* outage
  const { faults, go, page } = yield* browsing({
    browser: { javaScriptEnabled: false, locale: "es-CO", viewport: { width: 360, height: 800 } }
  })
  yield* go("/portal/events?type=invoice.accepted_by_authority")
  yield* click(page, "link", /Factura aceptada/)
  yield* click(page, "button", "Enviar de nuevo")
  yield* sees(page, "La entrega se está enviando de nuevo.")
  yield* until(({ deliveries }) => [...deliveries.values()].every(({ status }) => status === "succeeded"))
  yield* go(`/portal/endpoints/${id}`)
  yield* click(page, "button", "Enviar una muestra")
  yield* sees(page, "El evento de muestra")
  yield* until(({ attempts }) => attempts.length === 6)
  yield* Effect.promise(() => page.reload())
  yield* sees(page, "Lo que se envió y se respondió")
  yield* click(page, "link", "Eliminar")
  yield* click(page, "button", "Eliminar definitivamente")
  yield* sees(page, "El destino se eliminó.")
  assert.isFalse(tables.endpoints.has(id))
  yield* go("/portal/requests")
  yield* click(page, "link", "repetición de la primera")
  yield* sees(page, "Cuerpo de la solicitud")
  assert.deepStrictEqual(faults, [])
})
