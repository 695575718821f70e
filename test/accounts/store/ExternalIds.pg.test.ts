import { assert } from "@effect/vitest"
import { Context, Effect, Fiber, Result } from "effect"
import type { ApiError } from "../../../schemas/ApiError.ts"
import { InvoiceRequest } from "../../../schemas/Invoice.ts"
import { Customers } from "../../../src/accounts/store/Customers.ts"
import { type Claim, type Outcome, idempotencyWindow } from "../../../src/accounts/store/Idempotency.ts"
import * as AccountView from "../../../src/database/AccountView.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { totalsOf } from "../../../src/documents/rules/Totals.ts"
import { InvoiceCreation } from "../../../src/invoices/store/InvoiceCreation.ts"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import { until } from "../../support/apps/Until.ts"
import { blocked, newCustomer, withRepeats } from "../../support/database/Owners.ts"
import { refusal } from "../../support/database/Refusals.ts"
import { onPostgres, paused, twoOwners } from "../../support/database/TwoOwners.ts"

/** The request of a key, with the external id in its body. */
type Sent = readonly [key: string, external_id: string | null]

const makeWorld = Effect.gen(function* () {
  const { account, apiKey, first, second, service, sql } = yield* twoOwners
  const claimOf = (value: string, fingerprint: string): Claim => ({ api_key_id: apiKey, value, fingerprint })
  const customer = Effect.fnUntraced(function* (owner: typeof first, [key, external_id]: Sent) {
    const id = yield* Context.get(owner, Ids).customer
    const draft = newCustomer(account, id, claimOf(key, String(external_id)), id, external_id)
    return yield* Effect.result(orFail(Context.get(owner, Customers).create(draft)))
  })
  const buyer = Result.getOrThrow(yield* customer(first, ["buyer", null])).answer.body
  const invoice = Effect.fnUntraced(function* (owner: typeof first, [key, external_id]: Sent) {
    const id = yield* Context.get(owner, Ids).invoice
    const body = { ...invoiceBody(buyer), ...(external_id === null ? {} : { external_id }) }
    const request = InvoiceRequest.make(body as never)
    const answer = { status: 202, location: null, body: id }
    const claim = claimOf(key, String(external_id))
    const draft = {
      account,
      claim,
      by: claim,
      id,
      request,
      totals: totalsOf(request.lines, request),
      answer,
      created_at: new Date()
    }
    const created = orFail(Context.get(owner, InvoiceCreation).create(draft))
    return yield* Effect.result(Effect.map(created, ({ outcome }) => outcome))
  })
  const kinds = [
    { kind: "customer", batch: "Customers.create", create: customer, table: "customers", skipped: 1 },
    { kind: "invoice", batch: "InvoiceCreation.create", create: invoice, table: "invoices", skipped: 0 }
  ] as const
  return { account, apiKey, first, second, service, sql, kinds }
})

/** No conflict about an external id makes a statement fail. */
const orFail = Effect.catchDefect((defect) => Effect.sync(() => assert.fail(`a statement failed: ${String(defect)}`)))

const together = <A, R>(sent: ReadonlyArray<Sent>, create: (one: Sent) => Effect.Effect<A, never, R>) =>
  Effect.forEach(sent, create, { concurrency: "unbounded" })

const madeBy = (outcome: Result.Result<Outcome, ApiError> | undefined) => {
  if (outcome === undefined || Result.isFailure(outcome)) assert.fail(`it is created: ${outcome?.failure.message}`)
  return outcome.success.answer.body
}

const refusedBy = (outcome: Result.Result<Outcome, ApiError> | undefined) => {
  if (outcome === undefined || Result.isSuccess(outcome)) assert.fail("it is rejected")
  return outcome.failure
}

