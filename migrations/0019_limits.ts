import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Keys that have ended go after a while, so that making and revoking them fills no table; a key that works is never removed. And
 * since when as many deliveries wait for an endpoint as may: what happens from then on is not attempted.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table webhook_endpoints add full_since timestamptz`
  yield* sql`
    create index api_keys_ended on api_keys (least(revoked_at, expires_at))
    where least(revoked_at, expires_at) is not null`
  yield* sql`grant delete on api_keys to folio_service`
  yield* sql`
    create trigger kept before delete on api_keys for each row
    when ((least(old.revoked_at, old.expires_at) < now() - interval '1 day') is not true)
    execute function refuse_change('a key stays until it has ended for a day')`
})
