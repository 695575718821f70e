import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Which processes let webhooks reach internal addresses, for development: beside one of them no live key is made. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table workers add webhook_allow boolean not null default false`
})
