import { isDeepStrictEqual } from "node:util"
import { assert } from "@effect/vitest"
import { Context, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { EventId } from "../../../schemas/Id.ts"
import { beginning, type EventFilter, Events, type Position, type Waiter } from "../../../src/webhooks/store/Events.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { queryAs, TestDatabase, urlOf } from "../../support/database/Postgres.ts"
import { until } from "../../support/apps/Until.ts"
import { oneOwner, onPostgres, paused } from "../../support/database/TwoOwners.ts"

const everything: EventFilter = { types: null, object_id: null, from: null, to: null }

/** The time this many seconds from now. */
const at = (seconds: number) => new Date(Date.now() + seconds * 1000)

const insert = Effect.fnUntraced(function* (account: AccountMode, id: EventId, change: Record<string, unknown> = {}) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into events ${sql.insert({
    ...account,
    id,
    type: "invoice.failed",
    object_id: `inv of ${id}`,
    object_version: 1,
    body: JSON.stringify({ id }),
    created_at: new Date(),
    ...change
  })}`
})

/**
 * Waits until the query finds exactly these events. A transaction of another test's database can end while
 * `oldest_transaction` looks for its database. It then counts for this database and delays settled events until the
 * next query.
 */
const shows = (
  look: Effect.Effect<ReadonlyArray<EventId>, unknown, never>,
  expected: ReadonlyArray<EventId | undefined>
) => until(look, (found) => isDeepStrictEqual(found, expected))

/** A transaction that has written the event, and ends on request. */
const held = Effect.fnUntraced(function* (write: Effect.Effect<void, unknown, SqlClient.SqlClient>) {
  const sql = yield* SqlClient.SqlClient
  const { goOn } = yield* paused((pause) => sql.withTransaction(Effect.andThen(write, pause)))
  return { commit: goOn }
})

const world = Effect.gen(function* () {
  const { account, apiKey: api_key_id, first, sql } = yield* oneOwner
  yield* sql`truncate events cascade`
  const events = Context.get(first, Events)
  const ids = yield* Effect.replicateEffect(Context.get(first, Ids).event, 4)
  const follow = (from: Position) =>
    Effect.map(events.after(account, from, everything, 10), ({ rows }) => rows.map(({ id }) => id))
  const list = () =>
    Effect.map(events.list(account, { limit: 10, cursor: null }, everything), ({ rows }) => rows.map(({ id }) => id))
  const news = (waiters: ReadonlyArray<Waiter>) =>
    Effect.map(events.news(waiters), (looks) => looks.map((look) => look.news))
  const waiter = { account: { ...account, api_key_id }, position: beginning, filter: everything }
  return { account, first, waiter, events, news, ids: ids as [EventId, EventId, EventId, EventId], follow, list }
})

onPostgres(
  "The feed shows an event after all events that can still appear before it, whatever their ids and numbers",
  function* () {
    const { events, follow, ids, list, account } = yield* world
    const [first, second, third] = ids
    // The first event by id and number is committed last.
    const { commit } = yield* held(insert(account, first))
    yield* insert(account, second)
    assert.deepStrictEqual(yield* follow(beginning), [])
    assert.deepStrictEqual(yield* list(), [], "no list shows an id to continue from")
    assert.isTrue((yield* events.find(account, second))._tag === "Some", "the event is found by its id")
    yield* commit
    yield* shows(follow(beginning), [first, second])

    // An event with a larger id and number may be committed earlier in an older transaction, and then comes first.
    const { commit: later } = yield* held(insert(account, ids[3]))
    yield* insert(account, third)
    yield* later
    yield* shows(follow(yield* events.position(account, second)), [ids[3], third])
    yield* shows(follow(yield* events.position(account, ids[3])), [third])
    assert.deepStrictEqual(yield* follow(yield* events.position(account, third)), [])
    yield* shows(list(), [ids[3], third, second, first])
  }
)

onPostgres("A reader that continues from the end of the feed sees every event committed later", function* () {
  const { events, follow, ids, news, account, waiter } = yield* world
  yield* insert(account, ids[0])
  const { commit } = yield* held(insert(account, ids[1]))
  const { next } = yield* until(events.after(account, beginning, everything, 10), ({ rows }) =>
    isDeepStrictEqual(
      rows.map(({ id }) => id),
      [ids[0]]
    )
  )
  assert.deepStrictEqual(yield* news([{ ...waiter, position: next }]), [null])
  yield* insert(account, ids[2])
  assert.deepStrictEqual(yield* news([{ ...waiter, position: next }]), [null])
  yield* commit
  yield* until(news([{ ...waiter, position: next }]), ([one]) => one === "arrived")
  yield* shows(follow(next), [ids[1], ids[2]])
})

/** A transaction of another database. It has a transaction id until `end`. */
const elsewhere = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  const sql = yield* SqlClient.SqlClient
  const other = yield* Effect.forkScoped(
    Effect.exit(queryAs(urlOf(url, "template1"), "select pg_current_xact_id(), pg_sleep(60) as other_database"))
  )
  const [{ pid } = { pid: 0 }] = yield* until(
    sql<{ pid: number }>`
      select l.pid from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where a.query like '%other_database%' and a.datname = 'template1' and l.locktype = 'transactionid'`,
    (rows) => rows.length === 1
  )
  const isUnderWay = Effect.map(
    sql`select 1 from pg_locks where pid = ${pid} and locktype = 'transactionid'`,
    ({ length }) => length === 1
  )
  return { isUnderWay, end: Effect.andThen(sql`select pg_terminate_backend(${pid})`, Fiber.join(other)) }
})

onPostgres("The feed shows events despite a transaction of another database", function* () {
  const { follow, ids, account } = yield* world
  const { end, isUnderWay } = yield* elsewhere
  yield* insert(account, ids[0])
  yield* until(follow(beginning), (found) => found.length === 1)
  assert.isTrue(yield* isUnderWay, "the transaction was open all the time")
  yield* end
})

onPostgres("The feed shows no event twice when a transaction of another database ends during the query", function* () {
  const { account, events, first, follow, ids, news, waiter } = yield* world
  const sql = Context.get(first, SqlClient.SqlClient)
  const { end } = yield* elsewhere
  yield* insert(account, ids[0])
  yield* shows(follow(beginning), [ids[0]])
  const position = yield* events.position(account, ids[0])
  const [after, [look]] = yield* Effect.gen(function* () {
    // In the snapshot, the other transaction is open. Its lock, which names its database, is gone.
    yield* sql`set transaction isolation level repeatable read`
    yield* sql`select 1`
    yield* end
    const all = yield* events.after(account, position, everything, 10)
    return [all, yield* events.news([{ ...waiter, position }])] as const
  }).pipe(sql.withTransaction)
  assert.deepStrictEqual([after.rows, look?.news], [[], null])
  for (const next of [after.next, look!.next]) {
    assert.deepStrictEqual(yield* follow(next), [])
    assert.deepStrictEqual(yield* news([{ ...waiter, position: next }]), [null])
  }
})

onPostgres("A waiting request is notified only of events of its own account and mode, and of no sample", function* () {
  const { events, follow, ids, list, news, account, waiter } = yield* world
  const live = { ...account, livemode: true }
  const waiters = [waiter, { ...waiter, account: { ...waiter.account, livemode: true } }]
  yield* insert(account, ids[0], { is_test: true })
  yield* insert(live, ids[1])
  assert.deepStrictEqual(yield* until(news(waiters), (all) => all.includes("arrived")), [null, "arrived"])
  assert.deepStrictEqual([yield* follow(beginning), yield* list()], [[], []])
  assert.strictEqual((yield* events.find(account, ids[0]))._tag, "Some")
  assert.strictEqual((yield* events.find(account, ids[1]))._tag, "None")
  const refused = yield* Effect.flip(events.position(account, ids[1]))
  assert.deepInclude(refused, { code: "invalid_cursor", param: "after" })
})

onPostgres(
  "A waiting request is notified only of events that match its filter, and checks other events once",
  function* () {
    const { events, ids, news, account, waiter } = yield* world
    const fitting: ReadonlyArray<Partial<EventFilter>> = [
      {},
      { types: ["invoice.accepted_contingency", "invoice.failed"], object_id: "inv_1" },
      { from: at(-60), to: at(60) }
    ]
    const others: ReadonlyArray<Partial<EventFilter>> = [
      { types: ["invoice.accepted_contingency"] },
      { object_id: "inv_2" },
      { from: at(60) },
      { to: at(-60) }
    ]
    const having = (filter: Partial<EventFilter>) => ({ ...waiter, filter: { ...everything, ...filter } })
    yield* insert(account, ids[0], { object_id: "inv_1" })
    yield* until(news([waiter]), ([one]) => one === "arrived")
    const expected = [...fitting.map(() => "arrived"), ...others.map(() => null)]
    yield* until(news([...fitting, ...others].map(having)), (looks) => isDeepStrictEqual(looks, expected))
    const behind = Effect.gen(function* () {
      const [look] = yield* events.news([having({ object_id: "inv_2" })])
      const position = look!.next
      return { position, found: yield* news([{ ...waiter, position }]) }
    })
    const { position } = yield* until(behind, ({ found: [one] }) => one === null)
    yield* insert(account, ids[1], { object_id: "inv_2" })
    yield* until(news([{ ...having({ object_id: "inv_2" }), position }]), ([one]) => one === "arrived")
  }
)

for (const [how, end] of [
  ["was revoked", { revoked_at: at(0) }],
  ["has expired", { expires_at: at(-1) }]
] as const)
  onPostgres(`A waiting request is notified that its key ${how}, whatever else has happened`, function* () {
    const { ids, account, waiter, ...looking } = yield* world
    const sql = yield* SqlClient.SqlClient
    const news = Effect.map(looking.news([waiter]), ([one]) => one)
    const keyIs = (change: Record<string, unknown>) =>
      sql`update api_keys set ${sql.update(change)} where id = ${waiter.account.api_key_id}`
    assert.isNull(yield* news)
    yield* keyIs({ expires_at: at(60) })
    assert.isNull(yield* news)
    yield* insert(account, ids[0])
    yield* until(news, (one) => one === "arrived")
    yield* keyIs(end)
    assert.strictEqual(yield* news, "key_ended")
  })
