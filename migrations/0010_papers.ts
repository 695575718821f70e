import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What a foreign currency was worth in pesos on the day of issue. No role may change it: it is what the invoice says. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table invoices add column exchange_rate text check ((exchange_rate is null) = (currency = 'COP'))`
})
