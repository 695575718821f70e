import { assert, describe } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { InvoiceId } from "../../schemas/Id.ts"
import { schemaRelease } from "../../src/database/SchemaRelease.ts"
import { Deliveries } from "../../src/webhooks/store/Deliveries.ts"
import { Ids } from "../../src/database/Ids.ts"
import { type Step, Transitions } from "../../src/invoices/store/Transitions.ts"
import { Workers } from "../../src/database/Workers.ts"
import { restingAt, seedEndpoint } from "../support/database/Owners.ts"
import { until } from "../support/apps/Until.ts"
import { completed } from "../support/receiver/DeliveryOwners.ts"
import { anotherOwner, mortalOwner, onPostgres } from "../support/database/TwoOwners.ts"

/** A process that has submitted one document, waits to retry a second, and has taken a third's event for delivery. */
const atWork = Effect.gen(function* () {
  const { account, first: owner, seed, stop } = yield* mortalOwner
  const [submitted, waiting, accepted] = yield* seed(3, "signed")
  const endpoint = yield* seedEndpoint(account, {}).pipe(Effect.provideContext(owner))
  const transitions = Context.get(owner, Transitions)
  const submit = (id: InvoiceId, held: boolean): Step => ({
    key: { ...account, id },
    version: 1,
    from: "signed",
    command: "Submit",
    to: "submitted",
    alarmMs: 75_000,
    leaves: true,
    held,
    attempt: true
  })
  const accept = (id: InvoiceId) =>
    Effect.map(Context.get(owner, Ids).event, (event): Step => ({
      key: { ...account, id },
      version: 2,
      from: "submitted",
      command: "Accept",
      to: "accepted_by_authority",
      ...restingAt("accepted_by_authority"),
      event: { id: event, type: "invoice.accepted_by_authority", body: "{}", created_at: new Date() }
    }))
  yield* transitions.move(submit(submitted!, true))
  yield* transitions.move(submit(waiting!, false))
  yield* transitions.move(submit(accepted!, true))
  yield* transitions.move(yield* accept(accepted!))
  const deliveries = Context.get(owner, Deliveries)
  const taken = yield* deliveries.take({ ...account, id: endpoint }, 0)
  return {
    accept: accept(submitted!),
    deliveries,
    endpoint: { ...account, id: endpoint },
    submitted: submitted!,
    taken: taken[0]!,
    transitions,
    worker: Context.get(owner, Workers),
    stop
  }
})

/** Another process that has run for a while. */
const survivor = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const owner = yield* anotherOwner
  const worker = Context.get(owner, Workers)
  yield* sql`update workers set since = now() - interval '1 hour' where id = ${worker.id}`
  return { deliveries: Context.get(owner, Deliveries), transitions: Context.get(owner, Transitions), worker }
})

