import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Customers that change and go, and the invoices of one customer. A document has its own copy of its buyer, so that no row
 * hangs on a customer.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`grant update (acquirer, metadata, updated_at), delete on customers to folio_account`
  // A customer's invoices are few among all: the other filters of the list are read along the primary key, or from the
  // numbers, which are unique.
  yield* sql`create index invoices_of_customer on invoices (customer_id, id)`
})
