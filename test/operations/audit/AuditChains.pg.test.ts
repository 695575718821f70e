import { assert } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import { CustomerId } from "../../../schemas/Id.ts"
import { AuditLog, operator } from "../../../src/accounts/store/AuditLog.ts"
import { Customers } from "../../../src/accounts/store/Customers.ts"
import { AuditChains } from "../../../src/operations/store/AuditChains.ts"
import { Retention } from "../../../src/operations/store/Retention.ts"
import { newCustomer } from "../../support/database/Owners.ts"
import { oneOwner, onPostgres, twoOwners } from "../../support/database/TwoOwners.ts"

type Owner = Effect.Success<typeof oneOwner>["first"]

const sealAll = (owner: Owner) => Effect.repeat(Context.get(owner, AuditChains).seal, { while: (sealed) => sealed > 0 })

/** The verified chain of an account in one mode. */
const verified = Effect.fnUntraced(function* (owner: Owner, { account_id, livemode }: AccountMode) {
  const { heads, verify } = Context.get(owner, AuditChains)
  const head = (yield* heads(account_id)).find((one) => one.livemode === livemode)
  return yield* verify(head!)
})

const faultAt = (owner: Owner, account: AccountMode) =>
  Effect.map(verified(owner, account), ({ fault }) => (fault === null ? null : Number(fault.position)))

const positions = (account: AccountMode) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ position: string | null }>`
      select position::text from audit_log where account_id = ${account.account_id} and livemode = ${account.livemode}
      order by audit_log.position`
  )

const record = (owner: Owner, account: AccountMode, object: string) =>
  Context.get(owner, AuditLog).record(account, { ...operator, ip: "203.0.113.7" }, "account.updated", object, {
    changed: ["name"]
  })

/** An owner whose account has exactly this many entries, all sealed. */
const sealedEntries = Effect.fnUntraced(function* (count: number) {
  const one = yield* oneOwner
  const { account, first, sql } = one
  const [before] = yield* sql<{ count: number }>`select count(*)::int as count from audit_log`
  for (let number = before!.count; number < count; number++) yield* record(first, account, `object ${number}`)
  yield* sealAll(first)
  return one
})

// Each field with another value. The superuser disables triggers and references first.
const fields: Readonly<Record<string, string>> = {
  account_id: "'ten_other'",
  livemode: "not livemode",
  seq: "default",
  id: "'aud_' || repeat('0', 26)",
  created_at: "created_at - interval '1 microsecond'",
  actor: "'key_x'",
  action: "'account.created'",
  object_id: "null",
  request_id: "'req_x'",
  ip: "'203.0.113.8'",
  details: `'{"changed": ["names"]}'`,
  hash: "sha256('x')"
}

/** Changes of the table behind the service's back, each with the first position that no longer fits. */
const tamperings: ReadonlyArray<readonly [statement: string, position: number]> = [
  ...[1, 3, 6].map((at) => [`delete from audit_log where position = ${at}`, at] as const),
  ...Object.entries(fields).map(
    ([field, value]) => [`update audit_log set ${field} = ${value} where position = 3`, 3] as const
  ),
  ["update audit_log set position = null, hash = null where position = 3", 3],
  ["update audit_log set position = null, hash = null where position = 6", 6],
  [
    // The unique index checks each row, and a statement updates its rows in any order. So each statement moves one row.
    "update audit_log set position = 40 where position = 3; update audit_log set position = 3 where position = 4; update audit_log set position = 4 where position = 40",
    3
  ],
  ["update audit_log set actor = 'key_x', hash = sha256('y') where position = 6", 6],
  [
    "insert into audit_log (account_id, livemode, actor, action, details, position, hash) select account_id, livemode, actor, action, details, 7, hash from audit_log where position = 6",
    7
  ],
  ["update audit_chains set position = 4, hash = (select hash from audit_log where position = 4)", 5],
  ["update audit_chains set hash = sha256('z')", 6],
  ["update audit_chains set before = sha256('z')", 1],
  ["update audit_chains set first_position = 3", 3],
  ["delete from audit_chains", 1]
]

onPostgres("A verification finds each removed, changed, moved or added entry", function* () {
  const { account, first, sql } = yield* sealedEntries(6)
  assert.deepStrictEqual(yield* faultAt(first, account), null)
  const unguarded = (statements: string) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`set local session_replication_role = replica`
        for (const statement of statements.split("; ")) yield* sql.unsafe(statement)
      })
    )
  yield* sql`create table kept_log as table audit_log`
  yield* sql`create table kept_chains as table audit_chains`
  for (const [statement, position] of tamperings) {
    yield* unguarded(statement)
    assert.strictEqual(yield* faultAt(first, account), position, statement)
    yield* unguarded(
      "delete from audit_log; insert into audit_log overriding system value select * from kept_log; delete from audit_chains; insert into audit_chains select * from kept_chains"
    )
    assert.strictEqual(yield* faultAt(first, account), null, `after ${statement}`)
  }
})

onPostgres("A chain that was cut is not extended, and the chains of other accounts are", function* () {
  const { account, first, sql } = yield* sealedEntries(3)
  const live = { ...account, livemode: true }
  yield* sql.withTransaction(
    Effect.andThen(sql`set local session_replication_role = replica`, sql`update audit_chains set position = 2`)
  )
  yield* record(first, account, "later")
  yield* record(first, live, "later")
  yield* sealAll(first)
  assert.strictEqual((yield* verified(first, account)).fault?.position, 2n)
  assert.deepInclude(yield* verified(first, live), { entries: 1, fault: null })
})

