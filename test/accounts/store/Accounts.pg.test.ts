import { assert } from "@effect/vitest"
import { Context, Effect, Exit, Result } from "effect"
import * as AccountView from "../../../src/database/AccountView.ts"
import { Accounts, issuersPerDayMax, type StoredAccount } from "../../../src/accounts/store/Accounts.ts"
import { TestDatabase } from "../../support/database/Postgres.ts"
import { describeLive } from "../../support/Tests.ts"
import { oneOwner } from "../../support/database/TwoOwners.ts"

describeLive(TestDatabase.layer)("The look-up of an issuer after a failed read", (it) => {
  it.effect("reads the issuer again for the next caller", function* () {
    const { account, first, sql } = yield* oneOwner
    const accounts = Context.get(first, Accounts)
    yield* sql`alter table issuers rename to issuers_away`
    assert.isTrue(Exit.isFailure(yield* Effect.exit(accounts.issuer(account, 1))))
    yield* sql`alter table issuers_away rename to issuers`
    assert.isString((yield* accounts.issuer(account, 1)).legal_name)
  })
})

describeLive(TestDatabase.layer)("The issuer of a mode", (it) => {
  it.effect(
    "changes at most as often as its daily limit, and the rest of the account changes regardless",
    function* () {
      const { account, first, service, sql } = yield* oneOwner
      const change = (part: (before: StoredAccount) => Partial<StoredAccount>) =>
        Context.get(first, Accounts)
          .update(account, (before) => Effect.succeed({ ...before, ...part(before) }))
          .pipe(AccountView.within(service, account))
      const rename = (legal_name: string) => change(({ issuer }) => ({ issuer: { ...issuer!, legal_name } }))
      for (let version = 2; version <= issuersPerDayMax; version++) {
        assert.strictEqual((yield* rename(`Nombre ${version}`)).issuer_version, version)
      }
      const refused = yield* Effect.result(rename("Uno más"))
      const error = Result.isFailure(refused) ? refused.failure : undefined
      assert.strictEqual(error?.code, "rate_limited")
      const seconds = Number(error?.headers?.["Retry-After"])
      assert.isTrue(seconds > 86_000 && seconds <= 86_400, `${seconds} s`)
      assert.strictEqual((yield* change(() => ({ name: "Otra" }))).name, "Otra")
      assert.strictEqual((yield* rename(`Nombre ${issuersPerDayMax}`)).issuer_version, issuersPerDayMax)
      yield* sql`update issuers set created_at = now() - interval '1 day' where version = 1`
      assert.strictEqual((yield* rename("Uno más")).issuer_version, issuersPerDayMax + 1)
      assert.isTrue(Result.isFailure(yield* Effect.result(rename("Otro más"))))
    }
  )
})
