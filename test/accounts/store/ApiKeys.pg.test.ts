import { assert } from "@effect/vitest"
import { Clock, Context, Effect, Fiber, Metric, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { ApiError } from "../../../schemas/ApiError.ts"
import { ApiKeyId } from "../../../schemas/Id.ts"
import { makeApiKey } from "../../../src/accounts/rules/ApiKeyFormat.ts"
import * as AccountView from "../../../src/database/AccountView.ts"
import * as Metrics from "../../../src/runtime/Metrics.ts"
import { type ApiKeyRef, ApiKeys, type NewApiKey, usableKeysMax } from "../../../src/accounts/store/ApiKeys.ts"
import { AuditLog, operator } from "../../../src/accounts/store/AuditLog.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { AuditChains } from "../../../src/operations/store/AuditChains.ts"
import { Retention } from "../../../src/operations/store/Retention.ts"
import { TestDatabase } from "../../support/database/Postgres.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"
import { anotherOwner, twoOwners } from "../../support/database/TwoOwners.ts"

type Keys = ApiKeys["Service"]

let keysMade = 10

/** Number of statements that a batcher has run. */
const statements = (batch: string) => Effect.map(Metric.value(Metrics.batchSizes(batch)), ({ count }) => count)

/** Two processes of one database, an account, and the superuser. */
const setUp = Effect.gen(function* () {
  const { account, first, second, service, sql: admin } = yield* twoOwners
  const inView = AccountView.within(service, account)
  const newKey = Effect.gen(function* () {
    const id = yield* Context.get(first, Ids).apiKey
    const key = makeApiKey("test", new Uint8Array(32).fill(keysMade).fill(keysMade++ >> 8, 0, 1))
    return { id, account_id: account.account_id, mode: "test", key, created_at: new Date() } as const
  })
  const added = Effect.tap(newKey, (key) => inView(Context.get(first, ApiKeys).create(key)))
  const log = (id: string) =>
    admin<{ action: string; actor: string; ip: string | null }>`
      select action, actor, ip from audit_log where object_id = ${id} or actor = ${id} order by seq`
  return { admin, first, second, account, inView, newKey, added, log }
})

describeLive(TestDatabase.layer)("API keys in the database", (it) => {
  for (const [what, end] of [
    ["revoked", (keys: Keys, key: ApiKeyRef) => keys.revoke(key)],
    ["rolled without a delay", (keys: Keys, key: ApiKeyRef, next: NewApiKey) => Effect.asVoid(keys.roll(key, 0, next))]
  ] as const) {
    it.effect(`stop working within a second in every process after one has ${what} them`, function* () {
      const { added, first, inView, log, newKey, account, second } = yield* setUp
      const { id, key } = yield* added
      const processes = [first, second].map((context) => Context.get(context, ApiKeys))
      const works = (keys: Keys) => Effect.map(keys.authenticate(key, { ip: "192.0.2.7" }), Option.isSome)
      for (const keys of processes) assert.isTrue(yield* works(keys))
      // The worst case: both processes have just cached the key.
      yield* inView(end(processes[0]!, { ...account, id }, yield* newKey))
      const endedAt = yield* Clock.currentTimeMillis
      yield* Effect.forEach(
        processes,
        (keys) =>
          until(
            Effect.gen(function* () {
              const askedAt = yield* Clock.currentTimeMillis
              const still = yield* works(keys)
              if (still) assert.isBelow(askedAt - endedAt, 1_000)
              return still
            }),
            (still) => !still
          ),
        { concurrency: "unbounded" }
      )
      for (const keys of processes) {
        assert.isFalse(yield* works(keys))
        const told: Array<string> = []
        yield* keys.authenticate(key, { ip: "192.0.2.7", onEnded: (_owner, how) => void told.push(how) })
        assert.deepStrictEqual(told, [what === "revoked" ? "revoked" : "rolled"])
      }
      const refusals = yield* until(log(id), (rows) => rows.length >= 2)
      // Each process logs a rejected key once in a while, not per request.
      assert.deepStrictEqual(
        refusals,
        processes.map(() => ({ action: "request.refused", actor: id, ip: "192.0.2.7" }))
      )
    })
  }

  it.effect("get no successor after a revocation, even if the request came before it and waits", function* () {
    const { added, admin, first, inView, newKey, account, second } = yield* setUp
    const [asker, other] = [yield* added, yield* added]
    const by = { id: asker.id, capabilities: null }
    const made = [yield* newKey, yield* newKey]
    const keys = Context.get(second, ApiKeys)
    const within = AccountView.within(Context.get(second, SqlClient.SqlClient), account)
    const codeOf = Effect.match({ onFailure: ({ code }: ApiError) => code, onSuccess: () => "made" })
    const waiting = admin`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    const [create, roll] = yield* inView(
      Effect.gen(function* () {
        yield* Context.get(first, ApiKeys).revoke({ ...account, id: asker.id })
        const asked = [
          yield* Effect.forkChild(codeOf(within(keys.create(made[0]!, by)))),
          yield* Effect.forkChild(codeOf(within(keys.roll({ ...account, id: other.id }, 0, made[1]!, by))))
        ]
        yield* until(waiting, (rows) => rows.length === 2)
        return asked
      })
    )
    for (const asked of [create!, roll!]) assert.strictEqual(yield* Fiber.join(asked), "invalid_api_key")
    assert.isTrue(Option.isSome(yield* keys.authenticate(other.key)))
    for (const { key } of made) assert.isTrue(Option.isNone(yield* keys.authenticate(key)))
  })

  it.effect("stop working when they expire", function* () {
    const { added, admin, first, inView, newKey, account } = yield* setUp
    const { id, key } = yield* added
    const keys = Context.get(first, ApiKeys)
    const next = yield* newKey
    yield* inView(keys.roll({ ...account, id }, 3600, next))
    assert.isTrue(Option.isSome(yield* keys.authenticate(key)))
    assert.isTrue(Option.isSome(yield* keys.authenticate(next.key)))
    yield* admin`update api_keys set expires_at = now() + interval '100 ms' where id = ${id}`
    yield* until(keys.authenticate(key), Option.isNone)
    assert.isTrue(Option.isSome(yield* keys.authenticate(next.key)))
  })

  it.effect("have their own capabilities, and their successors have only those of both keys", function* () {
    const { account, added, first, inView, newKey } = yield* setUp
    const keys = Context.get(first, ApiKeys)
    const [made, next, full] = [yield* newKey, yield* newKey, yield* newKey]
    const mayOf = (key: string) => Effect.map(keys.authenticate(key), (found) => Option.getOrThrow(found).capabilities)
    yield* inView(keys.create({ ...made, capabilities: ["view", "keys"] }))
    assert.deepStrictEqual(yield* mayOf(made.key), ["view", "keys"])
    const { id } = yield* added
    const rolled = yield* inView(
      keys.roll({ ...account, id: made.id }, 60, next, { id, capabilities: ["keys", "setup"] })
    )
    assert.deepStrictEqual(rolled.capabilities, ["keys"])
    assert.deepStrictEqual(yield* mayOf(next.key), ["keys"])
    const without = inView(keys.roll({ ...account, id: next.id }, 60, full, { id, capabilities: ["view"] }))
    assert.strictEqual((yield* Effect.flip(without)).code, "capability_missing")
    yield* inView(keys.create(full))
    assert.isUndefined(yield* mayOf(full.key))
  })

  it.effect("record their use once in five minutes, for any number of requests", function* () {
    const { added, admin, first, second } = yield* setUp
    const { id, key } = yield* added
    const used = admin<{ at: Date | null; writes: bigint }>`
      select last_used_at as at, xmin::text::bigint as writes from api_keys where id = ${id}`
    assert.isNull((yield* used)[0]?.at)
    for (const context of [first, second]) yield* Context.get(context, ApiKeys).authenticate(key)
    const [noted] = yield* until(used, ([row]) => row?.at !== null)
    // A process without the key in its cache reads the key again, but does not write it.
    for (const context of [first, second]) {
      const keys = Context.get(context, ApiKeys)
      yield* Effect.all(Array.from({ length: 20 }, () => keys.authenticate(key)))
    }
    const fresh = yield* anotherOwner
    yield* Context.get(fresh, ApiKeys).authenticate(key)
    assert.deepStrictEqual(yield* used, [noted!])
    yield* admin`update api_keys set last_used_at = now() - interval '301 s' where id = ${id}`
    const later = yield* anotherOwner
    yield* Context.get(later, ApiKeys).authenticate(key)
    yield* until(used, ([row]) => (row?.at?.getTime() ?? 0) >= (noted?.at?.getTime() ?? 0))
  })

  it.effect(
    "cause only rare reads if invalid, in turns during a flood, while a valid key is still found",
    function* () {
      const { added, first, newKey } = yield* setUp
      const keys = Context.get(first, ApiKeys)
      const bad = (yield* newKey).key
      const atOnce = yield* statements("api_keys")
      for (const _ of Array.from({ length: 50 })) assert.isTrue(Option.isNone(yield* keys.authenticate(bad)))
      assert.strictEqual(yield* statements("api_keys"), atOnce + 1)

      const guessed = Array.from({ length: 500 }, (_, index) =>
        makeApiKey(
          "test",
          new Uint8Array(32).map((_byte, place) => (place < 2 ? (index >> (8 * place)) & 255 : 255))
        )
      )
      const good = yield* added
      const inTurn = yield* statements("suspect_api_keys")
      const ask = (key: string) => keys.authenticate(key, { isSuspect: true })
      const found = yield* Effect.forEach([...guessed, good.key], ask, { concurrency: "unbounded" })
      assert.deepStrictEqual(
        found.flatMap(Option.toArray).map(({ api_key_id }) => api_key_id),
        [good.id]
      )
      assert.isAtMost((yield* statements("suspect_api_keys")) - inTurn, 5)

      // A key known as valid skips the queue, even with a flood from its address.
      const before = yield* statements("suspect_api_keys")
      yield* until(ask(good.key).pipe(Effect.andThen(statements("api_keys"))), (count) => count > atOnce + 1)
      assert.strictEqual(yield* statements("suspect_api_keys"), before)

      // A key that was looked up before its creation works immediately.
      const next = yield* newKey
      assert.isTrue(Option.isNone(yield* keys.authenticate(next.key)))
      yield* keys.insert(next)
      assert.isTrue(Option.isSome(yield* keys.authenticate(next.key)))
    }
  )

  it.effect("number at most 100 that work, rolled keys that still work included, for any roller", function* () {
    const { admin, added, first, inView, newKey, account, second } = yield* setUp
    yield* admin`update api_keys set revoked_at = now() where account_id = ${account.account_id} and revoked_at is null`
    const made: Array<ApiKeyRef> = []
    while (made.length < usableKeysMax - 1) made.push({ ...account, id: (yield* added).id })
    const rolls = yield* Effect.forEach(
      [first, second],
      (context, index) =>
        Effect.flatMap(newKey, (next) =>
          AccountView.within(
            Context.get(context, SqlClient.SqlClient),
            account
          )(Context.get(context, ApiKeys).roll(made[index]!, 3600, next)).pipe(Effect.result)
        ),
      { concurrency: "unbounded" }
    )
    const refused = rolls.flatMap((result) => (result._tag === "Failure" ? [result.failure.code] : []))
    assert.deepStrictEqual(refused, ["api_key_limit_reached"])
    yield* inView(Context.get(first, ApiKeys).roll(made[2]!, 0, yield* newKey))
    const [{ count }] = (yield* admin`
      select count(*)::integer as count from api_keys
      where account_id = ${account.account_id} and revoked_at is null and (expires_at is null or expires_at > now())`) as [
      { count: number }
    ]
    assert.strictEqual(count, usableKeysMax)
  })

  it.effect("keep at least one: if two processes revoke the last two concurrently, one request fails", function* () {
    const { added, admin, first, account, second } = yield* setUp
    yield* admin`update api_keys set revoked_at = now() where account_id = ${account.account_id} and revoked_at is null`
    const ids = [(yield* added).id, (yield* added).id]
    const results = yield* Effect.forEach(
      [first, second],
      (context, index) => {
        const inItsView = AccountView.within(Context.get(context, SqlClient.SqlClient), account)
        const id = ApiKeyId.make(ids[index] ?? "")
        return Effect.result(inItsView(Context.get(context, ApiKeys).revoke({ ...account, id })))
      },
      { concurrency: "unbounded" }
    )
    const refused = results.flatMap((result) => (result._tag === "Failure" ? [result.failure.code] : []))
    assert.deepStrictEqual(refused, ["last_api_key"])
  })

  it.effect("wait for another process's change of the same account, and count its remaining keys", function* () {
    const { added, admin, first, inView, account, second } = yield* setUp
    yield* admin`update api_keys set revoked_at = now() where account_id = ${account.account_id} and revoked_at is null`
    const [one, two] = [yield* added, yield* added]
    const held = yield* Effect.forkScoped(
      inView(
        Effect.gen(function* () {
          yield* Context.get(first, ApiKeys).revoke({ ...account, id: one.id })
          yield* until(
            admin`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
            (rows) => rows.length === 1
          )
        })
      )
    )
    yield* until(
      admin`
        select 1 from pg_locks l join pg_stat_activity a using (pid)
        where a.datname = current_database() and a.state = 'idle in transaction' and l.relation = 'api_keys'::regclass`,
      (rows) => rows.length >= 1
    )
    const other = AccountView.within(
      Context.get(second, SqlClient.SqlClient),
      account
    )(Context.get(second, ApiKeys).revoke({ ...account, id: two.id }))
    assert.strictEqual((yield* Effect.flip(other)).code, "last_api_key")
    yield* Fiber.join(held)
  })
})

