import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CustomerId } from "../../schemas/Id.ts"
import { Customers, type NewCustomer } from "../../src/store/Customers.ts"
import { acquirer, blocked, ownerLayer, seedAccount, withRepeats } from "../support/Owners.ts"
import { TestDatabase } from "../support/Postgres.ts"
import { until } from "../support/Until.ts"

const keys = ["a", "m", "z"]

layer(TestDatabase.layer, { excludeTestServices: true })("Claims of idempotency keys", (it) => {
  it.effect("are made in one order, so that two owners with the same keys never wait for each other", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const sql = yield* SqlClient.SqlClient
      const first = yield* Layer.build(ownerLayer(url))
      const second = yield* Layer.build(ownerLayer(url))
      const { of } = yield* seedAccount.pipe(Effect.provideContext(first))
      const [apiKey] = yield* sql<{ id: string }>`select id from api_keys`
      const claim = (value: string) => ({ api_key_id: apiKey?.id ?? "", value, fingerprint: value })
      const create = (owner: typeof first, letter: string, order: ReadonlyArray<string>) =>
        Effect.forEach(
          order,
          (value, index) =>
            Context.get(owner, Customers).create({
              customer: {
                ...of,
                id: CustomerId.make(`cust_${letter.repeat(25)}${index}`),
                acquirer,
                metadata: {},
                created_at: new Date(),
                updated_at: new Date()
              },
              claim: claim(value),
              answer: { status: 201, location: null, body: letter }
            } satisfies NewCustomer),
          { concurrency: "unbounded" }
        )

      // Somebody holds the key in the middle, until both have claimed what comes before it for them.
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
  )
})
