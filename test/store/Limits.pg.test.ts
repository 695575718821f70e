import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { CustomerId, EmailId } from "../../schemas/Id.ts"
import * as AccountView from "../../src/store/AccountView.ts"
import { Customers, customersMax } from "../../src/store/Customers.ts"
import { DeliveryLimit } from "../../src/store/DeliveryLimit.ts"
import { emailsMax } from "../../src/store/Emails.ts"
import { Ids } from "../../src/store/Ids.ts"
import { InvoiceCommands } from "../../src/store/InvoiceCommands.ts"
import { Redelivery } from "../../src/store/Redelivery.ts"
import { Retention } from "../../src/store/Retention.ts"
import { Transitions } from "../../src/store/Transitions.ts"
import { WebhookEndpoints } from "../../src/store/WebhookEndpoints.ts"
import { mailOwners, to } from "../support/MailOwners.ts"
import { acquirer, blocked, ownerLayer, seedAccount, seedDrafts, seedEndpoint } from "../support/Owners.ts"
import { TestDatabase } from "../support/Postgres.ts"
import { answered, refusal } from "../support/Refusals.ts"
import { until } from "../support/Until.ts"

const world = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  const sql = yield* SqlClient.SqlClient
  const [first, second] = [yield* Layer.build(ownerLayer(url)), yield* Layer.build(ownerLayer(url))]
  const { of } = yield* seedAccount.pipe(Effect.provideContext(first))
  const [row] = yield* sql<{ id: string }>`select id from api_keys`
  return { of, first, second, apiKey: row?.id ?? "" }
})

it.live("customers come to no more than their limit, however many are created at once, and replays are answered", () =>
  Effect.gen(function* () {
    const { apiKey, first, of, second } = yield* world
    const sql = yield* SqlClient.SqlClient
    const create = Effect.fnUntraced(function* (owner: typeof first, value: string) {
      const id = yield* Context.get(owner, Ids).customer
      const at = new Date()
      return yield* Effect.result(
        Context.get(owner, Customers).create({
          customer: { ...of, id, acquirer, metadata: {}, created_at: at, updated_at: at },
          claim: { api_key_id: apiKey, value, fingerprint: "" },
          answer: { status: 201, location: null, body: id }
        })
      )
    })
    const [made] = yield* Effect.all([create(first, "early")])
    const early = Result.getOrThrow(made)
    yield* sql`update account_modes set customers = ${customersMax - 10} where not livemode`
    const outcomes = yield* Effect.forEach(
      Array.from({ length: 40 }, (_, index) => index),
      (index) => create(index % 2 === 0 ? first : second, index % 4 < 2 ? `new ${index}` : "early"),
      { concurrency: "unbounded" }
    )
    const replayed = outcomes.filter((one) => Result.isSuccess(one) && one.success.replayed)
    assert.lengthOf(replayed, 20)
    const fresh = outcomes.filter((one) => Result.isSuccess(one) && !one.success.replayed)
    assert.lengthOf(fresh, 10)
    const refused = outcomes.flatMap((one) => (Result.isFailure(one) ? [one.failure.code] : []))
    assert.deepStrictEqual(
      refused,
      Array.from({ length: 10 }, () => "customer_limit_reached")
    )
    // What was refused has claimed no key; a replay is answered whatever the limit.
    const count = sql<{ rows: number; counted: bigint; claims: number }>`
      select (select count(*)::integer from customers) as rows, customers as counted,
        (select count(*)::integer from idempotency_keys) as claims
      from account_modes where not livemode`
    assert.deepStrictEqual(yield* count, [{ rows: 11, counted: BigInt(customersMax), claims: 11 }])
    const again = Result.getOrThrow(yield* create(second, "early"))
    assert.deepStrictEqual([again.replayed, again.answer.body], [true, early.answer.body])
    // The last place is taken by somebody who has not committed yet: whoever comes meanwhile waits, and counts it.
    yield* sql`update account_modes set customers = ${customersMax - 1} where not livemode`
    const commit = yield* Deferred.make<void>()
    const taken = yield* Deferred.make<void>()
    const holder = yield* Effect.forkScoped(
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`update account_modes set customers = customers + 1 where not livemode`
          yield* Deferred.succeed(taken, undefined)
          yield* Deferred.await(commit)
        })
      )
    )
    yield* Deferred.await(taken)
    const waiting = yield* Effect.forkScoped(create(second, "meanwhile"))
    yield* until(blocked("account_modes"), (pids) => pids.length === 1)
    yield* Deferred.succeed(commit, undefined)
    yield* Fiber.join(holder)
    assert.isTrue(Result.isFailure(yield* Fiber.join(waiting)))
    // One that goes makes room for one.
    const inView = AccountView.within(Context.get(first, SqlClient.SqlClient), of)
    yield* inView(Context.get(first, Customers).remove({ ...of, id: CustomerId.make(early.answer.body) }))
    assert.isTrue(Result.isSuccess(yield* create(first, "late")))
    assert.isTrue(Result.isFailure(yield* create(first, "later")))
    assert.deepStrictEqual(yield* count, [{ rows: 11, counted: BigInt(customersMax), claims: 12 }])
  }).pipe(Effect.provide(TestDatabase.layer))
)

