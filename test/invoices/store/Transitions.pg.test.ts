import { assert } from "@effect/vitest"
import { Array, Context, Effect, Exit, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import type { InvoiceId } from "../../../schemas/Id.ts"
import type { InvoiceCommand, InvoiceState } from "../../../src/invoices/rules/InvoiceLifecycle.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { type Step, Transitions } from "../../../src/invoices/store/Transitions.ts"
import { blocked, restingAt, seedEndpoint, withRepeats } from "../../support/database/Owners.ts"
import { TestDatabase } from "../../support/database/Postgres.ts"
import { refusal } from "../../support/database/Refusals.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"
import { lockRows, twoOwners } from "../../support/database/TwoOwners.ts"

/** Two owners of the same `count` documents, and an endpoint that subscribes to their outcomes. */
const owners = Effect.fnUntraced(function* (count: number, state: InvoiceState = "submitted") {
  const { account, first, second, seed, sql } = yield* twoOwners
  yield* sql`truncate deliveries, attempts`
  yield* sql`delete from webhook_endpoints`
  yield* seedEndpoint(account, {}).pipe(Effect.provideContext(first))
  const documents = yield* seed(count, state)
  const ids = Context.get(first, Ids)

  /** The step to an outcome, with its event, from the initial version of a document. */
  const outcome = (id: InvoiceId, command: InvoiceCommand, to: InvoiceState) =>
    Effect.map(ids.event, (event): Step => ({
      key: { ...account, id },
      version: 1,
      from: "submitted",
      command,
      to,
      ...restingAt(to),
      errors: [],
      event: { id: event, type: "invoice.accepted_by_authority", body: `body of ${event}`, created_at: new Date() }
    }))
  return {
    account,
    documents,
    document: documents[0],
    accept: (id: InvoiceId) => outcome(id, "Accept", "accepted_by_authority"),
    reject: (id: InvoiceId) => outcome(id, "Reject", "rejected_by_authority"),
    first: Context.get(first, Transitions),
    second: Context.get(second, Transitions)
  }
})

/** All rows that a step writes for one document. */
const written = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ state: string; version: number; events: bigint; deliveries: bigint; log: bigint }>`
    select state, version,
      (select count(*) from events e where e.object_id = i.id) as events,
      (select count(*) from deliveries d where d.object_id = i.id) as deliveries,
      (select count(*) from transitions t where t.invoice_id = i.id) as log
    from invoices i where id = ${id}`
  return rows[0]
})

const before = { state: "submitted", version: 1, events: 0n, deliveries: 0n, log: 0n }
const accepted = { state: "accepted_by_authority", version: 2, events: 1n, deliveries: 1n, log: 1n }

