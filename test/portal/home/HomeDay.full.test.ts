import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { apiKeyIds, testMode } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { addCustomer } from "../../support/apps/MemoryRows.ts"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import { post } from "../../support/apps/Requests.ts"
import { assertClear, executablePath } from "../../support/browser/Chromium.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { browsing } from "../../support/portal/Visitor.ts"
import { describeOn } from "../../support/Tests.ts"

const dayMs = 86_400_000

/** Looks at Home in both languages. */
const looked = Effect.fnUntraced(function* (what: string, options: Parameters<typeof browsing>[0] = {}) {
  for (const locale of ["en-GB", "es-CO"]) {
    const { faults, go, page } = yield* browsing({ ...options, browser: { locale } })
    yield* go("/portal")
    yield* assertClear(page, `${what}, ${locale}`)
    assert.deepStrictEqual(faults, [], what)
  }
})

describeOn(app)("a day that begins at Home (in Chromium; skipped where there is none)", (it) => {
  it.effect.skipIf(executablePath === undefined)(
    "shows a newcomer what to do first, and so a live account",
    function* () {
      yield* looked("a new account")
      yield* looked("a live account", { account: { ...testMode, livemode: true }, apiKeyId: apiKeyIds.live })
    }
  )

  it.effect.skipIf(executablePath === undefined)(
    "leads by the keyboard alone from what failed to the document, and shows each day as a table",
    function* () {
      const { tables, until } = yield* MemoryTables
      const { json } = yield* post("/v1/invoices", invoiceBody(yield* addCustomer()))
      yield* until(({ invoices }) => invoices.get(json.id)?.state === "accepted_by_authority")
      const row = tables.invoices.get(json.id)!
      tables.invoices.set(row.id, { ...row, state: "failed" })
      for (let day = 1; day < 30; day += 3) {
        const id = `inv_${String(day).padStart(26, "0")}` as typeof row.id
        tables.invoices.set(id, { ...row, id, created_at: new Date(row.created_at.getTime() - day * dayMs) })
      }
      yield* looked("an account at work")
      const { go, page } = yield* browsing({ browser: { locale: "en-GB" } })
      yield* go("/portal")
      const tabTo = async (selector: string) => {
        for (let pressed = 0; pressed < 60; pressed++) {
          await page.keyboard.press("Tab")
          if (await page.evaluate<boolean>(`document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`))
            return
        }
        assert.fail(`no way by the keyboard to ${selector}`)
      }
      yield* Effect.promise(async () => {
        await tabTo("summary")
        await page.keyboard.press("Enter")
        assert.strictEqual(await page.locator("details[open] tbody tr").count(), 30)
        assert.include(await page.locator("details[open] tbody tr").nth(1).innerText(), "20 November 2026")
        const chart = page.getByRole("img")
        assert.match(
          (await chart.getAttribute("aria-label")) ?? "",
          /^Documents of each of the last 30 days: 11 in all/
        )
        await page.reload()
        await tabTo("[aria-labelledby=needs] a")
        await page.keyboard.press("Enter")
        await page.waitForURL(`**/portal/documents/${row.id}`)
        await page.getByRole("heading", { level: 1 }).getByText(row.full_number!).waitFor()
      })
    }
  )
})
