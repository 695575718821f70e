import { assert } from "@effect/vitest"
import { Context, Effect, Fiber, Option } from "effect"
import type { ApiError } from "../../../schemas/ApiError.ts"
import { Idempotency } from "../../../src/accounts/store/Idempotency.ts"
import { Ids } from "../../../src/database/Ids.ts"
import {
  prefixViolations,
  type RangeQuery,
  Resolutions,
  type StoredResolution
} from "../../../src/accounts/store/Resolutions.ts"
import { colombianSandbox } from "../../../src/documents/rules/parties/SandboxIds.ts"
import { Enablements } from "../../../src/invoices/store/Enablements.ts"
import { blocked } from "../../support/database/Owners.ts"
import { refusal } from "../../support/database/Refusals.ts"
import { endedOr, onPostgres, oneOwner, paused, twoOwners } from "../../support/database/TwoOwners.ts"

const answer = { status: 201, location: null, body: "" }

/** Two processes that serve the same account, and ranges of the account that are not registered yet. */
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
      Context.get(owner, Idempotency).once(row, null, Effect.as(change, answer))
    return {
      register: (row: StoredResolution) => inView(row, resolutions.register(row)),
      update: (row: StoredResolution, patch: Partial<Pick<StoredResolution, "is_active" | "valid_to">>) =>
        inView(row, resolutions.update(row, patch))
    }
  }
  return { account, sql, own: own!, range, first: as(first), second: as(second) }
})

onPostgres("Ranges with a common number: only one of two concurrent registrations succeeds", function* () {
  const { first, range, second, sql } = yield* world
  // The second registration waits for the first, which it cannot see because it is uncommitted.
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
    // Two ranges with one prefix, and two that print the same.
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

onPostgres(
  "Ranges with a common number: an activation and a concurrent registration of its numbers never both succeed",
  function* () {
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
  }
)

onPostgres("The account's role can neither lower a counter nor change the content of documents", function* () {
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

onPostgres("The technical keys of ranges and test sets are sealed in the database", function* () {
  const { account, first, resolution, sql } = yield* oneOwner
  const [resolutions, enablements] = [Context.get(first, Resolutions), Context.get(first, Enablements)]
  const { number = "", technical_key: _key, valid_from = "", valid_to = "", ...numbers } = colombianSandbox.range
  const own = Option.getOrThrow(yield* resolutions.find(account, resolution))
  const [key, another, third] = ["a", "b", "c"].map((letter) => letter.repeat(40))
  const id = yield* Context.get(first, Ids).resolution
  const range = { number, from_number: 1, to_number: 9, ...numbers, valid_from, valid_to }
  const begin = (technical_key: string) =>
    enablements.begin(account.account_id, {
      id: "set",
      wanted: { invoice: 1, credit_note: 0, debit_note: 0 },
      range: { ...range, technical_key }
    })
  const keyOfSet = Effect.map(
    enablements.find({ ...account, id: "set" }),
    (set) => Option.getOrThrow(set).range.technical_key
  )
  yield* resolutions.insert({ ...own, id, prefix: "KEY", technical_key: key! })
  yield* begin(another!)
  assert.strictEqual(Option.getOrThrow(yield* resolutions.find(account, id)).technical_key, key)
  assert.strictEqual(yield* keyOfSet, another)
  const failure = JSON.stringify({ code: "internal", message: "", retryable: true })
  yield* sql`
    update enablements set status = 'failed', failure = ${failure}::jsonb, finished_at = now(), next_action_at = null`
  yield* begin(third!)
  assert.strictEqual(yield* keyOfSet, third)
  const rows = yield* sql<{ row: string }>`
    select r::text as row from resolutions r where id = ${id} union all select e::text from enablements e`
  assert.lengthOf(rows, 2)
  for (const { row } of rows) assert.notMatch(row, /a{40}|b{40}|c{40}/)
  const both = sql`update resolutions set technical_key = ${key!} where id = ${id}`
  assert.include(yield* refusal(both), "key_is_public_or_sealed")
})

onPostgres("A note uses the range that another request makes between the note's two reads", function* () {
  const { account, first, second } = yield* twoOwners
  const resolutions = Context.get(first, Resolutions)
  const others = Context.get(second, Resolutions)
  const id = yield* Context.get(second, Ids).resolution
  const between = Context.get(second, Idempotency).once(
    account,
    null,
    Effect.as(others.ensureCounter({ ...account, id }, "credit_note"), answer)
  )
  const looked = {
    ...resolutions,
    wouldCount: (query: RangeQuery) => Effect.andThen(Effect.orDie(between), resolutions.wouldCount(query))
  }
  assert.deepStrictEqual(yield* prefixViolations(looked, account, {}, "2026-01-01", "credit_note"), [])
  assert.lengthOf(yield* prefixViolations(resolutions, account, { prefix: "ZZ" }, "2026-01-01", "credit_note"), 1)
})

onPostgres("An account that closes gets no active range from a request under way", function* () {
  const { first, own, range, sql } = yield* world
  const inactive = yield* range(1, 100, { is_active: false })
  yield* first.register(inactive)
  // As the closure does, in a transaction that the requests cannot see before its commit.
  const closure = yield* paused((pause) =>
    sql.withTransaction(Effect.andThen(sql`update accounts set status = 'closed' where id = ${own.account_id}`, pause))
  )
  const registration = yield* Effect.forkScoped(Effect.flip(first.register(yield* range(200, 300))))
  yield* endedOr(registration, blocked("from accounts where"))
  yield* closure.goOn
  assert.strictEqual((yield* Fiber.join(registration)).code, "account_closed")
  const activation = yield* Effect.flip(first.update(inactive, { is_active: true }))
  assert.strictEqual(activation.code, "account_closed")
})