onPostgres("Two sweepers make one chain without gaps while several connections write", function* () {
  const { account, apiKey, first, second, sql } = yield* twoOwners
  const live = { ...account, livemode: true }
  let writing = true
  const writers = [first, second].flatMap((owner, process) => [
    Effect.forEach(
      Array.from({ length: 60 }, (_, index) => index),
      (index) => record(owner, index % 5 === 0 ? live : account, `object ${index}`),
      { concurrency: 4, discard: true }
    ),
    Effect.forEach(
      Array.from({ length: 60 }, (_, index) => `${process}${String(index).padStart(25, "0")}`),
      (number) => {
        const claim = { api_key_id: apiKey, value: number, fingerprint: "" }
        return Context.get(owner, Customers).create(newCustomer(account, `cust_${number}`, claim, ""))
      },
      { concurrency: 20, discard: true }
    )
  ])
  const sweep = (owner: Owner) => Effect.repeat(Context.get(owner, AuditChains).seal, { while: () => writing })
  yield* Effect.all(
    [
      Effect.ensuring(
        Effect.all(writers, { concurrency: "unbounded" }),
        Effect.sync(() => (writing = false))
      ),
      sweep(first),
      sweep(second)
    ],
    { concurrency: "unbounded" }
  )
  yield* sealAll(second)
  for (const mode of [account, live]) {
    const found = yield* positions(mode)
    assert.deepStrictEqual(
      found.map(({ position }) => Number(position)),
      found.map((_, index) => index + 1)
    )
    assert.deepInclude(yield* verified(first, mode), { entries: found.length, unsealed: 0n, fault: null })
  }
  const [made] = yield* sql<{ count: number }>`
    select count(*)::int as count from customers c join audit_log a on a.object_id = c.id and a.account_id = c.account_id
    where a.action = 'customer.created' and a.actor = ${apiKey}`
  assert.strictEqual(made?.count, 120)
})

onPostgres("A writer never waits for a sweeper", function* () {
  const { account, first, sql } = yield* sealedEntries(3)
  yield* sql.withTransaction(
    Effect.andThen(
      sql`select 1 from audit_chains for update`,
      Effect.timeout(record(first, account, "meanwhile"), "10 seconds")
    )
  )
  yield* sealAll(first)
  assert.deepInclude(yield* verified(first, account), { entries: 4, fault: null })
})

onPostgres("A batch records each creation once, in its own statement, and no replay", function* () {
  const { account, apiKey, first, sql } = yield* oneOwner
  const create = (value: string) => {
    const id = CustomerId.make(`cust_${value.padStart(26, "0")}`)
    return Context.get(first, Customers).create({
      ...newCustomer(account, id, { api_key_id: apiKey, value, fingerprint: "" }, id),
      by: { api_key_id: apiKey, portal_session_id: "ps_1", request_id: `req_${value}`, ip: "203.0.113.9" }
    })
  }
  yield* Effect.all([create("1"), create("2"), create("3")], { concurrency: "unbounded" })
  assert.isTrue((yield* create("2")).replayed)
  const log = yield* sql`
    select actor, object_id, request_id, ip, details from audit_log where action = 'customer.created' order by seq`
  assert.deepStrictEqual(
    log,
    ["1", "2", "3"].map((value) => ({
      actor: "ps_1",
      object_id: `cust_${value.padStart(26, "0")}`,
      request_id: `req_${value}`,
      ip: "203.0.113.9",
      details: {}
    }))
  )
})

onPostgres("A purge keeps the chain valid, and no entry younger than 30 days can be deleted", function* () {
  const { account, first, service, sql } = yield* oneOwner
  const aged = (days: number, count: number) =>
    sql`insert into audit_log (account_id, livemode, created_at, actor, action, details)
      select ${account.account_id}, false, now() - ${days} * interval '1 day', 'operator', 'account.updated', '{}'
      from generate_series(1, ${count})`
  yield* sql`delete from audit_log`
  yield* aged(2_000, 700)
  yield* aged(40, 2)
  yield* aged(20, 2)
  yield* sealAll(first)
  const { audit_log: purge } = Context.get(first, Retention)
  assert.deepStrictEqual([yield* purge, yield* purge, yield* purge], [500, 200, 0])
  assert.deepInclude(yield* verified(first, account), { entries: 4, position: 704n, fault: null })
  // A setting below the least of the database counts as 30 days.
  yield* service`select purge_audit_log(500, 1)`
  assert.deepInclude(yield* verified(first, account), { entries: 2, position: 704n, fault: null })
  yield* record(first, account, "later")
  yield* sealAll(first)
  assert.deepInclude(yield* verified(first, account), { entries: 3, position: 705n, fault: null })
})

onPostgres("A purge of all entries keeps the end of the chain, which a later entry extends", function* () {
  const { account, first, service, sql } = yield* oneOwner
  yield* sql.withTransaction(
    Effect.andThen(
      sql`set local session_replication_role = replica`,
      sql`update audit_log set created_at = now() - interval '31 days'`
    )
  )
  yield* sealAll(first)
  const before = yield* verified(first, account)
  yield* service`select purge_audit_log(500, 30)`
  assert.deepStrictEqual(yield* verified(first, account), { ...before, entries: 0 })
  yield* record(first, account, "later")
  yield* sealAll(first)
  assert.deepInclude(yield* verified(first, account), { entries: 1, position: before.position + 1n, fault: null })
})
