import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import { WaitingCode } from "../../../schemas/AuthorityTrouble.ts"
import { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import { DocumentId } from "../../../schemas/Id.ts"
import type { PageRequest } from "../../../schemas/Page.ts"
import { documentKinds, isOfKind } from "../../../schemas/DocumentKinds.ts"
import { states } from "../rules/InvoiceLifecycle.ts"
import { ofAccount } from "../../database/Keys.ts"
import type { Rows } from "../../database/Pages.ts"
import * as Query from "../../database/Query.ts"
import { bounded } from "../../database/SlowReads.ts"
import { type DocumentFilter, fits, narrowDocuments } from "./InvoiceFilter.ts"

const reading = { name: "documents", narrow: narrowDocuments }

/** A document as a list shows it, without its lines. */
const Row = Schema.Struct({
  id: DocumentId,
  kind: DocumentKind,
  state: Schema.Literals(states),
  /** Null until the document is numbered. */
  full_number: Schema.NullOr(Schema.String),
  cufe: Schema.NullOr(Schema.String),
  customer_id: Schema.String,
  customer_name: Schema.String,
  customer_number: Schema.String,
  currency: Schema.String,
  line_extension_amount: Schema.String,
  tax_amount: Schema.String,
  payable_amount: Schema.String,
  /** Why an open document waits. */
  waiting_code: Schema.NullOr(WaitingCode),
  issue_date: Schema.NullOr(Schema.String),
  issue_time: Schema.NullOr(Schema.String),
  created_at: Schema.Date
})
export type ListedDocument = typeof Row.Type

/** The part of an id that sorts by creation across the kinds of document. */
export const orderOf = (id: string): string => id.slice(id.indexOf("_") + 1)

const kinds = ["invoice", "credit_note", "debit_note"] as const

/** The document kinds that a filter can match. An id begins with the prefix of its kind. */
export const kindsOf = ({ ids, kind }: DocumentFilter): ReadonlyArray<DocumentKind> =>
  kinds.filter((one) => (kind === null || kind === one) && (ids === null || ids.some((id) => isOfKind(one, id))))

/**
 * Makes the function that reads a page of the documents of all kinds that match a filter, newest first. The cursor is
 * an id of any kind. Its document need not exist: the page begins with the next document in time.
 */
export const make = (sql: SqlClient.SqlClient) => {
  const columns = sql`
      id, kind, state, full_number, cufe, customer_id, acquirer ->> 'legal_name' as customer_name,
      acquirer -> 'identification' ->> 'number' as customer_number, currency,
      totals ->> 'line_extension_amount' as line_extension_amount, totals ->> 'tax_amount' as tax_amount,
      totals ->> 'payable_amount' as payable_amount,
      case when next_action_at is not null then waiting ->> 'code' end as waiting_code,
      issue_date::text as issue_date, issue_time, created_at`

  // Ids sort by creation only within a kind. So the query reads the next rows of each kind by index and merges them.
  const page = Query.all(Row, (account: AccountMode, request: PageRequest, filter: DocumentFilter) => {
    const { cursor, limit } = request
    const backwards = cursor?.direction === "before"
    const order = sql.literal(backwards ? "asc" : "desc")
    const bound = (kind: DocumentKind) => {
      if (cursor === null) return sql`true`
      const at = `${documentKinds[kind].prefix}_${orderOf(cursor.id)}`
      return backwards ? sql`id > ${at}` : sql`id < ${at}`
    }
    const ofKinds = kindsOf(filter).map(
      (kind) => sql`(
          select ${columns} from invoices
          where ${ofAccount(sql, account)} and ${fits(sql, account, { ...filter, kind })} and ${bound(kind)}
          order by id ${order} limit ${limit + 1})`
    )
    return sql`
        select * from (${sql.join(" union all ", false)(ofKinds)}) d
        order by split_part(id, '_', 2) collate "C" ${order} limit ${limit + 1}`
  })

  return Effect.fn("Invoices.listAll")(function* (account: AccountMode, request: PageRequest, filter: DocumentFilter) {
    if (kindsOf(filter).length === 0) return { rows: [], has_more: false } as Rows<ListedDocument>
    const found = yield* bounded(sql, account, reading)(page(account, request, filter))
    const rows = found.slice(0, request.limit)
    return {
      rows: request.cursor?.direction === "before" ? rows.toReversed() : rows,
      has_more: found.length > rows.length
    }
  })
}
