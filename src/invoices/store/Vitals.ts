import { Cause, Effect, Result, Schema, SchemaIssue } from "effect"
import type { SqlClient } from "effect/sql"
import { AccountMode } from "../../../schemas/Account.ts"
import { DocumentId } from "../../../schemas/Id.ts"
import { AuthorityError, type DocumentKey, DocumentKind, Failure } from "../../../schemas/FiscalDocument.ts"
import { Metadata } from "../../../schemas/Text.ts"
import { states } from "../rules/InvoiceLifecycle.ts"
import { columnsOf, inputOfKeys, ofKey } from "../../database/Keys.ts"

/** An error for a row of `invoices` that its schema cannot decode. The message names the columns, but no values. */
export class UnreadableInvoice extends Schema.TaggedError<UnreadableInvoice>()("UnreadableInvoice", {
  message: Schema.String
}) {
  static readonly from = (error: Schema.SchemaError) => {
    const { issues } = pathsOf(error.issue)
    const paths = issues.map(({ path }) => (path ?? []).map((part) => String(part)).join("."))
    return new UnreadableInvoice({ message: `Invalid columns in a row of invoices: ${[...new Set(paths)].join(", ")}` })
  }
}

const pathsOf = SchemaIssue.makeFormatterStandardSchemaV1()

export const isUnreadable = (cause: Cause.Cause<unknown>): boolean =>
  Result.getOrUndefined(Cause.findDefect(cause)) instanceof UnreadableInvoice

/** Remarks of the authority, which only clients read; empty if invalid. */
export const Remarks = Schema.Array(AuthorityError).pipe(Schema.catchDecoding(() => Effect.succeedSome([])))

/** The columns needed to end a document with an unreadable row. Invalid columns that only clients read are empty. */
const Vitals = Schema.Struct({
  ...AccountMode.fields,
  id: DocumentId,
  kind: DocumentKind,
  state: Schema.Literals(states),
  version: Schema.Int,
  attempts: Schema.Int,
  full_number: Schema.NullOr(Schema.String),
  cufe: Schema.NullOr(Schema.String),
  created_at: Schema.Date,
  submitted_at: Schema.NullOr(Schema.Date),
  contingency_since: Schema.NullOr(Schema.Date),
  authority_errors: Remarks,
  authority_notifications: Remarks,
  failure: Schema.NullOr(Failure).pipe(Schema.catchDecoding(() => Effect.succeedSome(null))),
  metadata: Metadata.pipe(Schema.catchDecoding(() => Effect.succeedSome({})))
})
export type Vitals = typeof Vitals.Type

const suspendSecondsMax = 300

/**
 * The time after which the sweeper notifies a document's actor again, in case the message is lost. A suspended
 * document's alarm is later than this lease, which distinguishes suspended documents from notified documents.
 */
export const reminderLeaseSeconds = 10

/** Makes the functions for documents with a defect: `vitals` reads the columns to end them, `suspend` delays them. */
export const make = (sql: SqlClient.SqlClient) => {
  const decode = Schema.decodeUnknownEffect(Vitals)

  /** Reads the vital columns; none if the document does not exist or a vital column is invalid. */
  const vitals = Effect.fn("Invoices.vitals")(
    (key: DocumentKey) => sql`select ${columnsOf(sql, Vitals)} from invoices where ${ofKey(sql, key)}`,
    Effect.flatMap(([row]) => Effect.option(decode(row))),
    Effect.orDie
  )

  /** Counts an attempt of each document and delays the next one: 1 s, 2 s, 4 s … 5 min, plus `reminderLeaseSeconds`. */
  const suspend = Effect.fn("Invoices.suspend")((keys: ReadonlyArray<DocumentKey>) =>
    sql`
        update invoices i set attempts = i.attempts + 1,
          next_action_at = now()
            + (${reminderLeaseSeconds} + least(2 ^ least(i.attempts, 30), ${suspendSecondsMax})) * interval '1 second'
        from (select * from ${inputOfKeys(sql, keys)} order by id) n
        where i.account_id = n.account_id and i.livemode = n.livemode and i.id = n.id
          and i.next_action_at is not null`.pipe(Effect.orDie, Effect.asVoid)
  )

  return { vitals, suspend }
}
