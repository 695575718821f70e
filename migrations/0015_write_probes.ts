import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Where the service tries out whether the database takes changes. Emptied each time, so that each try needs room of its own. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table write_probes (filler text storage plain not null)`
  yield* sql`grant truncate on write_probes to folio_service`
})
