import { assert, describe } from "@effect/vitest"
import { Array, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { invoiceBody, scripted } from "../../support/apps/Invoices.ts"
import { copyAccount, seedDrafts } from "../../support/database/Owners.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { arrived, Customer, newEndpoint } from "../../support/receiver/Webhooks.ts"
import { itOn } from "../../support/Tests.ts"

/*
 * A document that breaks its handler, among twenty healthy ones. SQL damages the rows in the database:
 * a document's row when it enters the state that its metadata names under `ruin`.
 */

const ruinAtState = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create function ruin() returns trigger language plpgsql as $$ begin
      if new.metadata->>'ruin' = new.state and new.failure is null then new.lines = '"ruins"'; end if;
      return new;
    end $$`
  yield* sql`create trigger ruin before insert or update on invoices for each row execute function ruin()`
})

const post = Effect.fnUntraced(function* (customer: string, metadata: Record<string, string> = {}) {
  const { client } = yield* TestApp.TestApp
  const key = `${customer} ${performance.now()} ${Math.random()}`
  const answer = yield* client.post("/v1/invoices", invoiceBody(customer, metadata), { key })
  assert.strictEqual(answer.status, 202, answer.text)
  return String(answer.json.id)
})

/** Posts a document for damage in the middle of twenty others, all concurrently. */
const amongOthers = Effect.fnUntraced(function* (customer: string, metadata: Record<string, string>) {
  const others = yield* TestApp.newCustomer((yield* TestApp.TestApp).client)
  const ids = yield* Effect.forEach(
    Array.range(0, 20),
    (index) => (index === 10 ? post(customer, metadata) : post(others)),
    { concurrency: "unbounded" }
  )
  return { poison: ids[10] ?? "", neighbours: ids.toSpliced(10, 1) }
})

interface Row {
  readonly id: string
  readonly state: string
  readonly attempts: number
  readonly full_number: string | null
  readonly wait: number
}

const rowsOf = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Row>`
    select id, state, attempts, full_number, coalesce(extract(epoch from next_action_at - now()), 0)::float8 as wait
    from invoices where id = any(${ids}) order by id`
})

const accepted = (ids: ReadonlyArray<string>) =>
  until(rowsOf(ids), (rows) => rows.every((row) => row.state === "accepted_by_authority"))

/** Lets the waits of documents pass, and looks again. */
const ringing = <A, E, R>(look: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      update invoices set next_action_at = now() where id in (
        select id from invoices where next_action_at > now() for update skip locked
      )`
    return yield* look
  })

const failed = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* until(ringing(rowsOf([id])), ([seen]) => seen?.state === "failed")
  const events = yield* sql<{ type: string; body: string }>`select type, body from events where object_id = ${id}`
  assert.deepStrictEqual(
    events.map((event) => event.type),
    ["invoice.failed"]
  )
  const { failure, metadata, status } = JSON.parse(events[0]?.body ?? "{}").data.object
  assert.deepInclude({ ...failure, status }, { code: "internal_error", retryable: true, status: "failed" })
  const [left] = yield* sql<{ open: boolean }>`select next_action_at is not null as open from invoices where id = ${id}`
  assert.deepStrictEqual([row?.attempts, left?.open], [4, false])
  return { row, metadata }
})

const it = itOn(Customer.layer)

