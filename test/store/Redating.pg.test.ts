import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { InvoiceState } from "../../src/domain/InvoiceLifecycle.ts"
import { type NewDate, Redating } from "../../src/store/Redating.ts"
import { Transitions } from "../../src/store/Transitions.ts"
import { ownerLayer, seedAccount, seedDrafts } from "../support/Owners.ts"
import { TestDatabase } from "../support/Postgres.ts"
import { answered } from "../support/Refusals.ts"

const twoOwners = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  const first = yield* Layer.build(ownerLayer(url))
  const second = yield* Layer.build(ownerLayer(url))
  const { of } = yield* seedAccount.pipe(Effect.provideContext(first))
  const admin = yield* SqlClient.SqlClient
  const document = Effect.fnUntraced(function* (state: InvoiceState = "numbered") {
    const [id] = yield* seedDrafts(of.account_id, 1, state).pipe(Effect.provideContext(first))
    const date: NewDate = {
      key: { ...of, id: id! },
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
    of,
    admin,
    document,
    first: Context.get(first, Redating),
    second: Context.get(second, Redating),
    move: Context.get(first, Transitions).move
  }
})

layer(TestDatabase.layer, { excludeTestServices: true })("Redating", (it) => {
  it.effect.each(["numbered", "signed"] as const)("dates a %s document anew, once, under its number", (state) =>
    Effect.gen(function* () {
      const { document, first, second } = yield* twoOwners
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
    })
  )

  it.effect("comes too late for what was submitted, whatever its state is now", () =>
    Effect.gen(function* () {
      const {
        date: given,
        move,
        stored
      } = yield* Effect.gen(function* () {
        const owners = yield* twoOwners
        return { ...owners, ...(yield* owners.document("signed")) }
      })
      const { first } = yield* twoOwners
      const { key } = given
      const step = { key, alarmMs: null } as const
      yield* move({ ...step, version: 1, from: "signed", command: "Submit", to: "submitted", leaves: true })
      assert.strictEqual(yield* answered(first.redate({ ...given, version: 2 })), "too_late")
      yield* move({ ...step, version: 2, from: "submitted", command: "Fail", to: "failed" })
      yield* move({ ...step, version: 3, from: "failed", command: "Retry", to: "signed" })
      const before = yield* stored
      assert.strictEqual(yield* answered(first.redate({ ...given, version: 4 })), "too_late")
      assert.deepStrictEqual(yield* stored, before)
    })
  )

  it.effect("needs a range that is valid on the new day", () =>
    Effect.gen(function* () {
      const { document, first } = yield* twoOwners
      const { date, stored } = yield* document()
      const before = yield* stored
      assert.strictEqual(yield* first.redate({ ...date, issue_date: "2031-01-01" }), "out_of_range")
      assert.deepStrictEqual(yield* stored, before)
    })
  )
})
