import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What a list is asked for that has little of it: without these a page that finds nothing reads all rows of the account. They hold what
 * went wrong and the keys that work, so that what goes well, which is nearly all, is not written once more.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index api_keys_kept on api_keys (account_id, livemode) where revoked_at is null`
  yield* sql`
    create index deliveries_undelivered on deliveries (endpoint_id, status, id, account_id, livemode)
    where status in ('failed', 'canceled')`
  yield* sql`
    create index invoices_unaccepted on invoices (account_id, livemode, state, id)
    where state in ('failed', 'canceled', 'rejected_by_authority')`
  yield* sql`
    create index events_unusual on events (account_id, livemode, type, id)
    where type <> 'invoice.accepted_by_authority' and is_test is not true`
})
