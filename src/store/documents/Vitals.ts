import { Cause, Effect, Result, Schema, SchemaIssue } from "effect"
import type { SqlClient } from "effect/sql"
import { AccountMode } from "../../../schemas/Account.ts"
import { DocumentId } from "../../../schemas/Id.ts"
import { AuthorityError, type DocumentKey, DocumentKind, Failure } from "../../../schemas/FiscalDocument.ts"
import { Metadata } from "../../../schemas/Text.ts"
import { states } from "../../domain/documents/InvoiceLifecycle.ts"
import { columnsOf, inputOfKeys, ofKey } from "../sql/Keys.ts"

/** A row of `invoices` that its schema cannot decode. The message names the columns and not their values. */
export class UnreadableInvoice extends Schema.TaggedError<UnreadableInvoice>()("UnreadableInvoice", {
  message: Schema.String
}) {
  static readonly from = (error: Schema.SchemaError) => {
    const { issues } = pathsOf(error.issue)
    const paths = issues.map(({ path }) => (path ?? []).map((part) => String(part)).join("."))
    return new UnreadableInvoice({ message: `The row of an invoice cannot be read: ${[...new Set(paths)].join(", ")}` })
  }
}

const pathsOf = SchemaIssue.makeFormatterStandardSchemaV1()

export const isUnreadable = (cause: Cause.Cause<unknown>): boolean =>
  Result.getOrUndefined(Cause.findDefect(cause)) instanceof UnreadableInvoice

/** Remarks of the authority, which only clients read: empty when they cannot be decoded. */
export const Remarks = Schema.Array(AuthorityError).pipe(Schema.catchDecoding(() => Effect.succeedSome([])))

/**
 * The columns needed to end a document whose row cannot be read. Columns that only clients read decode as empty when
 * invalid.
 */
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

const parkSecondsMax = 300

/**
 * The sweeper tells a document's actor again after this lease, in case its tell is lost. A parked document's alarm is
 * set further ahead than the lease, which distinguishes parked documents from documents that were told.
 */
export const reminderLeaseSeconds = 10

/**
 * Makes the functions for documents whose processing fails with a defect: to read the columns needed to end them, and
 * to delay their next attempt.
 */
export const make = (sql: SqlClient.SqlClient) => {
  const decode = Schema.decodeUnknownEffect(Vitals)

  /** None when the document does not exist or its vital columns cannot be decoded. */
  const vitals = Effect.fn("Invoices.vitals")(
    (key: DocumentKey) => sql`select ${columnsOf(sql, Vitals)} from invoices where ${ofKey(sql, key)}`,
    Effect.flatMap(([row]) => Effect.option(decode(row))),
    Effect.orDie
  )

  /**
   * Counts an attempt of each document and delays it, longer each time: 1 s, 2 s, 4 s … 5 min, plus
   * `reminderLeaseSeconds`.
   */
  const park = Effect.fn("Invoices.park")((keys: ReadonlyArray<DocumentKey>) =>
    sql`
        update invoices i set attempts = i.attempts + 1,
          next_action_at = now()
            + (${reminderLeaseSeconds} + least(2 ^ least(i.attempts, 30), ${parkSecondsMax})) * interval '1 second'
        from (select * from ${inputOfKeys(sql, keys)} order by id) n
        where i.account_id = n.account_id and i.livemode = n.livemode and i.id = n.id
          and i.next_action_at is not null`.pipe(Effect.orDie, Effect.asVoid)
  )

  return { vitals, park }
}
