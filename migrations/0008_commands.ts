import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What an account may do to its own documents: cancel and retry them. The guard of invoices says which may, as ever; every
 * other step is the service's.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    grant update (state, version, attempts, next_action_at, worker, failure, updated_at) on invoices to folio_account`
  yield* sql`grant insert on transitions to folio_account`
  // Any row may be locked and looked at, or a refusal could not say why.
  yield* sql`
    create policy asked_for on invoices as restrictive for update to folio_account
    using (true) with check (state in ('canceled', 'queued', 'numbered'))`
  yield* sql`
    create policy asked_for on transitions as restrictive for insert to folio_account
    with check (command in ('Cancel', 'Retry'))`
})
