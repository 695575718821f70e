import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Option, Redacted } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as AccountView from "../../src/store/AccountView.ts"
import { Certificates } from "../../src/store/Certificates.ts"
import { Ids } from "../../src/store/Ids.ts"
import { ownerLayer, seedAccount } from "../support/Owners.ts"
import { TestDatabase } from "../support/Postgres.ts"
import { refusal } from "../support/Refusals.ts"

const day = 86_400_000

const setUp = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  const admin = yield* SqlClient.SqlClient
  yield* admin`delete from certificates`
  const store = yield* Layer.build(ownerLayer(url))
  const { of } = yield* seedAccount.pipe(Effect.provideContext(store))
  const live = { ...of, livemode: true }
  const certificates = Context.get(store, Certificates)
  const service = Context.get(store, SqlClient.SqlClient)
  const add = Effect.fnUntraced(function* (subject: string, from: number, to: number) {
    const id = yield* Context.get(store, Ids).certificate
    const now = Date.now()
    const dates = { not_before: new Date(now + from * day), not_after: new Date(now + to * day) }
    const row = { account_id: of.account_id, id, subject, ...dates, created_at: new Date(now) }
    yield* AccountView.within(service, live)(certificates.insert(row, Redacted.make(`PEM of ${subject}`)))
    yield* certificates.forget(of.account_id)
    return row
  })
  const current = Effect.map(certificates.current(of.account_id), Option.getOrUndefined)
  return { add, admin, certificates, current, live, of, service }
})

layer(TestDatabase.layer, { excludeTestServices: true })("certificates in the database", (it) => {
  it.effect("the newest that is valid signs, whatever came after it; else the newest is shown", () =>
    Effect.gen(function* () {
      const { add, certificates, current } = yield* setUp
      assert.isUndefined(yield* current)
      yield* add("expired", -2, -1)
      assert.deepInclude(yield* current, { subject: "expired", is_valid: false })
      yield* add("old", -2, 1)
      const good = yield* add("good", -1, 1)
      yield* add("later", 1, 2)
      yield* add("past", -2, -1)
      assert.deepInclude(yield* current, { subject: "good", is_valid: true })
      assert.strictEqual(Redacted.value(yield* certificates.pem(good)), "PEM of good")
    })
  )

  it.effect("are sealed, each for its own place", () =>
    Effect.gen(function* () {
      const { add, admin, certificates } = yield* setUp
      const [one, other] = [yield* add("one", -1, 1), yield* add("other", -1, 1)]
      const rows = yield* admin`select certificates::text as row from certificates`
      assert.notInclude(JSON.stringify(rows), "PEM of")
      yield* admin`update certificates set sealed = (select sealed from certificates where id = ${one.id})
        where id = ${other.id}`
      assert.strictEqual(Redacted.value(yield* certificates.pem(one)), "PEM of one")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(certificates.pem(other))))
    })
  )

  it.effect("are their account's in live mode alone, who may not read what is sealed; nobody changes one", () =>
    Effect.gen(function* () {
      const { add, live, of, service } = yield* setUp
      yield* add("mine", -1, 1)
      const subjects = service`select subject from certificates`
      const stranger = { ...live, account_id: `ten_${"z".repeat(26)}` as typeof live.account_id }
      assert.deepStrictEqual(yield* AccountView.within(service, live)(subjects), [{ subject: "mine" }])
      for (const view of [of, stranger]) assert.deepStrictEqual(yield* AccountView.within(service, view)(subjects), [])
      const inView = (statement: Effect.Effect<unknown, SqlError.SqlError>) =>
        Effect.flip(AccountView.within(service, live)(Effect.flatMap(refusal(statement), Effect.fail)))
      assert.match(yield* inView(service`select sealed from certificates`), /permission denied/)
      for (const statement of [service`update certificates set subject = ''`, service`delete from certificates`]) {
        assert.match(yield* refusal(statement), /permission denied/)
        assert.match(yield* inView(statement), /permission denied/)
      }
      const test = service`
        insert into certificates select account_id, false, id || 't', subject, not_before, not_after, sealed, created_at
        from certificates`
      assert.match(yield* refusal(test), /violates check constraint/)
    })
  )
})
