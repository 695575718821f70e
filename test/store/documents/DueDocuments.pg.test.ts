import { assert } from "@effect/vitest"
import { Context } from "effect"
import { Invoices } from "../../../src/store/documents/Invoices.ts"
import { oneOwner, onPostgres } from "../../support/database/TwoOwners.ts"

onPostgres("documents that are due are taken once, drafts and numbered ones alike", function* () {
  const { first, seed, sql } = yield* oneOwner
  const invoices = Context.get(first, Invoices)
  const drafts = yield* seed(2)
  const numbered = yield* seed(2, "numbered")
  yield* sql`update invoices set next_action_at = now() + interval '1 hour'`
  assert.deepStrictEqual(yield* invoices.takeDue(10, []), [])
  yield* sql`update invoices set next_action_at = now()`
  const taken = (yield* invoices.takeDue(10, [])).map(({ id, queued }) => `${id} ${queued}`)
  assert.sameMembers(taken, [...drafts.map((id) => `${id} true`), ...numbered.map((id) => `${id} false`)])
  assert.deepStrictEqual(yield* invoices.takeDue(10, []), [])
})
