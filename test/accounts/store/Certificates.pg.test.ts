import { assert } from "@effect/vitest"
import { Context, Effect, Exit, Option, Redacted } from "effect"
import * as AccountView from "../../../src/database/AccountView.ts"
import { Certificates } from "../../../src/accounts/store/Certificates.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { TestDatabase } from "../../support/database/Postgres.ts"
import { describeLive } from "../../support/Tests.ts"
import { refusal, refusedIn } from "../../support/database/Refusals.ts"
import { oneOwner } from "../../support/database/TwoOwners.ts"

const day = 86_400_000

const setUp = Effect.gen(function* () {
  const { account, first, service, sql: admin } = yield* oneOwner
  yield* admin`delete from certificates`
  const live = { ...account, livemode: true }
  const certificates = Context.get(first, Certificates)
  const add = Effect.fnUntraced(function* (subject: string, from: number, to: number) {
    const id = yield* Context.get(first, Ids).certificate
    const now = Date.now()
    const dates = { not_before: new Date(now + from * day), not_after: new Date(now + to * day) }
    const row = { account_id: account.account_id, id, subject, ...dates, created_at: new Date(now) }
    yield* AccountView.within(service, live)(certificates.insert(row, Redacted.make(`PEM of ${subject}`)))
    yield* certificates.forget(account.account_id)
    return row
  })
  const current = Effect.map(certificates.current(account.account_id), Option.getOrUndefined)
  return { add, admin, certificates, current, live, account, service }
})

describeLive(TestDatabase.layer)("Certificates in the database", (it) => {
  it.effect(
    "sign with the newest valid one, even if later ones are invalid, and show the newest if none is valid",
    function* () {
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
    }
  )

  it.effect("have separate seals, each for its own place", function* () {
    const { add, admin, certificates } = yield* setUp
    const [one, other] = [yield* add("one", -1, 1), yield* add("other", -1, 1)]
    const rows = yield* admin`select certificates::text as row from certificates`
    assert.notInclude(JSON.stringify(rows), "PEM of")
    yield* admin`update certificates set sealed = (select sealed from certificates where id = ${one.id})
      where id = ${other.id}`
    assert.strictEqual(Redacted.value(yield* certificates.pem(one)), "PEM of one")
    assert.isTrue(Exit.isFailure(yield* Effect.exit(certificates.pem(other))))
  })

  it.effect("belong to an account's live mode, which cannot read the sealed part, and never change", function* () {
    const { add, live, account, service } = yield* setUp
    yield* add("mine", -1, 1)
    const subjects = service`select subject from certificates`
    const stranger = { ...live, account_id: `ten_${"z".repeat(26)}` as typeof live.account_id }
    assert.deepStrictEqual(yield* AccountView.within(service, live)(subjects), [{ subject: "mine" }])
    for (const other of [account, stranger])
      assert.deepStrictEqual(yield* AccountView.within(service, other)(subjects), [])
    const view = AccountView.within(service, live)
    assert.match(yield* refusedIn(view, service`select sealed from certificates`), /permission denied/)
    for (const statement of [service`update certificates set subject = ''`, service`delete from certificates`]) {
      assert.match(yield* refusal(statement), /permission denied/)
      assert.match(yield* refusedIn(view, statement), /permission denied/)
    }
    const test = service`
      insert into certificates select account_id, false, id || 't', subject, not_before, not_after, sealed, created_at
      from certificates`
    assert.match(yield* refusal(test), /violates check constraint/)
  })
})
