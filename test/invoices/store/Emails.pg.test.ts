import { assert } from "@effect/vitest"
import { Array, Effect, Exit, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { InvoiceId } from "../../../schemas/Id.ts"
import type { StoredEmail } from "../../../src/invoices/store/Emails.ts"
import { everyInvoice } from "../../support/database/Owners.ts"
import { mailOwners, to } from "../../support/mail/MailOwners.ts"
import { TestDatabase } from "../../support/database/Postgres.ts"
import { answered, refusal } from "../../support/database/Refusals.ts"
import { describeLive } from "../../support/Tests.ts"

const rows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{
    invoice_id: string
    document_state: string
    recipient: string
    status: string
    attempts: number
  }>`
    select invoice_id, document_state, recipient, status, attempts from emails order by id`
})

const taken = (found: Option.Option<StoredEmail>) => {
  assert.isTrue(Option.isSome(found), "it can be taken")
  return Option.getOrThrow(found)
}

describeLive(TestDatabase.layer)("Emails", (it) => {
  it.effect("exist only by the acceptance of a document, one for each acceptance", function* () {
    const { admin, documents, first, step } = yield* mailOwners(4)
    yield* admin`delete from emails`
    const [accepted, rejected, contingency, submitted] = documents as [InvoiceId, InvoiceId, InvoiceId, InvoiceId]
    // Only documents that never left are issued in contingency.
    yield* first.transitions.move({ ...(yield* step(contingency, "Return", "signed")), alarmMs: 60_000 })
    const steps = yield* Effect.all([
      step(accepted, "Accept", "accepted_by_authority"),
      step(rejected, "Reject", "rejected_by_authority"),
      step(contingency, "EnterContingency", "accepted_contingency", "signed")
    ])
    const moved = yield* Effect.forEach(steps, first.transitions.move, { concurrency: "unbounded" })
    assert.deepStrictEqual(
      moved.map(({ emailed }) => emailed),
      [true, false, true]
    )
    const again = yield* first.transitions.move({
      ...(yield* step(contingency, "Accept", "accepted_by_authority", "accepted_contingency")),
      version: 3
    })
    assert.isTrue(again.emailed)
    const made = (yield* rows).map(({ document_state, invoice_id, status }) => [invoice_id, document_state, status])
    assert.sameDeepMembers(made, [
      [accepted, "accepted_by_authority", "pending"],
      [contingency, "accepted_contingency", "pending"],
      [contingency, "accepted_by_authority", "pending"]
    ])
    assert.isFalse(made.some(([id]) => id === submitted))
  })

  it.effect("need an address to exist", function* () {
    const { accept, admin, document, first } = yield* mailOwners(1, null)
    yield* admin`delete from emails`
    const { emailed, moved } = yield* first.transitions.move(yield* accept(document))
    assert.deepStrictEqual([moved, emailed], [true, false])
    assert.deepStrictEqual(yield* rows, [])
  })

  it.effect("exist once even if two owners accept the same document", function* () {
    const { accept, admin, documents, first, second } = yield* mailOwners(40)
    yield* admin`delete from emails`
    const steps = yield* Effect.forEach(documents, accept)
    const others = yield* Effect.forEach(documents, accept)
    const moves = [...steps.map(first.transitions.move), ...others.map(second.transitions.move)]
    const moved = yield* Effect.all(moves, { concurrency: "unbounded" })
    assert.lengthOf(
      moved.filter(({ emailed }) => emailed),
      40
    )
    assert.sameMembers(
      (yield* rows).map(({ invoice_id }) => invoice_id),
      [...documents]
    )
  })

  it.effect("have one owner at a time, and a new one if that owner has died", function* () {
    const { accept, admin, document, first, key, second, stop } = yield* mailOwners()
    yield* first.transitions.move(yield* accept(document))
    assert.deepStrictEqual(
      (yield* second.emails.dueDocuments(1_000)).map(({ id }) => id).filter((id) => id === document),
      [document]
    )
    const both = yield* Effect.all([first.emails.take(key), second.emails.take(key)], { concurrency: "unbounded" })
    assert.lengthOf(both.filter(Option.isSome), 1)
    yield* admin`update emails set worker = ${first.worker.id} where invoice_id = ${document}`
    assert.isTrue(Option.isNone(yield* second.emails.take(key)))
    yield* stop
    yield* second.worker.freeDead
    const again = taken(yield* second.emails.take(key))
    assert.deepInclude(again, { invoice_id: document, recipient: to, attempts: 2, status: "pending" })
    // No owner returned it, but the lease has ended.
    yield* admin`update emails set next_attempt_at = now() where invoice_id = ${document}`
    assert.strictEqual(taken(yield* second.emails.take(key)).attempts, 3)
  })

  it.effect("report their outcome once, in the order of their document's events, from any reporter", function* () {
    const { accept, admin, document, endpoint, first, key, outcome, second, stores } = yield* mailOwners()
    const wanted = yield* endpoint
    yield* first.transitions.move(yield* accept(document))
    const email = taken(yield* first.emails.take(key))
    const records = [
      first.emails.record(yield* outcome(email, "delivered")),
      second.emails.record(yield* outcome(email, "delivered")),
      first.emails.record(yield* outcome(email, "delivered"))
    ]
    const recorded = yield* answered(Effect.all(records, { concurrency: "unbounded" }))
    assert.deepStrictEqual(
      recorded.filter(({ moved }) => moved).map(({ endpoints }) => endpoints),
      [[wanted]]
    )
    const late = ["pending", "delivered"] as never
    const complaint = yield* second.emails.record(yield* outcome(email, "complained", late))
    assert.isTrue(complaint.moved)
    assert.isFalse((yield* first.emails.record(yield* outcome(email, "bounced", late))).moved)
    const events = yield* admin<{ type: string; deliveries: bigint }>`
      select type, (select count(*) from deliveries d where d.event_id = e.id) as deliveries
      from events e where object_id = ${document} order by seq`
    assert.deepStrictEqual(
      events.map(({ deliveries, type }) => [type, deliveries]),
      ["invoice.accepted_by_authority", "invoice.email.delivered", "invoice.email.complained"].map((type) => [type, 1n])
    )
    const shown = Option.getOrThrow(yield* stores.invoices.find(key, document))
    assert.strictEqual(shown.email?.status, "complained")
    const listed = yield* stores.invoices.list(key, { limit: 1, cursor: null }, everyInvoice)
    assert.strictEqual(listed.rows[0]?.email?.status, "complained")
  })

  it.effect("report a delivery and a complaint together in this order, or neither", function* () {
    const { accept, admin, documents, endpoint, first, account, outcome } = yield* mailOwners(2)
    // Endpoints of earlier tests belong to the same account.
    yield* admin`update webhook_endpoints set is_active = false`
    const wanted = yield* endpoint
    yield* Effect.forEach(documents, (id) => Effect.flatMap(accept(id), first.transitions.move))
    const outcomes = yield* Effect.forEach(documents, (id) =>
      Effect.gen(function* () {
        const email = taken(yield* first.emails.take({ ...account, id }))
        const delivered = yield* outcome(email, "delivered")
        const complained = yield* outcome(email, "complained")
        return { ...complained, events: [...delivered.events, ...complained.events] }
      })
    )
    const record = Effect.forEach(outcomes, (one) => Effect.exit(first.emails.record(one)), {
      concurrency: "unbounded"
    })
    const told = Effect.forEach(
      documents,
      (id) => admin<{ status: string; deliveries: ReadonlyArray<string> }>`
      select m.status, array(
        select e.type || ' ' || d.endpoint_id from events e join deliveries d on d.event_id = e.id
        where e.object_id = m.invoice_id and e.type like '%email%' order by e.seq
      ) as deliveries
      from emails m where m.invoice_id = ${id}`
    )
    const neither = [{ status: "pending", deliveries: [] }]
    const deliveries = ["delivered", "complained"].map((status) => `invoice.email.${status} ${wanted}`)
    const both = [{ status: "complained", deliveries }]
    const now = Exit.succeed({ moved: true, endpoints: [wanted] })
    const before = Exit.succeed({ moved: false, endpoints: [] })

    // The complaint of the first document cannot be inserted. Both outcomes are in one batch.
    yield* admin.unsafe(
      `alter table events add constraint refused check (object_id <> '${documents[0]}' or type not like '%.complained')`
    )
    const [refused, recorded] = yield* record
    assert.deepStrictEqual([refused?._tag, recorded], ["Failure", now])
    assert.deepStrictEqual(yield* told, [neither, both])
    yield* admin`alter table events drop constraint refused`
    assert.deepStrictEqual(yield* record, [now, before])
    assert.deepStrictEqual(yield* told, [both, both])
  })

  it.effect("wait for their next attempt, unless another owner has begun it", function* () {
    const { accept, document, first, key, outcome, second } = yield* mailOwners()
    yield* first.transitions.move(yield* accept(document))
    const email = taken(yield* first.emails.take(key))
    const again = {
      ...(yield* outcome(email, "delivered")),
      status: "pending",
      retryInMs: 60_000,
      events: []
    } as const
    const stale = { ...again, email: { ...email, attempts: 0 } }
    assert.isFalse((yield* second.emails.record(stale)).moved)
    assert.isTrue((yield* first.emails.record(again)).moved)
    assert.isTrue(Option.isNone(yield* second.emails.take(key)))
    const { rows: listed } = yield* first.emails.list(key, document, { limit: 10, cursor: null })
    const wait = (listed[0]?.next_attempt_at?.getTime() ?? 0) - Date.now()
    assert.isTrue(wait > 50_000 && wait < 61_000, `${wait} ms`)
  })

  it.effect("share batches, and an unreadable one fails no other", function* () {
    const { accept, admin, documents, first, account, outcome } = yield* mailOwners(30)
    yield* Effect.forEach(documents, (id) => Effect.flatMap(accept(id), first.transitions.move), {
      concurrency: "unbounded"
    })
    yield* admin`alter table emails drop constraint known_document_state`
    yield* admin`update emails set document_state = 'strange' where invoice_id = ${documents[7]!}`
    const found = yield* Effect.forEach(documents, (id) => first.emails.take({ ...account, id }), {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(
      found.map(Option.isNone),
      documents.map((_, index) => index === 7)
    )
    assert.deepStrictEqual(yield* admin`select status from emails where invoice_id = ${documents[7]!}`, [
      { status: "failed" }
    ])
    const emails = found.flatMap(Option.toArray)
    const outcomes = yield* Effect.forEach(emails, (email) => outcome(email, "delivered"))
    const recorded = yield* Effect.forEach(outcomes, first.emails.record, { concurrency: "unbounded" })
    assert.isTrue(recorded.every(({ moved }) => moved))
  })

  it.effect("stay with their documents, and no role changes their recipient or final outcome", function* () {
    const { accept, admin, document, first, key, outcome, service, stores } = yield* mailOwners()
    yield* first.transitions.move(yield* accept(document))
    yield* first.emails.record(yield* outcome(taken(yield* first.emails.take(key)), "delivered"))
    for (const [statement, stoppedBy] of [
      ["update emails set recipient = 'x'", "permission denied for table emails"],
      ["update emails set invoice_id = 'x'", "permission denied for table emails"],
      ["delete from emails", "permission denied for table emails"],
      ["truncate emails", "permission denied for table emails"],
      [
        `update emails set status = 'pending', next_attempt_at = now() where invoice_id = '${document}'`,
        "the outcome of an email is final"
      ],
      [`update emails set next_attempt_at = now() where invoice_id = '${document}'`, "pending_has_an_alarm"]
    ] as const) {
      assert.include(yield* refusal(service.unsafe(statement)), stoppedBy, statement)
    }
    yield* admin`update emails set created_at = now() - interval '10 years', status_at = now() - interval '10 years'`
    yield* Effect.all([stores.retention.deliveries, stores.retention.events])
    assert.lengthOf(
      (yield* rows).filter(({ invoice_id }) => invoice_id === document),
      1
    )
  })

  it.effect("belong to one account and mode, and no other finds them", function* () {
    const { accept, document, first, account } = yield* mailOwners()
    yield* first.transitions.move(yield* accept(document))
    const page = { limit: 10, cursor: null }
    assert.lengthOf((yield* first.emails.list(account, document, page)).rows, 1)
    assert.lengthOf((yield* first.emails.list({ ...account, livemode: true }, document, page)).rows, 0)
    const { rows: others } = yield* first.emails.list(
      { ...account, account_id: `ten_${"z".repeat(26)}` as never },
      document,
      page
    )
    assert.lengthOf(others, 0)
  })

  it.effect("need both their own id and their document's id to be found", function* () {
    const { accept, documents, first, key } = yield* mailOwners(2)
    yield* Effect.forEach(documents, (id) => Effect.flatMap(accept(id), first.transitions.move))
    const { id } = taken(yield* first.emails.take(key))
    const { emails } = first
    assert.strictEqual(taken(yield* emails.locate(key.id, id)).id, id)
    assert.isTrue(Option.isNone(yield* emails.locate(documents[1]!, id)))
    assert.isTrue(Option.isNone(yield* emails.locate(key.id, `em_${"0".repeat(26)}`)))
  })

  it.effect("page as every list does", function* () {
    const { accept, document, first, account } = yield* mailOwners()
    yield* first.transitions.move(yield* accept(document))
    const { emails } = first
    const insert = (id: string) =>
      emails.insert({
        ...account,
        id: id as never,
        invoice_id: document,
        document_state: "accepted_by_authority",
        recipient: to
      })
    const more = Array.makeBy(4, (index) => `em_7${String(index).padStart(25, "0")}`)
    yield* Effect.forEach(more, insert)
    const newest = yield* emails.list(account, document, { limit: 3, cursor: null })
    assert.deepStrictEqual([newest.rows.map(({ id }) => id), newest.has_more], [more.toReversed().slice(0, 3), true])
    const rest = yield* emails.list(account, document, { limit: 3, cursor: { direction: "after", id: more[1]! } })
    assert.deepStrictEqual([rest.rows.length, rest.has_more], [2, false])
  })
})
