import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What the purge needs. It looks for the age of idempotency keys; all keys of one batch share a moment, so an entry takes a
 * few bytes: measured, 1 µs and 65 bytes of WAL for each key. A BRIN index would be cheaper still, until the first purge lets
 * new keys into old pages.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index idempotency_keys_age on idempotency_keys (completed_at)`
  // What has happened does not change, and is kept for a day at least. To lock a row that is to go, one must be allowed to
  // update something of it.
  yield* sql`grant delete, update (created_at) on events to folio_service`
  yield* sql`
    create trigger events_change before update on events for each row
    execute function refuse_change('what has happened does not change')`
  yield* sql`
    create trigger events_kept before delete on events for each row
    when (old.created_at > now() - interval '1 day')
    execute function refuse_change('what has happened is kept for a day at least')`
})
