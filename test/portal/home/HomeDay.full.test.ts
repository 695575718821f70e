import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { localDate } from "../../../src/runtime/AuthorityTime.ts"
import { idOf } from "../../../src/database/Ids.ts"
import { apiKeyIds, testMode } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { addInvoice, change } from "../../support/apps/PostgresRows.ts"
import { assertClear, executablePath } from "../../support/browser/Chromium.ts"
import { browsing } from "../../support/portal/Visitor.ts"
import { describeLive } from "../../support/Tests.ts"

const dayMs = 86_400_000
const inWords = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" })

/** Checks Home in both languages. */
const looked = Effect.fnUntraced(function* (what: string, options: Parameters<typeof browsing>[0] = {}) {
  for (const locale of ["en-GB", "es-CO"]) {
    const { faults, go, page } = yield* browsing({ ...options, browser: { locale } })
    yield* go("/portal")
    yield* assertClear(page, `${what}, ${locale}`)
    assert.deepStrictEqual(faults, [], what)
  }
})

// The service caches the number of documents on past days: each block has a service of its own.
describeLive(app)("Home without a past (in Chromium; skipped where there is none)", (it) => {
  it.effect.skipIf(executablePath === undefined)(
    "shows a newcomer the first steps, and also a live account",
    function* () {
      yield* looked("a new account")
      yield* looked("a live account", { account: { ...testMode, livemode: true }, apiKeyId: apiKeyIds.live })
    }
  )
})

describeLive(app)("a day that begins at Home (in Chromium; skipped where there is none)", (it) => {
  it.effect.skipIf(executablePath === undefined)(
    "leads with the keyboard only from a failure to the document, and shows each day as a table",
    function* () {
      const row = yield* addInvoice()
      const earlier = [1, 4, 7, 10, 13, 16, 19, 22, 25, 28].map((day) => {
        const created = Date.now() - day * dayMs
        return {
          id: idOf("inv", created).padEnd(30, "0"),
          created_at: new Date(created),
          full_number: `FE${day}`,
          cufe: `${day}`
        }
      })
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into invoices select c.* from invoices r, jsonb_array_elements(${JSON.stringify(earlier)}::jsonb) changes,
          jsonb_populate_record(r, changes) c where r.id = ${row.id}`
      yield* change("invoices", row.id, {
        state: "failed",
        failure: { code: "internal_error", message: "It failed.", retryable: true }
      })
      const yesterday = localDate(Date.now() - dayMs)
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
        assert.include(
          await page.locator("details[open] tbody tr").nth(1).innerText(),
          inWords.format(Date.parse(yesterday))
        )
        const chart = page.getByRole("img")
        assert.match(
          (await chart.getAttribute("aria-label")) ?? "",
          /^Documents per day in the last 30 days: 11 in total/
        )
        await page.reload()
        await tabTo("[aria-labelledby=needs] a")
        await page.keyboard.press("Enter")
        await page.waitForURL(`**/portal/documents/${row.id}`)
        await page.getByRole("heading", { level: 1 }).getByText(row.full_number).waitFor()
      })
    }
  )
})
