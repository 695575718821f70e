import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** One sealed row: a start opens it, and so finds out whether its key is the one that this database's secrets are sealed with. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table key_canary (
      one boolean primary key default true check (one),
      sealed text not null
    )`
  yield* sql`revoke update, delete on key_canary from folio_service`
})
