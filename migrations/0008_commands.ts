import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What an account may do to its own documents: cancel and retry them. The guard of invoices says which may, as ever. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    grant update (state, version, attempts, next_action_at, worker, failure, updated_at) on invoices to folio_account`
  yield* sql`grant insert on transitions to folio_account`
})