it.live("keys that ended long ago go, and no others, nor while an answer is kept for them", () =>
  Effect.gen(function* () {
    const { apiKey, first, of, second } = yield* world
    const sql = yield* SqlClient.SqlClient
    const keys = [
      ["works", null, null],
      ["expires", null, "now() + interval '40 days'"],
      ["revoked lately", "now() - interval '29 days'", null],
      ["expired lately", null, "now() - interval '29 days'"],
      ["revoked", "now() - interval '31 days'", null],
      ["expired", null, "now() - interval '31 days'"],
      ["revoked before it expires", "now() - interval '31 days'", "now() + interval '1 day'"],
      ["answered", "now() - interval '31 days'", null]
    ] as const
    for (const [id, revoked, expires] of keys) {
      yield* sql`
        insert into api_keys (id, account_id, livemode, key_hash, last_four, created_at, revoked_at, expires_at)
        values (${id}, ${of.account_id}, false, ${id}, 'last', now(), ${sql.literal(revoked ?? "null")},
          ${sql.literal(expires ?? "null")})`
    }
    yield* sql`
      insert into idempotency_keys (api_key_id, value, fingerprint, status, body, completed_at)
      values ('answered', 'a', '', 201, '{}', now())`
    const purge = (owner: typeof first) => Context.get(owner, Retention).purgeApiKeys
    const removed = yield* answered(Effect.all([purge(first), purge(second)], { concurrency: 2 }))
    assert.strictEqual(removed[0] + removed[1], 3)
    const left = yield* sql<{ id: string }>`select id from api_keys order by id`
    assert.sameMembers(
      left.map(({ id }) => id),
      [apiKey, "works", "expires", "revoked lately", "expired lately", "answered"]
    )
    yield* sql`delete from idempotency_keys`
    assert.strictEqual(yield* purge(first), 1)
    const service = Context.get(first, SqlClient.SqlClient)
    for (const id of ["works", "expires"]) {
      assert.include(yield* refusal(service`delete from api_keys where id = ${id}`), "until it has ended for a day")
    }
  }).pipe(Effect.provide(TestDatabase.layer))
)

