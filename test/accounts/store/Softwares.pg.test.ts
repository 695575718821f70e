import { assert } from "@effect/vitest"
import { Context, Effect, Exit, Option, Redacted } from "effect"
import { Accounts, issuersPerDayMax } from "../../../src/accounts/store/Accounts.ts"
import { Softwares } from "../../../src/accounts/store/Softwares.ts"
import * as AccountView from "../../../src/database/AccountView.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { storedSecrets, checkedSecrets } from "../../../src/operations/store/Inspection.ts"
import { TestDatabase } from "../../support/database/Postgres.ts"
import { refusal, refusedIn } from "../../support/database/Refusals.ts"
import { oneOwner } from "../../support/database/TwoOwners.ts"
import { describeLive } from "../../support/Tests.ts"

const setUp = Effect.gen(function* () {
  const { account, first, service, sql: admin } = yield* oneOwner
  const live = { ...account, livemode: true }
  yield* admin`update account_modes set software = null where account_id = ${account.account_id}`
  yield* admin`update issuers set software = null`
  yield* admin`delete from softwares`
  const softwares = Context.get(first, Softwares)
  const accounts = Context.get(first, Accounts)
  const add = Effect.fnUntraced(function* (pin: string) {
    const id = yield* Context.get(first, Ids).software
    const row = {
      account_id: account.account_id,
      id,
      software_id: `software ${pin}`,
      provider_number: null,
      created_at: new Date()
    }
    yield* AccountView.within(service, live)(softwares.insert(row, Redacted.make(pin)))
    return id
  })
  const change = (patch: Partial<Parameters<Parameters<typeof accounts.update>[1]>[0]>) =>
    AccountView.within(service, live)(accounts.update(live, (before) => Effect.succeed({ ...before, ...patch })))
  const issuer = (yield* accounts.read(account)).issuer
  return { account, add, admin, change, first, issuer, live, service, softwares }
})

describeLive(TestDatabase.layer)("Softwares in the database", (it) => {
  it.effect("wait for the issuer, and each change of either makes a version that keeps its software", function* () {
    const { account, add, change, issuer, live, softwares } = yield* setUp
    const one = yield* add("pin-one")
    const before = yield* change({ issuer: null, software: one })
    assert.deepStrictEqual([before.issuer_version, before.software], [0, one])
    assert.isTrue(Option.isNone(yield* softwares.current(account.account_id)))
    const issued = yield* change({ issuer })
    const provider = { number: "900373115", check_digit: "3" }
    const known = { id: "software pin-one", provider, pin: "pin-one" }
    assert.deepStrictEqual(Option.getOrNull(yield* softwares.current(account.account_id)), known)
    const other = yield* change({ software: yield* add("pin-two") })
    assert.strictEqual(other.issuer_version, issued.issuer_version + 1)
    assert.strictEqual((yield* change({ name: "Otro nombre" })).issuer_version, other.issuer_version)
    const none = yield* change({ software: null })
    const pinOf = (version: number) =>
      Effect.map(softwares.ofVersion(live, version), (found) => Option.getOrNull(found)?.pin ?? null)
    const versions = [issued, other, none].map(({ issuer_version }) => issuer_version)
    assert.deepStrictEqual(yield* Effect.forEach(versions, pinOf), ["pin-one", "pin-two", null])
    assert.isTrue(Option.isNone(yield* softwares.ofVersion(account, issued.issuer_version)), "in test mode")
  })

  it.effect("have separate seals, each for its own place, and count among the secrets", function* () {
    const { account, add, admin, first, softwares } = yield* setUp
    const [one, other] = [yield* add("pin-one"), yield* add("pin-two")]
    assert.notInclude(JSON.stringify(yield* admin`select sealed from softwares`), "pin")
    const places = (yield* Effect.provide(storedSecrets, first)).map(({ place }) => place)
    assert.includeMembers(places, [`softwares|${one}`, `softwares|${other}`])
    assert.strictEqual((yield* Effect.provide(checkedSecrets, first)).unopened, 0)
    yield* admin`update softwares set sealed = (select sealed from softwares where id = ${one}) where id = ${other}`
    assert.strictEqual(Redacted.value(yield* softwares.pin(account.account_id, one)), "pin-one")
    assert.isTrue(Exit.isFailure(yield* Effect.exit(softwares.pin(account.account_id, other))))
    assert.strictEqual((yield* Effect.provide(checkedSecrets, first)).unopened, 1)
  })

  it.effect("belong to an account's live mode, which cannot read the sealed part, and never change", function* () {
    const { account, add, live, service } = yield* setUp
    yield* add("pin")
    const ids = service`select software_id from softwares`
    const stranger = { ...live, account_id: `ten_${"z".repeat(26)}` as typeof live.account_id }
    assert.deepStrictEqual(yield* AccountView.within(service, live)(ids), [{ software_id: "software pin" }])
    for (const other of [account, stranger]) assert.deepStrictEqual(yield* AccountView.within(service, other)(ids), [])
    const view = AccountView.within(service, live)
    const ofSeals = [
      service`select sealed from softwares`,
      service`update softwares set sealed = ''`,
      service`update certificates set sealed = ''`,
      service`update resolutions set technical_key_sealed = ''`
    ]
    for (const statement of ofSeals) assert.match(yield* refusedIn(view, statement), /permission denied/)
    for (const statement of [service`update softwares set software_id = ''`, service`delete from softwares`]) {
      assert.match(yield* refusal(statement), /permission denied/)
      assert.match(yield* refusedIn(view, statement), /permission denied/)
    }
    const test = service`
      insert into softwares select account_id, false, id || 't', software_id, provider_number, sealed, created_at
      from softwares`
    assert.match(yield* refusal(test), /violates check constraint/)
  })

  it.effect("change at most as often as an issuer may within a day, even before there is an issuer", function* () {
    const { add, admin } = yield* setUp
    const first = yield* add("pin")
    yield* admin`
      insert into softwares select account_id, livemode, id || n, software_id, provider_number, sealed, created_at
      from softwares, generate_series(2, ${issuersPerDayMax}) n where id = ${first}`
    const refused = yield* Effect.flip(add("one more"))
    assert.strictEqual(refused.code, "rate_limited")
    yield* admin`update softwares set created_at = created_at - interval '1 day' where id = ${first}`
    yield* add("one more")
  })
})