onPostgres("External ids name one object each in a batch, and a second one leaves no trace", function* () {
  const { first, kinds, sql } = yield* makeWorld
  for (const { batch, create, kind, skipped, table } of kinds) {
    const sent: ReadonlyArray<Sent> = [
      [`${kind} a`, "x"],
      [`${kind} b`, "y"],
      [`${kind} c`, "x"],
      [`${kind} d`, null],
      [`${kind} e`, "y"],
      [`${kind} f`, "z"],
      [`${kind} g`, null]
    ]
    const { repeats, result } = yield* withRepeats(
      batch,
      together(sent, (one) => create(first, one))
    )
    assert.strictEqual(repeats, 0)
    const [a, b, c, d, e, f, g] = result
    for (const [winner, loser] of [
      [a, c],
      [b, e]
    ]) {
      const { code, message, param } = refusedBy(loser)
      assert.deepStrictEqual([code, param], ["external_id_taken", "external_id"])
      assert.include(message, `${kind} ${madeBy(winner)}`)
    }
    const made = [a, b, d, f, g].map(madeBy)
    const rows = yield* sql<{ id: string; external_id: string | null }>`
      select id, external_id from ${sql(table)} order by id offset ${skipped}`
    assert.deepStrictEqual(
      rows,
      made
        .map((id, index) => ({ id, external_id: ["x", "y", null, "z", null][index] ?? null }))
        .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    )
    assert.deepStrictEqual(
      yield* sql`select external_id, object_id from external_ids where kind = ${kind} order by 1`,
      [
        { external_id: "x", object_id: made[0] },
        { external_id: "y", object_id: made[1] },
        { external_id: "z", object_id: made[3] }
      ]
    )
    const claims = yield* sql`
      select right(value, 1) as key from idempotency_keys where value like ${`${kind} %`} order by 1`
    assert.deepStrictEqual(
      claims.map(({ key }) => key),
      ["a", "b", "d", "f", "g"]
    )
    // The key of a rejected request is free for the corrected request.
    madeBy(yield* create(first, [`${kind} c`, "w"]))
    // A retry gets the stored response. After its window, the external id still prevents a second object.
    const retried = yield* create(first, [`${kind} a`, "x"])
    assert.deepStrictEqual([madeBy(retried), Result.getOrThrow(retried).replayed], [made[0], true])
    yield* sql`
      update idempotency_keys set completed_at = now() - interval '${sql.literal(idempotencyWindow)}'
      where value = ${`${kind} a`}`
    assert.include(refusedBy(yield* create(first, [`${kind} a`, "x"])).message, madeBy(a))
  }
  const counted = yield* sql`
    select customers, (select count(*) from customers) as rows from account_modes where not livemode`
  assert.deepStrictEqual(counted, [{ customers: 7n, rows: 7n }])
})

onPostgres("External ids name one object each among two processes at the same time", function* () {
  const { first, kinds, second, sql } = yield* makeWorld
  for (const { batch, create, kind } of kinds) {
    const sent = Array.from({ length: 60 }, (_, index): Sent => [`${kind} ${index}`, `order-${index % 20}`])
    const withOwn = (owner: typeof first, letter: string) =>
      together(sent, ([key, external_id]) => create(owner, [`${key} ${letter}`, external_id]))
    const { repeats, result } = yield* withRepeats(
      batch,
      Effect.all([withOwn(first, "a"), withOwn(second, "b")], { concurrency: 2 })
    )
    assert.strictEqual(repeats, 0)
    const outcomes = result.flat()
    const made = outcomes.filter(Result.isSuccess)
    assert.lengthOf(made, 20)
    const held = yield* sql<{ object_id: string }>`select object_id from external_ids where kind = ${kind}`
    assert.sameMembers(
      held.map(({ object_id }) => object_id),
      made.map(({ success }) => success.answer.body)
    )
    for (const outcome of outcomes.filter(Result.isFailure)) {
      assert.strictEqual(outcome.failure.code, "external_id_taken")
    }
    // The same requests to both processes: the one that loses the race gets the response of the other.
    const same: ReadonlyArray<Sent> = [[`${kind} same`, "same"]]
    const both = yield* Effect.all(
      [together(same, (one) => create(first, one)), together(same, (one) => create(second, one))],
      { concurrency: 2 }
    )
    assert.strictEqual(madeBy(both[0][0]), madeBy(both[1][0]))
  }
})

