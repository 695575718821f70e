import { assert } from "@effect/vitest"
import { Context, Effect } from "effect"
import type { InvoiceState } from "../../../src/invoices/rules/InvoiceLifecycle.ts"
import { type NewDate, Numbering } from "../../../src/invoices/store/Numbering.ts"
import { TestDatabase } from "../../support/database/Postgres.ts"
import { describeLive } from "../../support/Tests.ts"
import { twoOwners } from "../../support/database/TwoOwners.ts"

const setUp = Effect.gen(function* () {
  const { account, first, second, seed, sql: admin } = yield* twoOwners
  const document = Effect.fnUntraced(function* (state: InvoiceState = "numbered") {
    const [id] = yield* seed(1, state)
    const date: NewDate = {
      key: { ...account, id: id! },
      version: 1,
      issue_date: "2026-12-24",
      issue_time: "00:00:01-05:00",
      cufe: `another cufe of ${id}`
    }
    const stored = Effect.map(
      admin<{
        state: string
        version: number
        cufe: string
        date: string
        full_number: string
        commands: ReadonlyArray<string>
      }>`
        select state, version, cufe, issue_date::text as date, full_number,
          (select coalesce(array_agg(command order by version), '{}') from transitions where invoice_id = i.id) as commands
        from invoices i where id = ${id!}`,
      ([row]) => row!
    )
    return { id: id!, date, stored }
  })
  return {
    document,
    first: Context.get(first, Numbering),
    second: Context.get(second, Numbering)
  }
})

describeLive(TestDatabase.layer)("Redating", (it) => {
  it.effect.each(["numbered", "signed"] as const)(
    "changes the date of a %s document once, under its number",
    function* (state) {
      const { document, first, second } = yield* setUp
      const { date, stored } = yield* document(state)
      const before = yield* stored
      const results = yield* Effect.all([first.redate(date), second.redate(date), first.redate(date)], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(results.toSorted(), ["redated", "too_late", "too_late"])
      assert.deepStrictEqual(yield* stored, {
        state: "numbered",
        version: 2,
        cufe: date.cufe,
        date: "2026-12-24",
        full_number: before.full_number,
        commands: ["Redate"]
      })
    }
  )
})