/** Simulates a process killed or frozen this many seconds ago, by giving its rows to a worker that no process runs. */
const lastSeen = Effect.fnUntraced(function* (worker: string, seconds: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into workers (id, since, seen_at, release)
    values ('missing', now() - interval '1 hour', now() - ${seconds} * interval '1 second', ${schemaRelease})`
  yield* sql`update invoices set worker = 'missing' where worker = ${worker}`
  yield* sql`update deliveries set worker = 'missing' where worker = ${worker}`
})

/** Whether each of these is due: the submitted document, the waiting one, the delivery. */
const due = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ due: boolean }>`
    select next_action_at <= now() as due, id from invoices where state = 'submitted'
    union all select next_attempt_at <= now(), id from deliveries order by id`
  return rows.map((row) => row.due)
})

const nothing = [false, false, false]
const whatWasHeld = [true, false, true]

describe("Workers", () => {
  onPostgres("release their work immediately when they stop, but no alarm that is only a timer", function* () {
    const { stop } = yield* atWork
    const { worker } = yield* survivor
    yield* worker.freeDead
    assert.deepStrictEqual(yield* due, nothing)
    yield* stop
    yield* worker.freeDead
    assert.deepStrictEqual(yield* due, whatWasHeld)
  })

  onPostgres("count as dead after the length of the lease without a sign of life, and not earlier", function* () {
    const { worker: missing } = yield* atWork
    const { worker } = yield* survivor
    const sql = yield* SqlClient.SqlClient
    yield* lastSeen(missing.id, 2)
    yield* worker.freeDead
    assert.deepStrictEqual(yield* due, nothing)
    yield* sql`update workers set seen_at = now() - interval '9 seconds' where id = 'missing'`
    yield* worker.freeDead
    assert.deepStrictEqual(yield* due, whatWasHeld)
  })

  onPostgres("declare no worker dead just after they have come back to the database themselves", function* () {
    const { worker: missing } = yield* atWork
    const { worker } = yield* survivor
    const sql = yield* SqlClient.SqlClient
    yield* lastSeen(missing.id, 60)
    yield* sql`update workers set seen_at = now() - interval '15 seconds' where id = ${worker.id}`
    yield* until(
      sql`select since from workers where id = ${worker.id} and since > now() - interval '5 seconds'`,
      (rows) => rows.length === 1
    )
    yield* worker.freeDead
    assert.deepStrictEqual(yield* due, nothing)
  })

  onPostgres("stay monitored until no statement of theirs can be under way, and are then deleted", function* () {
    const { worker: missing } = yield* atWork
    const { worker } = yield* survivor
    const sql = yield* SqlClient.SqlClient
    const isKnown = Effect.map(sql`select 1 from workers where id = 'missing'`, (rows) => rows.length === 1)
    yield* lastSeen(missing.id, 60)
    yield* worker.freeDead
    yield* sql`update invoices set worker = 'missing', next_action_at = now() + interval '75 seconds' where state = 'submitted'`
    yield* worker.freeDead
    assert.deepStrictEqual(yield* due, [true, true, true])
    assert.isTrue(yield* isKnown)
    yield* sql`update workers set dead_since = now() - interval '16 seconds' where id = 'missing'`
    yield* worker.freeDead
    assert.isFalse(yield* isKnown)
  })

  onPostgres(
    "know when the database has not seen them for the length of a lease, and when it sees them again",
    function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, isAlive } = Context.get(yield* anotherOwner, Workers)
      assert.isTrue(yield* isAlive)
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select 1 from workers where id = ${id} for update`
          yield* until(isAlive, (alive) => !alive)
          const [{ age }] = (yield* sql`
          select extract(epoch from clock_timestamp() - seen_at)::float8 as age from workers where id = ${id}`) as [
            { age: number }
          ]
          assert.isAtLeast(age, 6)
        })
      )
      yield* until(isAlive, (alive) => alive)
    }
  )

  onPostgres("take over all other work immediately if no other process can be at work", function* () {
    const { worker: missing } = yield* atWork
    const { succeed, freeDead } = Context.get(yield* anotherOwner, Workers)
    yield* lastSeen(missing.id, 0)
    yield* freeDead
    assert.deepStrictEqual(yield* due, nothing)
    yield* succeed
    yield* freeDead
    assert.deepStrictEqual(yield* due, whatWasHeld)
  })

  onPostgres("change nothing that a successor has done when they wake up after they were declared dead", function* () {
    const frozen = yield* atWork
    const { deliveries, transitions, worker } = yield* survivor
    const sql = yield* SqlClient.SqlClient
    yield* lastSeen(frozen.worker.id, 60)
    yield* worker.freeDead
    const [again] = yield* deliveries.take(frozen.endpoint, 0)
    assert.strictEqual(again?.id, frozen.taken.id)
    yield* deliveries.record(completed(again!, true))
    yield* frozen.deliveries.record(completed(frozen.taken, false))
    const step = yield* frozen.accept
    assert.isTrue((yield* transitions.move(step)).moved)
    assert.isFalse((yield* frozen.transitions.move({ ...step, command: "Reject", to: "rejected_by_authority" })).moved)
    const rows = yield* sql`
      select i.state, i.worker, d.status, d.attempts, d.worker as deliverer
      from invoices i join deliveries d on true where i.id = ${frozen.submitted} and d.id = ${again!.id}`
    assert.deepStrictEqual(rows, [
      { state: "accepted_by_authority", worker: null, status: "succeeded", attempts: 1, deliverer: null }
    ])
    // With its next heartbeat the worker is alive again.
    yield* sql`update workers set dead_since = now() where id = ${frozen.worker.id}`
    yield* until(
      sql`select 1 from workers where id = ${frozen.worker.id} and dead_since is null`,
      (known) => known.length === 1
    )
  })
})
