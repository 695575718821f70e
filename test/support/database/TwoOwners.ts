import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { InvoiceState } from "../../../src/invoices/rules/InvoiceLifecycle.ts"
import { until } from "../apps/Until.ts"
import { itOn } from "../Tests.ts"
import { layerOwner, seedAccount, seedDrafts } from "./Owners.ts"
import { TestDatabase } from "./Postgres.ts"

/* Shared parts of tests in which several processes work on the same rows of the test's database. */

/** A test with a database of its own. */
export const onPostgres = itOn(TestDatabase.layer).live

/** Another owner, with a pool and batchers of its own. */
export const anotherOwner = Effect.flatMap(TestDatabase, ({ url }) => Layer.build(layerOwner(url)))

/**
 * An owner of the sandbox account; `service` is its pool, and `sql` is the superuser's, for reading and changing rows.
 */
export const oneOwner = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const first = yield* anotherOwner
  const { account, resolution } = yield* seedAccount.pipe(Effect.provideContext(first))
  const [key] = yield* sql<{ id: string }>`select id from api_keys`
  return {
    sql,
    first,
    service: Context.get(first, SqlClient.SqlClient),
    account,
    resolution,
    apiKey: key?.id ?? "",
    seed: (count: number, state?: InvoiceState, livemode?: boolean) =>
      seedDrafts(account.account_id, count, state, livemode).pipe(Effect.provideContext(first))
  }
})

/** An owner that ends with `stop`, before the test does. */
export const mortalOwner = Effect.gen(function* () {
  const scope = yield* Effect.acquireRelease(Scope.make(), Scope.close)
  return { ...(yield* Scope.provide(oneOwner, scope)), stop: Scope.close(scope, Exit.void) }
})

/** Two owners that both believe that they own the account. */
export const twoOwners = Effect.gen(function* () {
  return { ...(yield* oneOwner), second: yield* anotherOwner }
})

/** Locks `rows` (a table with a condition), as a frozen owner would, until `release`. */
export const lockRows = Effect.fnUntraced(function* (rows: Statement.Fragment) {
  const sql = yield* SqlClient.SqlClient
  const holder = yield* Effect.forkScoped(
    sql.withTransaction(Effect.andThen(sql`select 1 from ${rows} for update`, Effect.never))
  )
  // Not in pg_locks, which shows all databases: copies of one have the same numbers for their tables.
  yield* until(sql`select 1 from ${rows} for update skip locked`, (free) => free.length === 0)
  return { release: Fiber.interrupt(holder) }
})

/** Starts `run`, and waits until it reaches its pause; `goOn` ends the pause and waits for the end. */
export const paused = Effect.fnUntraced(function* <A, E, R>(
  run: (pause: Effect.Effect<void>) => Effect.Effect<A, E, R>
) {
  const reached = yield* Deferred.make<void>()
  const ended = yield* Deferred.make<void>()
  const fiber = yield* Effect.forkScoped(
    run(Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(ended)))
  )
  yield* Deferred.await(reached)
  return { goOn: Effect.andThen(Deferred.succeed(ended, undefined), Fiber.join(fiber)) }
})

/** Waits until the fiber has ended, or this many sessions wait for a lock. */
export const endedOr = <A, E, R>(
  fiber: Fiber.Fiber<unknown, unknown>,
  blocked: Effect.Effect<ReadonlyArray<A>, E, R>,
  count = 1
) =>
  until(
    Effect.zip(
      Effect.sync(() => fiber.pollUnsafe()),
      blocked
    ),
    ([exit, sessions]) => exit !== undefined || sessions.length >= count
  )
