import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Client } from "pg"
import { inject } from "vitest"
import { layerOwner, seedAccount, seedDrafts } from "../support/database/Owners.ts"
import { TestDatabase, urlOf } from "../support/database/Postgres.ts"
import { multiplyInvoices } from "./Growth.ts"

layer(TestDatabase.layer, { excludeTestServices: true })("The invoices that the benchmark multiplies", (it) => {
  it.effect("have a full number and a code of their own", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const sql = yield* SqlClient.SqlClient
      const store = yield* Layer.build(layerOwner(url))
      yield* Effect.gen(function* () {
        const { account } = yield* seedAccount
        yield* seedDrafts(account.account_id, 20, "accepted_by_authority")
      }).pipe(Effect.provideContext(store))
      const admin = new Client({ connectionString: urlOf(inject("postgres").admin, new URL(url).pathname) })
      yield* Effect.acquireUseRelease(
        Effect.promise(() => admin.connect()),
        () => Effect.promise(() => multiplyInvoices(admin, 400)),
        () => Effect.promise(() => admin.end())
      )
      const [counted] = yield* sql`
        select count(*)::integer as invoices, count(distinct full_number)::integer as numbers,
          count(distinct cufe)::integer as codes from invoices`
      assert.deepStrictEqual(counted, { invoices: 400, numbers: 400, codes: 400 })
    })
  )
})
