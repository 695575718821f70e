import type { SqlClient, Statement } from "effect/sql"
import type { DocumentKind } from "../../schemas/FiscalDocument.ts"
import type { InvoiceStatus } from "../../schemas/Invoice.ts"
import { documentKinds } from "../domain/DocumentKinds.ts"
import { type InvoiceState, states, statusOf } from "../domain/InvoiceLifecycle.ts"
import { firstIdAt, lastIdAt } from "./Ids.ts"

/** Which documents of a kind are asked for; null is any. Both ends of the time count. */
export interface InvoiceFilter {
  readonly kind: DocumentKind
  /** The invoice that they correct. */
  readonly invoice_id: string | null
  readonly status: InvoiceStatus | null
  readonly customer_id: string | null
  readonly full_number: string | null
  readonly from: Date | null
  readonly to: Date | null
}

/** The states that a client sees as this status. */
export const statesOf = (status: InvoiceStatus): ReadonlyArray<InvoiceState> =>
  states.filter((state) => statusOf(state) === status)

// As they are and not as parameters: a plan for any state goes through all rows, past the index of those that failed.
const named = (these: ReadonlyArray<InvoiceState>) => these.map((state) => `'${state}'`).join(", ")

/** The condition that a row of `invoices` fits. The ids of a kind stand together: a page reads no row of another. */
export const fits = (sql: SqlClient.SqlClient, filter: InvoiceFilter): Statement.Fragment => {
  const { customer_id, from, full_number, invoice_id, kind, status, to } = filter
  const { prefix } = documentKinds[kind]
  return sql.and([
    sql`id between ${`${prefix}_`} and ${`${prefix}_z`} and kind = ${kind}`,
    ...(invoice_id === null ? [] : [sql`invoice_id = ${invoice_id}`]),
    ...(customer_id === null ? [] : [sql`customer_id = ${customer_id}`]),
    ...(full_number === null ? [] : [sql`full_number = ${full_number}`]),
    ...(status === null ? [] : [sql`state in (${sql.literal(named(statesOf(status)))})`]),
    ...(from === null ? [] : [sql`created_at >= ${from} and id >= ${firstIdAt(prefix, from)}`]),
    ...(to === null ? [] : [sql`created_at <= ${to} and id <= ${lastIdAt(prefix, to)}`])
  ])
}
