import { assert } from "@effect/vitest"
import { Context, Effect, Fiber, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { CustomerId, EmailId } from "../../../schemas/Id.ts"
import * as AccountView from "../../../src/database/AccountView.ts"
import { Customers, customersMax } from "../../../src/accounts/store/Customers.ts"
import { Deliveries } from "../../../src/webhooks/store/Deliveries.ts"
import { emailsMax } from "../../../src/invoices/store/Emails.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { InvoiceCommands } from "../../../src/invoices/store/InvoiceCommands.ts"
import { Redelivery } from "../../../src/webhooks/store/Redelivery.ts"
import { Retention } from "../../../src/operations/store/Retention.ts"
import { Transitions } from "../../../src/invoices/store/Transitions.ts"
import { WebhookEndpoints } from "../../../src/webhooks/store/WebhookEndpoints.ts"
import { mailOwners, to } from "../../support/mail/MailOwners.ts"
import { answered, refusal } from "../../support/database/Refusals.ts"
import { until } from "../../support/apps/Until.ts"
import { blocked, newCustomer, restingAt, seedEndpoint } from "../../support/database/Owners.ts"
import { oneOwner, onPostgres, paused, twoOwners } from "../../support/database/TwoOwners.ts"

onPostgres(
  "Customers stay within their limit among concurrent creations, and replays still get their response",
  function* () {
    const { account, apiKey, first, second, service, sql } = yield* twoOwners
    const create = Effect.fnUntraced(function* (owner: typeof first, value: string) {
      const id = yield* Context.get(owner, Ids).customer
      const claim = { api_key_id: apiKey, value, fingerprint: "" }
      return yield* Effect.result(Context.get(owner, Customers).create(newCustomer(account, id, claim, id)))
    })
    const early = Result.getOrThrow(yield* create(first, "early"))
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
    // A rejected request has claimed no key. A replay gets its response regardless of the limit.
    const count = sql<{ rows: number; counted: bigint; claims: number }>`
    select (select count(*)::integer from customers) as rows, customers as counted,
      (select count(*)::integer from idempotency_keys) as claims
    from account_modes where not livemode`
    assert.deepStrictEqual(yield* count, [{ rows: 11, counted: BigInt(customersMax), claims: 11 }])
    const again = Result.getOrThrow(yield* create(second, "early"))
    assert.deepStrictEqual([again.replayed, again.answer.body], [true, early.answer.body])
    // An uncommitted creation has the last place, so a concurrent one waits and counts it.
    yield* sql`update account_modes set customers = ${customersMax - 1} where not livemode`
    const somebody = yield* paused((pause) =>
      sql.withTransaction(
        Effect.andThen(sql`update account_modes set customers = customers + 1 where not livemode`, pause)
      )
    )
    const waiting = yield* Effect.forkScoped(create(second, "meanwhile"))
    yield* until(blocked("account_modes"), (pids) => pids.length === 1)
    yield* somebody.goOn
    assert.isTrue(Result.isFailure(yield* Fiber.join(waiting)))
    // The deletion of one customer frees a place for another.
    const inView = AccountView.within(service, account)
    yield* inView(Context.get(first, Customers).remove({ ...account, id: CustomerId.make(early.answer.body) }))
    assert.isTrue(Result.isSuccess(yield* create(first, "late")))
    assert.isTrue(Result.isFailure(yield* create(first, "later")))
    assert.deepStrictEqual(yield* count, [{ rows: 11, counted: BigInt(customersMax), claims: 12 }])
  }
)

onPostgres(
  "Keys that ended long ago are deleted, but no others, and not while a response is stored for them",
  function* () {
    const { account, apiKey, first, second, service, sql } = yield* twoOwners
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
      values (${id}, ${account.account_id}, false, ${id}, 'last', now(), ${sql.literal(revoked ?? "null")},
        ${sql.literal(expires ?? "null")})`
    }
    yield* sql`
    insert into idempotency_keys (api_key_id, value, fingerprint, status, body, completed_at)
    values ('answered', 'a', '', 201, '{}', now())`
    const purge = (owner: typeof first) => Context.get(owner, Retention).api_keys
    const removed = yield* answered(Effect.all([purge(first), purge(second)], { concurrency: 2 }))
    assert.strictEqual(removed[0] + removed[1], 3)
    const left = yield* sql<{ id: string }>`select id from api_keys order by id`
    assert.sameMembers(
      left.map(({ id }) => id),
      [apiKey, "works", "expires", "revoked lately", "expired lately", "answered"]
    )
    yield* sql`delete from idempotency_keys`
    assert.strictEqual(yield* purge(first), 1)

    // The audit log names a platform's key by its row in the account.
    yield* sql`
      insert into api_keys (id, account_id, livemode, key_hash, last_four, created_at, revoked_at, platform_key)
      select id, ${account.account_id}, false, id, 'last', now(), now() - days * interval '1 day', 'works'
      from (values ('acting', 1800), ('acting long ago', 1900)) ended (id, days)`
    assert.strictEqual(yield* purge(first), 1)
    assert.deepStrictEqual(yield* sql`select id from api_keys where platform_key is not null`, [{ id: "acting" }])

    for (const id of ["works", "expires"]) {
      assert.include(yield* refusal(service`delete from api_keys where id = ${id}`), "until it has ended for a day")
    }
  }
)

onPostgres("Deliveries beyond an endpoint's queue limit fail unsent, are visible, and can be recovered", function* () {
  const { account, first, seed, service, sql } = yield* oneOwner
  const { markFull } = Context.get(first, Deliveries)
  const inView = AccountView.within(service, account)
  const subscribed_events = ["invoice.failed"] as const
  const [slow, gone, other] = yield* Effect.all([
    seedEndpoint(account, { subscribed_events }),
    seedEndpoint(account, { subscribed_events }),
    seedEndpoint(account, { subscribed_events })
  ]).pipe(Effect.provideContext(first))
  const began = new Date(Date.now() - 60_000)
  const happen = Effect.gen(function* () {
    const [id] = yield* seed(1, "numbered")
    return yield* Context.get(first, Transitions).move({
      key: { ...account, id: id! },
      version: 1,
      from: "numbered",
      command: "Fail",
      to: "failed",
      ...restingAt("failed"),
      event: { id: yield* Context.get(first, Ids).event, type: "invoice.failed", body: "", created_at: new Date() }
    })
  })
  const statuses = (endpoint: string) =>
    Effect.map(
      sql<{ status: string }>`select status from deliveries where endpoint_id = ${endpoint} order by seq`,
      (rows) => rows.map(({ status }) => status)
    )
  const succeed = (endpoint: string) =>
    sql`update deliveries set status = 'succeeded' where endpoint_id = ${endpoint} and status = 'pending'`
  const recovered = inView(Context.get(first, Redelivery).recover({ ...account, id: slow }, began))

  yield* happen
  yield* happen
  assert.deepStrictEqual(yield* markFull(3), [])
  yield* happen
  yield* succeed(gone)
  assert.sameMembers([...(yield* markFull(3))], [slow, other])
  assert.deepStrictEqual(yield* markFull(3), [], "an endpoint is marked once")
  yield* succeed(other)
  assert.deepStrictEqual(yield* markFull(3), [])
  const moved = yield* happen
  assert.sameMembers([...moved.endpoints], [gone, other])
  assert.deepStrictEqual(yield* statuses(slow), ["pending", "pending", "pending", "failed"])
  assert.deepStrictEqual(yield* statuses(other), ["succeeded", "succeeded", "succeeded", "pending"])
  const shown = yield* Context.get(first, WebhookEndpoints).find(account, slow)
  assert.isNotNull(Option.getOrThrow(shown).full_since)
  // No event is lost: it waits for a recovery until the queue has a free place.
  assert.deepStrictEqual(yield* recovered, { deliveries: 0, has_more: true })
  yield* succeed(slow)
  yield* markFull(3)
  assert.isNull(Option.getOrThrow(yield* Context.get(first, WebhookEndpoints).find(account, slow)).full_since)
  assert.deepStrictEqual(yield* recovered, { deliveries: 1, has_more: false })
  assert.deepStrictEqual(yield* statuses(slow), ["succeeded", "succeeded", "succeeded", "pending"])
  assert.sameMembers([...(yield* happen).endpoints], [slow, gone, other])
})

onPostgres("Emails of one document stay within their limit among concurrent requests", function* () {
  const { accept, admin, document, documents, first, account, second, services } = yield* mailOwners(2)
  yield* first.transitions.move(yield* accept(document))
  yield* admin`
    insert into emails (account_id, livemode, id, invoice_id, document_state, recipient)
    select account_id, livemode, 'em_' || n, invoice_id, document_state, recipient
    from emails, generate_series(1, ${emailsMax - 6}::integer) n where invoice_id = ${document}`
  const ask = (owner: typeof first, context: (typeof services)[number], invoice_id: string, id: string) =>
    Effect.andThen(
      Context.get(context, InvoiceCommands).lock({ ...account, id: invoice_id }),
      owner.emails.insert({
        ...account,
        id: EmailId.make(id),
        invoice_id,
        document_state: "accepted_by_authority",
        recipient: to
      })
    ).pipe(AccountView.within(Context.get(context, SqlClient.SqlClient), account), Effect.result)
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
})
