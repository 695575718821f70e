import { Effect } from "effect"
import { hash } from "node:crypto"
import type { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import type { InvoiceCommand, InvoiceState } from "../../../src/invoices/rules/InvoiceLifecycle.ts"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"

/** The rows of a statement. */
export type Rows = <A>(statement: string) => Effect.Effect<ReadonlyArray<A>, Error>

interface InvoiceRow {
  readonly id: string
  readonly owner: string
  readonly key: string
  readonly state: InvoiceState
  readonly version: number
  readonly resolution_id: string | null
  readonly number: bigint | null
  readonly full_number: string | null
  readonly cufe: string | null
  /** Whether there is unfinished work. */
  readonly waiting: boolean
}

/** The signed bytes of a document: their hash, and their content if the signature verifies. */
export interface Document {
  readonly digest: string
  readonly full_number: string | undefined
  readonly cufe: string | undefined
}

/** All data about the invoices in the database. An owner is an account and mode, as `ten_…/test`. */
export interface Books {
  readonly invoices: ReadonlyArray<InvoiceRow>
  /** Rejected documents that a correction has replaced, by code. */
  readonly former: ReadonlyMap<string, Document & { readonly id: string }>
  readonly emails: ReadonlyArray<{ readonly id: string; readonly invoice_id: string; readonly status: string }>
  /** By invoice. */
  readonly documents: ReadonlyMap<string, Document>
  readonly ranges: ReadonlyArray<{
    readonly id: string
    readonly prefix: string
    readonly from_number: bigint
    readonly next_number: bigint
  }>
  /** Numbers of documents that a restore has lost. */
  readonly lost: ReadonlyArray<{
    readonly resolution_id: string
    readonly from_number: bigint
    readonly to_number: bigint
  }>
  readonly steps: ReadonlyArray<{
    readonly id: string
    readonly version: number
    readonly command: InvoiceCommand
    readonly from: InvoiceState
    readonly to: InvoiceState
  }>
  /** Documents that ended, as counted. Null if the database has documents of a release that counted none. */
  readonly usage: ReadonlyArray<{
    readonly owner: string
    readonly kind: DocumentKind
    readonly outcome: InvoiceState
    readonly documents: number
  }> | null
  readonly events: ReadonlyArray<{
    readonly id: string
    readonly owner: string
    readonly seq: bigint
    readonly type: string
    readonly object_id: string
    readonly object_version: number
    readonly body: string
  }>
  readonly endpoints: ReadonlyArray<{ readonly id: string; readonly owner: string; readonly max_in_flight: number }>
  readonly deliveries: ReadonlyArray<{
    readonly event_id: string
    readonly endpoint_id: string
    readonly status: string
    readonly attempts: number
  }>
}

const owner = "account_id || case when livemode then '/live' else '/test' end as owner"
const documentsPage = 2_000

const readDocuments = Effect.fnUntraced(function* (rows: Rows) {
  const documents = new Map<string, Document>()
  for (let last = ""; ;) {
    const page = yield* rows<{ id: string; signed: Uint8Array }>(
      `select invoice_id as id, signed from invoice_documents where invoice_id > '${last}'
       order by invoice_id limit ${documentsPage}`
    )
    for (const { id, signed } of page) {
      documents.set(id, documentOf(signed))
      last = id
    }
    if (page.length < documentsPage) return documents
  }
})

const documentOf = (signed: Uint8Array): Document => {
  const content = readSignedDocument(signed)
  return { digest: hash("sha256", signed, "hex"), full_number: content?.full_number, cufe: content?.cufe }
}

const readFormer = Effect.fnUntraced(function* (rows: Rows) {
  const all = yield* rows<{ id: string; cufe: string; signed: Uint8Array }>(
    "select invoice_id as id, cufe, signed from rejected_documents"
  )
  return new Map(all.map(({ cufe, id, signed }) => [cufe, { id, ...documentOf(signed) }]))
})

type Row<K extends keyof Books> = NonNullable<Books[K]> extends ReadonlyArray<infer A> ? A : never

const usageMigration = 8

const readUsage = Effect.fnUntraced(function* (rows: Rows) {
  const uncounted = yield* rows<unknown>(
    `select from invoices where created_at <= (select created_at from effect_sql_migrations
       where migration_id = ${usageMigration}) limit 1`
  )
  if (uncounted.length > 0) return null
  return yield* rows<Row<"usage">>(
    `select ${owner}, kind, outcome, sum(documents)::integer as documents from daily_usage
     group by account_id, livemode, kind, outcome`
  )
})

/** Reads all books. A test's invoices carry their key in their metadata. */
export const readBooks = Effect.fnUntraced(function* (rows: Rows): Effect.fn.Return<Books, Error> {
  return {
    invoices: yield* rows<Row<"invoices">>(
      `select id, ${owner}, metadata->>'key' as key, state, version, resolution_id, number, full_number, cufe,
         next_action_at is not null as waiting
       from invoices order by number`
    ),
    documents: yield* readDocuments(rows),
    former: yield* readFormer(rows),
    emails: yield* rows<Row<"emails">>("select id, invoice_id, status from emails"),
    ranges: yield* rows<Row<"ranges">>("select id, prefix, from_number, next_number from resolutions"),
    lost: yield* rows<Row<"lost">>("select resolution_id, from_number, to_number from lost_numbers"),
    steps: yield* rows<Row<"steps">>(
      `select invoice_id as id, version, command, from_state as "from", to_state as "to" from transitions
       order by invoice_id, version`
    ),
    usage: yield* readUsage(rows),
    events: yield* rows<Row<"events">>(
      `select id, ${owner}, seq, type, object_id, object_version, body from events order by seq`
    ),
    endpoints: yield* rows<Row<"endpoints">>(`select id, ${owner}, max_in_flight from webhook_endpoints`),
    deliveries: yield* rows<Row<"deliveries">>("select event_id, endpoint_id, status, attempts from deliveries")
  }
})