describeLive(TestDatabase.layer)("Transitions", (it) => {
  it.effect("stores for each step of a batch its own content", function* () {
    const { accept, account, documents, first } = yield* owners(4)
    const sql = yield* SqlClient.SqlClient
    const waits = (id: InvoiceId): Step => ({
      key: { ...account, id },
      version: 1,
      from: "submitted",
      command: null,
      to: "submitted",
      alarmMs: 1_000
    })
    const [scheduled, concluded, signed, last] = documents as [InvoiceId, InvoiceId, InvoiceId, InvoiceId]
    yield* sql`
      insert into invoice_documents (account_id, livemode, invoice_id, signed, created_at)
      values (${account.account_id}, ${account.livemode}, ${concluded}, 'kept', now())`
    const moved = [
      ...(yield* first.moveAll([
        waits(scheduled),
        { ...(yield* accept(concluded)), authorityAnswer: { StatusCode: "00" }, asksBuyer: true }
      ])),
      ...(yield* first.moveAll([{ ...waits(signed), signed: new TextEncoder().encode("new") }, waits(last)]))
    ]
    assert.deepStrictEqual(
      moved.map((exit) => Exit.isSuccess(exit) && [exit.value.moved, exit.value.endpoints.length]),
      [
        [true, 0],
        [true, 1],
        [true, 0],
        [true, 0]
      ]
    )
    assert.deepStrictEqual(
      yield* sql`
        select i.id, convert_from(d.signed, 'utf8') as signed, d.authority_answer ->> 'StatusCode' as answer,
          (select count(*)::integer from events e where e.object_id = i.id) as events,
          (select count(*)::integer from acceptances a where a.id = i.id) as questions
        from invoices i left join invoice_documents d on d.invoice_id = i.id where i.id = any(${documents}::text[]) order by i.id`,
      [
        { id: scheduled, signed: null, answer: null, events: 0, questions: 0 },
        { id: concluded, signed: "kept", answer: "00", events: 1, questions: 1 },
        { id: signed, signed: "new", answer: null, events: 0, questions: 0 },
        { id: last, signed: null, answer: null, events: 0, questions: 0 }
      ]
    )
  })

  it.effect("rejects a submission of a single version or without bytes", function* () {
    const { account, document } = yield* owners(1, "numbered")
    const sql = yield* SqlClient.SqlClient
    const submit = (versions: number) =>
      refusal(sql`
        update invoices set state = 'submitted', version = version + ${versions}, submitted_at = now(), next_action_at = now()
        where id = ${document}`)
    assert.include(yield* submit(1), "two versions")
    assert.include(yield* submit(2), "a submitted document is signed and stored")
    yield* sql`
      insert into invoice_documents (account_id, livemode, invoice_id, signed, created_at)
      values (${account.account_id}, ${account.livemode}, ${document}, 'signed', now())`
    assert.include(yield* submit(1), "two versions")
    assert.strictEqual(yield* submit(2), "not refused")
  })

  it.effect("accepts from a process of the previous release the outcome of a waiting document", function* () {
    const { document } = yield* owners(1)
    const sql = yield* SqlClient.SqlClient
    yield* sql`update invoices set waiting = '{"code": "no_answer", "message": "-"}', waiting_since = now() where id = ${document}`
    // In the form of that release, which knows neither column.
    yield* sql`
      update invoices set state = 'accepted_by_authority', version = version + 1, next_action_at = null, updated_at = now()
      where id = ${document}`
    assert.deepInclude(yield* written(document), { state: "accepted_by_authority", version: 2 })
  })

  it.effect("stores one of two contradictory concurrent outcomes", function* () {
    const { accept, document, first, reject, second } = yield* owners(1)
    const sql = yield* SqlClient.SqlClient
    const { release } = yield* lockRows(sql`invoices where id = ${document}`)
    const left = yield* Effect.forkScoped(first.move(yield* accept(document)))
    const right = yield* Effect.forkScoped(second.move(yield* reject(document)))
    yield* until(blocked("authority_answer, errors"), (pids) => pids.length === 2)
    yield* release
    const results = [yield* Fiber.join(left), yield* Fiber.join(right)]
    assert.strictEqual(results.filter((result) => result.moved).length, 1)
    const { state, ...rest } = (yield* written(document)) ?? { state: "" }
    assert.strictEqual(state, results[0]?.moved === true ? "accepted_by_authority" : "rejected_by_authority")
    assert.deepStrictEqual(rest, { version: 2, events: 1n, deliveries: 1n, log: 1n })
  })

  it.effect("lets two owners that move the same documents wait for each other without a deadlock", function* () {
    const { accept, documents, first, second } = yield* owners(3)
    const sql = yield* SqlClient.SqlClient
    const { release } = yield* lockRows(sql`invoices where id = ${documents[1]!}`)
    const move = (owner: Transitions["Service"], ids: ReadonlyArray<InvoiceId>) =>
      Effect.flatMap(Effect.forEach(ids, accept), Effect.forEach(owner.move, { concurrency: "unbounded" }))
    const moving = Effect.all([move(first, documents), move(second, documents.toReversed())], { concurrency: 2 })
    const both = yield* Effect.forkScoped(withRepeats("Transitions.move", moving))
    yield* until(blocked("authority_answer, errors"), (pids) => pids.length === 2)
    yield* release
    const { result, repeats } = yield* Fiber.join(both)
    assert.strictEqual(result.flat().filter((one) => one.moved).length, documents.length)
    assert.deepStrictEqual(repeats, 0)
  })

  it.effect("stores the signed bytes of the first owner permanently", function* () {
    const { document, first, account, second } = yield* owners(1, "numbered")
    const sql = yield* SqlClient.SqlClient
    const sign = (text: string): Step => ({
      key: { ...account, id: document },
      version: 1,
      from: "numbered",
      command: "Sign",
      to: "signed",
      alarmMs: 1000,
      signed: new TextEncoder().encode(text)
    })
    const results = yield* Effect.all([first.move(sign("first")), second.move(sign("second"))], { concurrency: 2 })
    const winner = results[0].moved ? "first" : "second"
    assert.strictEqual(results.filter((result) => result.moved).length, 1)
    const rows = yield* sql<{ text: string }>`
      select convert_from(signed, 'UTF8') as text from invoice_documents where invoice_id = ${document}`
    assert.deepStrictEqual(rows, [{ text: winner }])
  })

  it.effect("changes nothing if the event cannot be stored, and does not fail the other documents", function* () {
    const { accept, documents, first, account } = yield* owners(5)
    const sql = yield* SqlClient.SqlClient
    const steps = yield* Effect.forEach(documents, accept)
    const poisoned = documents[2]!
    yield* sql`insert into events ${sql.insert({
      ...account,
      id: (yield* accept(poisoned)).event?.id,
      type: "invoice.failed",
      object_id: poisoned,
      object_version: 2,
      body: "in the way",
      // Old enough to be removed.
      created_at: new Date(Date.now() - 2 * 86_400_000)
    })}`
    const exits = yield* Effect.forEach(steps, (step) => Effect.exit(first.move(step)), { concurrency: "unbounded" })
    assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, true, false, true, true])
    const neighbours = yield* Effect.forEach(documents, written)
    assert.deepStrictEqual(
      neighbours,
      Array.makeBy(5, (index) => (index === 2 ? { ...before, events: 1n } : accepted))
    )
    // The conflict is gone, so the same step is possible again.
    yield* sql`delete from events where body = 'in the way'`
    assert.isTrue((yield* first.move(steps[2]!)).moved)
    assert.deepStrictEqual(yield* written(poisoned), accepted)
  })

  it.effect("writes steps in one batch, whether their alarm is whole, a fraction, never or none", function* () {
    const { accept, account, documents, first } = yield* owners(4)
    const ended = yield* accept(documents[3]!)
    const steps = [1000, 0.5, Infinity].map((alarmMs, index): Step => {
      const key = { ...account, id: documents[index]! }
      return { key, version: 1, from: "submitted", command: null, to: "submitted", alarmMs }
    })
    const moving = Effect.forEach([...steps, ended], first.move, { concurrency: "unbounded" })
    const { repeats, result } = yield* withRepeats("Transitions.move", moving)
    assert.deepStrictEqual(
      result.map(({ moved }) => moved),
      [true, true, true, true]
    )
    assert.strictEqual(repeats, 0)
  })

  it.effect("rejects the change of an owner that has read an older version", function* () {
    const { accept, document, first, reject, second } = yield* owners(1)
    yield* first.move(yield* accept(document))
    const stale = yield* reject(document)
    for (const step of [stale, { ...stale, version: 2 }, { ...stale, from: "accepted_by_authority" } as const]) {
      assert.deepStrictEqual(yield* second.move(step), { moved: false, endpoints: [], taken: null, emailed: false })
    }
    assert.deepStrictEqual(yield* written(document), accepted)
  })
})
