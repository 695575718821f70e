import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { accepted, FakeAuthority } from "../../support/apps/Fakes.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { post } from "../../support/apps/Requests.ts"
import { assertClear, executablePath } from "../../support/browser/Chromium.ts"
import { browsing } from "../../support/portal/Visitor.ts"
import { describeLive } from "../../support/Tests.ts"
import { customerNamed, draftOf, invoiceOf, rejectedOf } from "./Rows.ts"

const act = (run: () => Promise<unknown>) => Effect.promise(run)

/** The browser reports the status of a rejected form, which is no fault of the page. */
const isFault = (fault: string) => !fault.includes("status of 400")

describeLive(app)("documents in a browser (skipped where there is no Chromium)", (it) => {
  it.effect.skipIf(executablePath === undefined)(
    "a rejected document is found, understood, corrected and accepted, with and without JavaScript",
    function* () {
      const authority = yield* FakeAuthority
      const customer = yield* customerNamed("Comercial Andina S.A.S.")
      yield* invoiceOf(customer)
      for (const javaScriptEnabled of [true, false]) {
        const invoice = yield* rejectedOf(customer)
        const { faults, go, page } = yield* browsing({ browser: { locale: "en-GB", javaScriptEnabled } })
        yield* go("/portal/documents")
        yield* act(() => page.locator('[name="status"]').selectOption("rejected_by_authority"))
        yield* act(() => page.locator("main form").getByRole("button").first().click())
        yield* act(() => page.waitForURL(/status=rejected_by_authority/))
        assert.strictEqual(yield* act(() => page.getByRole("link", { name: /^SETP/ }).count()), 1)
        yield* act(() => page.locator('[name="q"]').fill(invoice.full_number))
        yield* act(() => page.locator('[name="q"]').press("Enter"))
        yield* act(() => page.locator("h2#why").waitFor())
        assert.include(yield* Effect.promise(() => page.innerText("main")), "FAD06")

        yield* act(() => page.locator('main a[href$="/correct"]').first().click())
        const price = page.locator('[name="lines[0].unit_price"]')
        yield* act(() => price.fill("nothing"))
        yield* act(() => page.locator('button[value="check"]:not(.skip)').first().click())
        yield* act(() =>
          page.locator("#field-lines-0-unit_price-error, [id='field-lines-0--unit_price-error']").waitFor()
        )
        yield* act(() => price.fill("60000"))
        // Enter in a field only checks, and sends nothing.
        yield* act(() => price.press("Enter"))
        yield* act(() => page.locator("[data-notice=checked]").waitFor())
        assert.include(yield* Effect.promise(() => page.innerText("main")), "142,800.00")

        authority.onSubmit = () => Effect.succeed(accepted)
        yield* act(() => page.locator('button[value="send"]').first().click())
        const outcome = page.locator("#document .state.ok").first()
        if (!javaScriptEnabled) {
          // Without JavaScript, a person reloads by the link, which a page with the outcome does not have.
          const again = page.locator('#document .do a[href$="' + invoice.id + '"]')
          yield* act(async () => {
            for (;;) {
              await outcome.or(again).first().waitFor()
              if (await outcome.isVisible()) return
              await again.click()
            }
          })
        }
        yield* act(() => outcome.waitFor())
        assert.deepStrictEqual(faults.filter(isFault), [])
      }
    }
  )

  it.effect.skipIf(executablePath === undefined)(
    "a document in progress reloads until its outcome, and the forms have no accessibility fault",
    function* () {
      const customer = yield* customerNamed("En Camino")
      const rejection = yield* rejectedOf(customer)
      const id = yield* draftOf
      const { faults, go, page } = yield* browsing({ browser: { locale: "es-CO" } })
      yield* go(`/portal/documents/${id}`)
      assert.include(yield* Effect.promise(() => page.innerText("h1")), "Factura")
      assert.strictEqual((yield* post(`/v1/invoices/${id}/cancel`)).status, 200)
      yield* Effect.promise(() => page.getByText("Cancelada").first().waitFor())
      assert.isNull(yield* Effect.promise(() => page.getAttribute("#document", "hx-trigger")))
      for (const step of ["", "/correct"]) {
        yield* go(`/portal/documents/${rejection.id}${step}`)
        yield* assertClear(page, step)
      }
      assert.deepStrictEqual(faults, [])
    }
  )
})
