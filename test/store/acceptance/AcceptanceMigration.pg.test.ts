import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import { oneOwner, onPostgres } from "../../support/database/TwoOwners.ts"

const migration = Fs.readFileSync(new URL("../../../migrations/0012_acceptance.sql", import.meta.url), "utf8")

onPostgres(
  "invoices on credit terms that were accepted in the last 30 days are asked about as later ones",
  function* () {
    const { seed, sql } = yield* oneOwner
    const [young, old, cash] = yield* seed(3, "accepted_by_authority")
    const [rejected] = yield* seed(1, "rejected_by_authority")
    const change = Effect.fnUntraced(function* (id: string | undefined, type: string, days: number) {
      const means = JSON.stringify({ code: "31", type })
      yield* sql`
      update invoices set payment_means = ${means}::jsonb, updated_at = now() - ${days}::integer * interval '1 day'
      where id = ${id ?? ""}`
    })
    yield* change(young, "2", 10)
    yield* change(old, "2", 31)
    yield* change(cash, "1", 10)
    yield* change(rejected, "2", 10)
    yield* sql.unsafe(/insert into acceptances[^;]+;/u.exec(migration)?.[0] ?? "")
    const rows = yield* sql`
    select id, next_question_at between now() and now() + interval '1 day' as within_a_day,
      ask_until between now() + interval '19 days' and now() + interval '21 days' as for_the_rest
    from acceptances`
    assert.deepStrictEqual(rows, [{ id: young, within_a_day: true, for_the_rest: true }])
  }
)