describeLive(TestDatabase.layer)("The audit log", (it) => {
  it.effect("records an entry with its effect, or not at all", function* () {
    const { first, inView, log, newKey, account } = yield* setUp
    const keys = Context.get(first, ApiKeys)
    const audit = Context.get(first, AuditLog)
    const key = yield* newKey
    const create = Effect.andThen(keys.create(key), audit.record(account, operator, "api_key.created", key.id))
    yield* Effect.flip(inView(Effect.andThen(create, Effect.fail("rolled back"))))
    assert.deepStrictEqual(yield* log(key.id), [])
    assert.isTrue(Option.isNone(yield* keys.find(account, key.id)))
    yield* inView(create)
    assert.deepStrictEqual(yield* log(key.id), [{ action: "api_key.created", actor: "operator", ip: null }])
  })

  it.effect("keeps entries for five years, and then deletes them in batches", function* () {
    const { admin, first, account } = yield* setUp
    const at = (age: string, count: number) =>
      admin`insert into audit_log (account_id, livemode, created_at, actor, action, details)
        select ${account.account_id}, false, now() - ${age}::interval, 'operator', ${age}, '{}' from generate_series(1, ${count})`
    yield* at("1828 days", 501)
    yield* at("1826 days", 3)
    yield* Context.get(first, AuditChains).seal
    const { audit_log: purgeAuditLog } = Context.get(first, Retention)
    assert.deepStrictEqual([yield* purgeAuditLog, yield* purgeAuditLog, yield* purgeAuditLog], [500, 1, 0])
    const left = yield* admin`select action from audit_log where action like '%days'`
    assert.lengthOf(left, 3)
  })
})
