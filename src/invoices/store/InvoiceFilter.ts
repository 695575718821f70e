import type { SqlClient, Statement } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import type { InvoiceStatus } from "../../../schemas/Invoice.ts"
import { documentKinds } from "../../../schemas/DocumentKinds.ts"
import { type InvoiceState, isOpen, states, statusOf } from "../rules/InvoiceLifecycle.ts"
import { withExternalId } from "../../database/ExternalIds.ts"
import { marked, metadataMarks } from "../../database/Keys.ts"
import { createdWithin } from "../../database/Ids.ts"

/** A filter of documents. A null field matches any document; `from` and `to` are inclusive. */
export interface DocumentFilter {
  readonly kind: DocumentKind | null
  /** The invoice that the notes correct. */
  readonly invoice_id: string | null
  readonly status: InvoiceStatus | null
  readonly customer_id: string | null
  /** Only these documents. */
  readonly ids: ReadonlyArray<string> | null
  /** Only documents with one of these full numbers. An account can have the same full number once in each kind. */
  readonly full_numbers: ReadonlyArray<string> | null
  /** The CUFE of an invoice or the CUDE of a note. */
  readonly cufe: string | null
  readonly external_id: string | null
  /** Only documents with all of these entries. */
  readonly metadata: Readonly<Record<string, string>>
  readonly from: Date | null
  readonly to: Date | null
}

export type InvoiceFilter = DocumentFilter & { readonly kind: DocumentKind }

/** A sentence for the client: which filters make a slow page smaller. */
export const narrowDocuments =
  "Narrow it with created[gte] and created[lte], or search by customer_id, full_number or metadata."

/** The states of a status. */
export const statesOf = (status: InvoiceStatus): ReadonlyArray<InvoiceState> =>
  states.filter((state) => statusOf(state) === status)

// Literals, because a plan for a parameter reads all rows instead of the partial index `invoices_unaccepted`.
const named = (these: ReadonlyArray<InvoiceState>) => these.map((state) => `'${state}'`).join(", ")

/** The SQL conditions of documents in these states. */
const inStates = (sql: SqlClient.SqlClient, these: ReadonlyArray<InvoiceState>): ReadonlyArray<Statement.Fragment> => [
  sql`state in (${sql.literal(named(these))})`,
  // Open documents are few, and an index contains only the documents with an alarm.
  ...(these.every(isOpen) ? [sql`next_action_at is not null`] : [])
]

/**
 * The SQL condition of a filter on `invoices`. Ids of a kind are adjacent in the index, so a page reads no row of
 * another kind.
 */
export const fits = (sql: SqlClient.SqlClient, account: AccountMode, filter: InvoiceFilter): Statement.Fragment => {
  const { cufe, customer_id, external_id, full_numbers, ids, invoice_id, kind, metadata, status } = filter
  const { prefix } = documentKinds[kind]
  const ofKind = sql`id between ${`${prefix}_`} and ${`${prefix}_z`}`
  return sql.and([
    sql`${ofKind} and kind = ${kind}`,
    ...marked(sql, account, metadataMarks(metadata), ofKind),
    ...withExternalId(sql, account, kind, external_id),
    ...(ids === null ? [] : [sql`id = any(${ids}::text[])`]),
    ...(invoice_id === null ? [] : [sql`invoice_id = ${invoice_id}`]),
    ...(customer_id === null ? [] : [sql`customer_id = ${customer_id}`]),
    ...(full_numbers === null ? [] : [sql`full_number = any(${full_numbers}::text[])`]),
    ...(cufe === null ? [] : [sql`cufe = ${cufe}`]),
    ...(status === null ? [] : inStates(sql, statesOf(status))),
    ...createdWithin(sql, prefix, filter)
  ])
}
