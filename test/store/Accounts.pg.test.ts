import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Accounts } from "../../src/store/Accounts.ts"
import { ownerLayer, seedAccount } from "../support/Owners.ts"
import { TestDatabase } from "../support/Postgres.ts"

layer(TestDatabase.layer, { excludeTestServices: true })("An issuer that could not be read", (it) => {
  it.effect("is read again by the next one who asks", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const sql = yield* SqlClient.SqlClient
      const owner = yield* Layer.build(ownerLayer(url))
      const { of } = yield* seedAccount.pipe(Effect.provideContext(owner))
      const accounts = Context.get(owner, Accounts)
      yield* sql`alter table issuers rename to issuers_away`
      assert.isTrue(Exit.isFailure(yield* Effect.exit(accounts.issuer(of, 1))))
      yield* sql`alter table issuers_away rename to issuers`
      assert.isString((yield* accounts.issuer(of, 1)).legal_name)
    })
  )
})
