import { assert } from "@effect/vitest"
import { Context, Effect } from "effect"
import type { InvoiceState } from "../../../src/domain/documents/InvoiceLifecycle.ts"
import { type NewDate, Numbering } from "../../../src/store/documents/Numbering.ts"
import { Transitions } from "../../../src/store/documents/Transitions.ts"
import { restingAt } from "../../support/database/Owners.ts"
import { TestDatabase } from "../../support/database/Postgres.ts"
import { answered } from "../../support/database/Refusals.ts"
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
    second: Context.get(second, Numbering),
    move: Context.get(first, Transitions).move
  }
})

describeLive(TestDatabase.layer)("Redating", (it) => {
  it.effect.each(["numbered", "signed"] as const)(
    "dates a %s document anew, once, under its number",
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

  it.effect("comes too late for what was submitted, whatever its state is now", function* () {
    const { document, first, move } = yield* setUp
    const { date: given, stored } = yield* document("signed")
    const { key } = given
    yield* move({ key, version: 1, from: "signed", command: "Submit", to: "submitted", ...restingAt("submitted") })
    assert.strictEqual(yield* answered(first.redate({ ...given, version: 2 })), "too_late")
    yield* move({ key, version: 2, from: "submitted", command: "Fail", to: "failed", ...restingAt("failed") })
    yield* move({ key, version: 3, from: "failed", command: "Retry", to: "signed", ...restingAt("signed") })
    const before = yield* stored
    assert.strictEqual(yield* answered(first.redate({ ...given, version: 4 })), "too_late")
    assert.deepStrictEqual(yield* stored, before)
  })

  it.effect("needs a range that is valid on the new day", function* () {
    const { document, first } = yield* setUp
    const { date, stored } = yield* document()
    const before = yield* stored
    assert.strictEqual(yield* first.redate({ ...date, issue_date: "2031-01-01" }), "out_of_range")
    assert.deepStrictEqual(yield* stored, before)
  })
})
