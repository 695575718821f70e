import { Context } from "effect"
import { AccountId } from "../../../schemas/Id.ts"
import { Invoices } from "../../../src/invoices/store/Invoices.ts"
import { oneOwner, onPostgres } from "../../support/database/TwoOwners.ts"
import { documentsOf, holdsItsPromises, isMoving } from "../../support/documents/ListedDocuments.ts"

const json = (value: unknown) => (value === null ? null : JSON.stringify(value))

onPostgres("The list of documents of all kinds fulfils its contract on PostgreSQL", function* () {
  const { account, first: owner, resolution, sql } = yield* oneOwner
  for (const row of documentsOf(account, resolution)) {
    yield* sql`
      insert into invoices ${sql.insert({
        ...row,
        number: "number" in row ? row.number : null,
        payment_means: json(row.payment_means),
        lines: json(row.lines),
        totals: json(row.totals),
        acquirer: json(row.acquirer),
        metadata: json(row.metadata),
        original: json(row.original),
        waiting: json(row.waiting),
        next_action_at: isMoving(row.state) ? "infinity" : null
      } as never)}`
  }
  const list = Context.get(owner, Invoices)
  yield* holdsItsPromises(list, account, { ...account, account_id: AccountId.make(`ten_${"0".repeat(26)}`) })
  yield* holdsItsPromises(list, account, { ...account, livemode: true })
})
