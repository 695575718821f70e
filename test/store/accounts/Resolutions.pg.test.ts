import { assert } from "@effect/vitest"
import { Context, Effect, Fiber, Option } from "effect"
import type { ApiError } from "../../../schemas/ApiError.ts"
import { IdempotencyKeys } from "../../../src/store/accounts/IdempotencyKeys.ts"
import { Ids } from "../../../src/store/sql/Ids.ts"
import { Resolutions, type StoredResolution } from "../../../src/store/accounts/Resolutions.ts"
import { blocked } from "../../support/database/Owners.ts"
import { endedOr, onPostgres, paused, twoOwners } from "../../support/database/TwoOwners.ts"

const answer = { status: 201, location: null, body: "" }

/** Two processes that serve the same account, and ranges of it that are not registered yet. */
const world = Effect.gen(function* () {
  const { account, first, resolution, second, sql } = yield* twoOwners
  const [own] = yield* Effect.map(Context.get(first, Resolutions).find(account, resolution), Option.toArray)
  const range = (from: number, to: number, change: Partial<StoredResolution> = {}) =>
    Effect.map(Context.get(first, Ids).resolution, (id): StoredResolution => {
      const numbers = { from_number: BigInt(from), to_number: BigInt(to), next_number: BigInt(from) }
      return { ...own!, id, prefix: "FE", ...numbers, ...change }
    })
  const as = (owner: typeof first) => {
    const resolutions = Context.get(owner, Resolutions)
    const inView = (row: StoredResolution, change: Effect.Effect<unknown, ApiError>) =>
      Context.get(owner, IdempotencyKeys).once(row, null, Effect.as(change, answer))
    return {
      register: (row: StoredResolution) => inView(row, resolutions.register(row)),
      update: (row: StoredResolution, patch: Partial<Pick<StoredResolution, "is_active" | "valid_to">>) =>
        inView(row, resolutions.update(row, patch))
    }
  }
  return { account, sql, own: own!, range, first: as(first), second: as(second) }
})

onPostgres("of two ranges with a number in common that are registered at once, one is", function* () {
  const { first, range, second, sql } = yield* world
  // The one that comes second does not see the first one, which is there but not committed, and waits for it.
  const row = yield* range(1, 100)
  const registration = yield* paused((pause) =>
    sql.withTransaction(
      Effect.all([
        sql`select id from accounts where id = ${row.account_id} for no key update`,
        sql`insert into resolutions ${sql.insert(row)}`,
        pause
      ])
    )
  )
  const late = yield* Effect.forkScoped(Effect.flip(first.register(yield* range(100, 200))))
  yield* endedOr(late, blocked("from accounts where"))
  yield* registration.goOn
  assert.strictEqual((yield* Fiber.join(late)).code, "resolution_overlap")

  for (let round = 1; round <= 10; round++) {
    // Of one prefix, and of two that print the same.
    const [left, right] =
      round % 2 === 0
        ? [yield* range(round * 1000, round * 1000 + 10), yield* range(round * 1000 + 5, round * 1000 + 20)]
        : [
            yield* range(11_000 + round, 11_000 + round, { prefix: "Q" }),
            yield* range(1_000 + round, 1_000 + round, { prefix: "Q1" })
          ]
    const exits = yield* Effect.all([Effect.result(first.register(left)), Effect.result(second.register(right))], {
      concurrency: 2
    })
    assert.deepStrictEqual(exits.map(({ _tag }) => _tag).toSorted(), ["Failure", "Success"])
  }
})

onPostgres("one activates a range while the other registers its numbers: one of them is refused", function* () {
  const { first, range, second, sql } = yield* world
  for (let round = 1; round <= 10; round++) {
    const unused = yield* range(round * 100, round * 100 + 9, { is_active: false })
    yield* sql`insert into resolutions ${sql.insert(unused)}`
    const other = yield* range(round * 100 + 9, round * 100 + 20)
    const exits = yield* Effect.all(
      [Effect.result(first.update(unused, { is_active: true })), Effect.result(second.register(other))],
      { concurrency: 2 }
    )
    assert.deepStrictEqual(exits.map(({ _tag }) => _tag).toSorted(), ["Failure", "Success"])
  }
})

onPostgres("the account's role can neither lower a counter nor change what stands in documents", function* () {
  const { account, own, sql } = yield* world
  const asAccount = (statement: Effect.Effect<unknown, unknown>) =>
    Effect.flip(
      sql.withTransaction(
        sql`select set_config('role', 'folio_account', true), set_config('folio.account_id', ${account.account_id}, true),
          set_config('folio.livemode', 'false', true)`.pipe(Effect.andThen(statement))
      )
    )
  for (const statement of [
    sql`update resolutions set next_number = from_number where id = ${own.id}`,
    sql`update resolutions set technical_key = '' where id = ${own.id}`,
    sql`delete from resolutions where id = ${own.id}`
  ]) {
    assert.match(JSON.stringify(yield* asAccount(statement)), /"42501"/, "not permitted")
  }
  assert.match(
    JSON.stringify(yield* asAccount(sql`update resolutions set valid_to = '2000-01-01' where id = ${own.id}`)),
    /"23514".*"valid_for_some_days"/
  )
})