it.live(
  "of more deliveries than may wait for an endpoint, the later ones fail unsent, are seen, and can be recovered",
  () =>
    Effect.gen(function* () {
      const { first, of } = yield* world
      const sql = yield* SqlClient.SqlClient
      const limit = Context.get(first, DeliveryLimit)
      const inView = AccountView.within(Context.get(first, SqlClient.SqlClient), of)
      const subscribed_events = ["invoice.failed"] as const
      const [slow, gone, other] = yield* Effect.all([
        seedEndpoint(of, { subscribed_events }),
        seedEndpoint(of, { subscribed_events }),
        seedEndpoint(of, { subscribed_events })
      ]).pipe(Effect.provideContext(first))
      const began = new Date(Date.now() - 60_000)
      const happen = Effect.gen(function* () {
        const [id] = yield* seedDrafts(of.account_id, 1, "numbered").pipe(Effect.provideContext(first))
        const event = { id: yield* Context.get(first, Ids).event, type: "invoice.failed", body: "" } as const
        const step = { key: { ...of, id: id! }, version: 1, from: "numbered", command: "Fail", to: "failed" } as const
        return yield* Context.get(first, Transitions).move({
          ...step,
          alarmMs: null,
          event: { ...event, created_at: new Date() }
        })
      })
      const statuses = (endpoint: string) =>
        Effect.map(
          sql<{ status: string }>`select status from deliveries where endpoint_id = ${endpoint} order by seq`,
          (rows) => rows.map(({ status }) => status)
        )
      const succeed = (endpoint: string) =>
        sql`update deliveries set status = 'succeeded' where endpoint_id = ${endpoint} and status = 'pending'`
      const recovered = inView(Context.get(first, Redelivery).recover({ ...of, id: slow }, began))

      yield* happen
      yield* happen
      assert.deepStrictEqual(yield* limit.mark(3), [])
      yield* happen
      yield* succeed(gone)
      assert.sameMembers([...(yield* limit.mark(3))], [slow, other])
      assert.deepStrictEqual(yield* limit.mark(3), [], "it is told once")
      yield* succeed(other)
      assert.deepStrictEqual(yield* limit.mark(3), [])
      const moved = yield* happen
      assert.sameMembers([...moved.endpoints], [gone, other])
      assert.deepStrictEqual(yield* statuses(slow), ["pending", "pending", "pending", "failed"])
      assert.deepStrictEqual(yield* statuses(other), ["succeeded", "succeeded", "succeeded", "pending"])
      const shown = yield* Context.get(first, WebhookEndpoints).find(of, slow)
      assert.isNotNull(Option.getOrThrow(shown).full_since)
      // Nothing is lost: it waits to be recovered until there is room.
      assert.deepStrictEqual(yield* recovered, { deliveries: 0, has_more: true })
      yield* succeed(slow)
      yield* limit.mark(3)
      assert.isNull(Option.getOrThrow(yield* Context.get(first, WebhookEndpoints).find(of, slow)).full_since)
      assert.deepStrictEqual(yield* recovered, { deliveries: 1, has_more: false })
      assert.deepStrictEqual(yield* statuses(slow), ["succeeded", "succeeded", "succeeded", "pending"])
      assert.sameMembers([...(yield* happen).endpoints], [slow, gone, other])
    }).pipe(Effect.provide(TestDatabase.layer))
)

it.live("e-mails of one document come to no more than their limit, however many are asked for at once", () =>
  Effect.gen(function* () {
    const { accept, admin, document, documents, first, of, second, services } = yield* mailOwners(2)
    yield* first.transitions.move(yield* accept(document))
    yield* admin`
      insert into emails (account_id, livemode, id, invoice_id, document_state, recipient)
      select account_id, livemode, 'em_' || n, invoice_id, document_state, recipient
      from emails, generate_series(1, ${emailsMax - 6}::integer) n where invoice_id = ${document}`
    const ask = (owner: typeof first, context: (typeof services)[number], invoice_id: string, id: string) =>
      Effect.andThen(
        Context.get(context, InvoiceCommands).lock({ ...of, id: invoice_id }),
        owner.emails.insert({
          ...of,
          id: EmailId.make(id),
          invoice_id,
          document_state: "accepted_by_authority",
          recipient: to
        })
      ).pipe(AccountView.within(Context.get(context, SqlClient.SqlClient), of), Effect.result)
    const results = yield* Effect.forEach(
      Array.from({ length: 12 }, (_, index) => index),
      (index) =>
        ask(
          ...(index % 2 === 0 ? ([first, services[0]] as const) : ([second, services[1]] as const)),
          document,
          `em_${String(index).padStart(26, "7")}`
        ),
      { concurrency: "unbounded" }
    )
    const refused = results.flatMap((one) => (Result.isFailure(one) ? [one.failure.code] : []))
    assert.deepStrictEqual(
      refused,
      Array.from({ length: 7 }, () => "email_limit_reached")
    )
    assert.isTrue(
      Result.isSuccess(yield* ask(first, services[0], documents[1]!, `em_${"8".repeat(26)}`)),
      "of another one"
    )
  }).pipe(Effect.provide(TestDatabase.layer))
)
