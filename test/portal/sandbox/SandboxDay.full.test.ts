import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { signatureHeaders } from "../../../src/webhooks/rules/WebhookSignature.ts"
import { SandboxAuthorities } from "../../../src/accounts/store/sandbox/SandboxAuthorities.ts"
import { testMode } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { endpointBody } from "../../support/apps/Invoices.ts"
import { post } from "../../support/apps/Requests.ts"
import { assertClear, executablePath } from "../../support/browser/Chromium.ts"
import { issued } from "../../support/portal/Deliveries.ts"
import { browsing } from "../../support/portal/Visitor.ts"
import { describeLive } from "../../support/Tests.ts"

/** An event of the account as delivered, and its signature header for an endpoint. */
const webhook = Effect.gen(function* () {
  const { json: endpoint } = yield* post("/v1/webhook-endpoints", endpointBody("https://shop.example.com/hook"))
  const { json: other } = yield* post("/v1/webhook-endpoints", endpointBody("https://other.example.com/hook"))
  const { body, id } = yield* issued()
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = signatureHeaders({ secret: endpoint.secret, messageId: id, timestamp, body })
  return { body, header: `Svc-Signature: ${headers["Svc-Signature"]}`, secret: endpoint.secret, other: other.secret }
})

/** Presses Tab until the element of the selector has the focus. Fails if the page has no way to it. */
const tabTo = async (page: Page, selector: string) => {
  for (let pressed = 0; pressed < 60; pressed++) {
    await page.keyboard.press("Tab")
    if (await page.evaluate<boolean>(`document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`)) return
  }
  assert.fail(`no way by the keyboard to ${selector}`)
}

describeLive(app)("a day with the sandbox tools (in Chromium; skipped where there is none)", (it) => {
  it.effect.skipIf(executablePath === undefined)(
    "works with the keyboard only: a fault is found and repaired, and the authority is scripted",
    function* () {
      const { body, header, other, secret } = yield* webhook
      const { go, page } = yield* browsing({ browser: { locale: "en-GB" } })
      yield* go("/portal")
      yield* Effect.promise(async () => {
        await tabTo(page, "nav a[href$='bench']")
        await page.keyboard.press("Enter")
        await page.waitForSelector("textarea[name=body]")
        await tabTo(page, "textarea[name=body]")
        await page.keyboard.insertText(JSON.stringify(JSON.parse(body), null, 2))
        await page.keyboard.press("Tab")
        await page.keyboard.insertText(header)
        await page.keyboard.press("Tab")
        await page.keyboard.insertText(other)
        await page.keyboard.press("Enter")
        await page.waitForSelector("[data-fault=secret_of_another]")
        await page.waitForSelector("[data-fault=body_reserialized]")
        await tabTo(page, "textarea[name=body]")
        await page.keyboard.press("Control+A")
        await page.keyboard.insertText(body)
        await tabTo(page, "input[name=secret]")
        await page.keyboard.insertText(secret)
        await page.keyboard.press("Enter")
        await page.waitForSelector("[aria-labelledby=found] .state.ok")
        await tabTo(page, "input[name=rules]")
        await page.keyboard.insertText("FAD06")
        await page.keyboard.press("Enter")
        await page.waitForSelector("[data-notice=planned]")
        await tabTo(page, "form[action$='reset'] button")
        await page.keyboard.press("Enter")
        await page.waitForSelector("[data-notice=reset]")
        await tabTo(page, "form[action$='clock'] button")
        await page.keyboard.press("Enter")
        await page.waitForSelector("[data-notice=clock]")
      })
    }
  )

  it.effect.skipIf(executablePath === undefined)(
    "needs no JavaScript, and has no accessibility fault in results and errors",
    function* () {
      const { body, header, other } = yield* webhook
      for (const locale of ["en-GB", "es-CO"]) {
        const { faults, go, page } = yield* browsing({ browser: { locale } })
        // The page works as without JavaScript, and axe, which is JavaScript, checks it.
        yield* Effect.promise(() => page.route("**/htmx.js*", (route) => route.abort()))
        yield* go("/portal/bench")
        const look = (what: string) => assertClear(page, `${what}, ${locale}`)
        yield* Effect.promise(async () => {
          await page.fill("[name=body]", `${body}\n`)
          await page.fill("[name=headers]", header)
          await page.fill("[name=secret]", other)
          await page.click("form[action$='signature'] button")
          await page.waitForSelector("[aria-labelledby=found] .rule")
        })
        yield* look("what was found")
        yield* Effect.promise(async () => {
          await page.fill("[name=rules]", "<script>")
          await page.click("form[action$='scripts'] button")
          await page.waitForSelector("[aria-labelledby=authority] [aria-invalid]")
        })
        yield* look("a refused form")
        yield* Effect.promise(async () => {
          await page.fill("[name=rules]", "FAD06")
          await page.fill("[name=delay]", "7")
          await page.click("form[action$='scripts'] button")
          await page.waitForSelector("[aria-labelledby=authority] li")
        })
        yield* look("what is planned")
        const { next } = yield* (yield* SandboxAuthorities).setting(testMode)
        assert.deepStrictEqual(next.at(-1) as unknown, { reject: ["FAD06"], delay: 7 })
        yield* Effect.promise(async () => {
          await page.click("form[action$='clear'] button")
          await page.waitForSelector(".notice")
        })
        // The console reports the rejected form, and that htmx did not load.
        assert.deepStrictEqual(
          faults.filter((fault) => !/422|ERR_FAILED/.test(fault)),
          []
        )
      }
    }
  )
})
