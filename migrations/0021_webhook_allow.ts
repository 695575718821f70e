import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Which processes let webhooks reach internal addresses, for development: beside one of them no live key is made. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table workers add webhook_allow boolean not null default false`
  // A key is made within its account's view.
  yield* sql`grant select (webhook_allow, dead_since, seen_at) on workers to folio_account`
})