describe("A document that cannot be read", () => {
  it.live.each(["numbered", "signed"])(
    "fails after five attempts when it is %s, and keeps its number",
    function* (state) {
      yield* ruinAtState
      yield* newEndpoint("/hooks")
      const { client } = yield* TestApp.TestApp
      // The actor goes from signing to submitting without another read of the row, and signs a single document without
      // one. The faults cause a read in between.
      const customer = yield* TestApp.newCustomer(client)
      const sql = yield* SqlClient.SqlClient
      if (state === "signed") {
        yield* sql`
        create function hold() returns trigger language plpgsql as $$ begin
          if new.state = 'submitted' and (old.lines = '"ruins"' or old.state = 'numbered' and new.metadata ->> 'ruin' = 'signed')
          then raise exception 'held' using errcode = '22000'; end if;
          return new;
        end $$`
        yield* sql`create trigger hold before update on invoices for each row execute function hold()`
      }
      const { neighbours, poison } = yield* amongOthers(customer, { ruin: state, order: "A-1" })
      yield* accepted(neighbours)
      const { metadata, row } = yield* failed(poison)
      assert.match(row?.full_number ?? "", /^SETP99/)
      assert.deepStrictEqual(metadata, { ruin: state, order: "A-1" })
      const told = yield* arrived(21)
      assert.lengthOf(
        told.filter(({ event }) => event.type === "invoice.failed"),
        1
      )
    }
  )

  it.live(
    "fails without a number before it has one, and the account's other drafts are numbered without a gap",
    function* () {
      const sql = yield* SqlClient.SqlClient
      const { client } = yield* TestApp.TestApp
      const broken = yield* TestApp.newCustomer(client, scripted.notified)
      yield* sql`update customers set acquirer = '{"legal_name": 1}' where id = ${broken}`
      // No sweep finds a draft: the other drafts have their numbers because the damaged one did not break their batch.
      yield* sql`
        create function unsought() returns trigger language plpgsql as $$ begin
          new.next_action_at = now() + interval '1 hour';
          return new;
        end $$`
      yield* sql`create trigger unsought before insert on invoices for each row execute function unsought()`
      const { neighbours, poison } = yield* amongOthers(broken, {})
      const rows = yield* accepted(neighbours)
      assert.deepStrictEqual(
        rows.map((row) => row.full_number).toSorted(),
        Array.range(0, 19).map((index) => `SETP${990_000_000 + index}`)
      )
      const { row } = yield* failed(poison)
      assert.isNull(row?.full_number)
    }
  )

  it.live("never fails after its submission: it waits longer each time, and continues after the repair", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* ruinAtState
    const { client } = yield* TestApp.TestApp
    const customer = yield* TestApp.newCustomer(client, scripted.lost)
    const { neighbours, poison } = yield* amongOthers(customer, { ruin: "submitted" })
    yield* accepted(neighbours)
    const [row] = yield* until(ringing(rowsOf([poison])), ([seen]) => (seen?.attempts ?? 0) >= 8)
    assert.strictEqual(row?.state, "submitted")
    const [waiting] = yield* until(rowsOf([poison]), ([seen]) => (seen?.wait ?? 0) > 60)
    assert.isBelow(waiting?.wait ?? 0, 331)
    assert.lengthOf(yield* sql`select 1 from events where object_id = ${poison}`, 0)
    yield* sql`drop trigger ruin on invoices`
    yield* sql`
    update invoices set next_action_at = now(),
      lines = (select lines from invoices where jsonb_typeof(lines) = 'array' limit 1)
    where id = ${poison}`
    // An actor that read the damaged row just before makes the document wait once more.
    yield* until(ringing(rowsOf([poison])), ([seen]) => seen?.state === "accepted_by_authority")
  })

  it.live("waits even if its state or its id is invalid, and the sweeper continues with the others", function* () {
    const sql = yield* SqlClient.SqlClient
    const { accountId } = yield* TestApp.TestApp
    const [state = "", id = "", ...others] = yield* seedDrafts(accountId, 12)
    const strange = "inv_O"
    yield* sql.withTransaction(
      Effect.gen(function* () {
        // Disables the constraints, which exist to prevent this damage.
        yield* sql`set local session_replication_role = replica`
        yield* sql`alter table invoices drop constraint facts_of_its_state, drop constraint code_before_signature`
        yield* sql`update invoices set state = 'zombie' where id = ${state}`
        yield* sql`update invoices set id = ${strange} where id = ${id}`
        yield* sql`update invoices set next_action_at = now() - interval '1 minute'`
      })
    )
    yield* accepted(others)
    const parked = yield* until(ringing(rowsOf([state, strange])), (rows) => rows.every((row) => row.attempts >= 6))
    assert.deepStrictEqual(parked.map((row) => row.state).toSorted(), ["queued", "zombie"])
    yield* until(rowsOf([state, strange]), (rows) => rows.every((row) => row.wait > 20))
  })
})

describe("A draft whose numbering the database rejects", () => {
  it.live("fails after five attempts, and the drafts next to it are numbered", function* () {
    const sql = yield* SqlClient.SqlClient
    const { client } = yield* TestApp.TestApp
    yield* sql`alter table invoices add check (metadata->>'refuse' is null or state in ('queued', 'failed'))`
    const { neighbours, poison } = yield* amongOthers(yield* TestApp.newCustomer(client), { refuse: "yes" })
    yield* accepted(neighbours)
    const { row } = yield* failed(poison)
    assert.isNull(row?.full_number)
  })
})

describe("An account whose drafts cannot be numbered", () => {
  it.live("delays no other account's drafts, and loses none of its own", function* () {
    const sql = yield* SqlClient.SqlClient
    const { accountId } = yield* TestApp.TestApp
    const other = `ten_${"0".repeat(26)}`
    yield* copyAccount(accountId, other)
    yield* sql`
      insert into resolutions select ${other}, livemode, id, number, document_type, prefix, from_number, to_number, valid_from,
        valid_to, technical_key, is_active, next_number, created_at from resolutions`
    yield* sql`update account_modes set issuer = '{}' where account_id = ${accountId}`
    // More than a page of the sweeper, all due for longer than the other account's drafts.
    const stuck = yield* sql.withTransaction(
      Effect.gen(function* () {
        const all = yield* seedDrafts(accountId, 1_250)
        const theirs = all.slice(-5)
        yield* sql`update invoices set account_id = ${other} where id = any(${theirs})`
        yield* sql`update invoices set next_action_at = now() - interval '1 minute'`
        yield* sql`update invoices set next_action_at = now() where id = any(${theirs})`
        return { own: all.slice(0, -5), theirs }
      })
    )
    yield* accepted(stuck.theirs)
    const waiting = yield* until(rowsOf(stuck.own), (rows) => rows.every((row) => row.attempts > 0))
    assert.deepStrictEqual([...new Set(waiting.map((row) => row.state))], ["queued"])
    yield* sql`
      update account_modes m set issuer = o.issuer from account_modes o
      where o.account_id = ${other} and m.account_id = ${accountId} and not o.livemode and not m.livemode`
    const mended = yield* until(
      ringing(rowsOf(stuck.own)),
      (rows) => rows.every((row) => row.full_number !== null),
      "180 seconds",
      "500 millis"
    )
    assert.strictEqual(new Set(mended.map((row) => row.full_number)).size, stuck.own.length)
  })
})
