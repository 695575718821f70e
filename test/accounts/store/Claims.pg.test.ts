import { assert } from "@effect/vitest"
import { Context, Effect, Fiber } from "effect"
import { Customers } from "../../../src/accounts/store/Customers.ts"
import { blocked, withRepeats } from "../../support/database/Owners.ts"
import { TestDatabase } from "../../support/database/Postgres.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"
import { newCustomer } from "../../support/database/Owners.ts"
import { twoOwners } from "../../support/database/TwoOwners.ts"

const keys = ["a", "m", "z"]

describeLive(TestDatabase.layer)("Claims of idempotency keys", (it) => {
  it.effect("follow one order, so that two owners with the same keys never wait for each other", function* () {
    const { account, apiKey, first, second, sql } = yield* twoOwners
    const claim = (value: string) => ({ api_key_id: apiKey, value, fingerprint: value })
    const create = (owner: typeof first, letter: string, order: ReadonlyArray<string>) =>
      Effect.forEach(
        order,
        (value, index) =>
          Context.get(owner, Customers).create(
            newCustomer(account, `cust_${letter.repeat(25)}${index}`, claim(value), letter)
          ),
        { concurrency: "unbounded" }
      )

    // Another session holds the middle key until both owners have claimed the keys before it.
    const holder = yield* Effect.forkScoped(
      sql.withTransaction(
        Effect.andThen(
          sql`insert into idempotency_keys ${sql.insert({ ...claim("m"), status: 0, body: "" })}`,
          Effect.never
        )
      ),
      { startImmediately: true }
    )
    yield* until(
      sql`select 1 from pg_stat_activity where state = 'idle in transaction' and datname = current_database()`,
      (rows) => rows.length === 1
    )
    const creating = Effect.all([create(first, "a", keys), create(second, "b", keys.toReversed())], {
      concurrency: 2
    })
    const both = yield* Effect.forkScoped(withRepeats("Customers.create", creating))
    yield* until(blocked("acquirer, metadata"), (pids) => pids.length === 2)
    yield* Fiber.interrupt(holder)
    const { result, repeats } = yield* Fiber.join(both)
    const [left, right] = result
    assert.deepStrictEqual(repeats, 0)
    assert.deepStrictEqual(
      left.map((outcome) => outcome.answer.body),
      right.map((outcome) => outcome.answer.body)
    )
    assert.strictEqual([...left, ...right].filter((outcome) => outcome.replayed).length, keys.length)
    assert.deepStrictEqual(yield* sql`select count(*) from customers`, [{ count: BigInt(keys.length) }])
  })
})