onPostgres("External ids of an uncommitted creation wait for its end, and reject only their own request", function* () {
  const { account, first, kinds, service, sql } = yield* makeWorld
  const [{ create }] = kinds
  const other = { ...account, id: `cust_${"0".repeat(26)}` }
  const holder = yield* paused((pause) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const row = { acquirer: "{}", metadata: "{}", created_at: new Date(), updated_at: new Date() }
        yield* sql`insert into customers ${sql.insert({ ...other, ...row })}`
        const { id: object_id, ...mode } = other
        yield* sql`insert into external_ids ${sql.insert({ ...mode, kind: "customer", external_id: "x", object_id })}`
        yield* pause
      })
    )
  )
  const creating = yield* Effect.forkScoped(
    together(
      [
        ["a", null],
        ["b", "x"],
        ["c", "y"]
      ],
      (one) => create(first, one)
    )
  )
  yield* until(blocked("external_id,"), (pids) => pids.length === 1)
  yield* holder.goOn
  const [a, b, c] = yield* Fiber.join(creating)
  assert.include(refusedBy(b).message, other.id)
  assert.isTrue([a, c].every((one) => madeBy(one).startsWith("cust_")))
  // No role may free an external id.
  for (const change of ["delete from external_ids", "update external_ids set object_id = ''"]) {
    assert.match(yield* refusal(service.unsafe(change)), /permission denied/)
  }
})

onPostgres("External ids stay free if another transaction takes the idempotency key meanwhile", function* () {
  const { apiKey, first, kinds, sql } = yield* makeWorld
  for (const { batch, create, kind } of kinds) {
    const key = { api_key_id: apiKey, value: `${kind} lost`, fingerprint: "other", status: 200, body: "" }
    const holder = yield* paused((pause) =>
      sql.withTransaction(Effect.andThen(sql`insert into idempotency_keys ${sql.insert(key)}`, pause))
    )
    const creating = yield* Effect.forkScoped(
      withRepeats(
        batch,
        together(
          [
            [`${kind} lost`, "lost"],
            [`${kind} b`, "kept"],
            [`${kind} c`, null]
          ],
          (one) => create(first, one)
        )
      )
    )
    yield* until(blocked("external_id"), (pids) => pids.length === 1)
    yield* holder.goOn
    const { repeats, result } = yield* Fiber.join(creating)
    assert.strictEqual(repeats, 1)
    const [lost, ...others] = result
    assert.strictEqual(refusedBy(lost).code, "idempotency_conflict")
    others.forEach(madeBy)
    // A request with a used key doesn't take its external id either.
    assert.strictEqual(refusedBy(yield* create(first, [`${kind} b`, "lost"])).code, "idempotency_conflict")
    assert.deepStrictEqual(yield* sql`select external_id from external_ids where kind = ${kind}`, [
      { external_id: "kept" }
    ])
    madeBy(yield* create(first, [`${kind} d`, "lost"]))
  }
})

onPostgres("External ids fail no lone request whose idempotency key another transaction takes meanwhile", function* () {
  const { apiKey, first, kinds, sql } = yield* makeWorld
  for (const { create, kind } of kinds) {
    const key = { api_key_id: apiKey, value: `${kind} key`, fingerprint: "other", status: 200, body: "" }
    const holder = yield* paused((pause) =>
      sql.withTransaction(Effect.andThen(sql`insert into idempotency_keys ${sql.insert(key)}`, pause))
    )
    const creating = yield* Effect.forkScoped(create(first, [key.value, "x"]))
    yield* until(blocked("external_id"), (pids) => pids.length === 1)
    yield* holder.goOn
    assert.strictEqual(refusedBy(yield* Fiber.join(creating)).code, "idempotency_conflict")
    madeBy(yield* create(first, [`${kind} free`, "x"]))
  }
})

onPostgres("External ids stay in use after the deletion of their customer", function* () {
  const { account, first, kinds, service } = yield* makeWorld
  const [{ create }] = kinds
  const id = madeBy(yield* create(first, ["a", "x"]))
  const customers = Context.get(first, Customers)
  yield* AccountView.within(service, account)(customers.remove({ ...account, id: id as never }))
  const { code, message } = refusedBy(yield* create(first, ["b", "x"]))
  assert.strictEqual(code, "external_id_taken")
  assert.include(message, `${id}, which was deleted`)
})
