import { Cause, Context, Effect, Layer, type Option, Result, Schema, SchemaIssue } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { AccountMode } from "../../schemas/Account.ts"
import { DocumentId } from "../../schemas/Id.ts"
import { AuthorityError, DocumentKind, Failure } from "../../schemas/FiscalDocument.ts"
import { Metadata } from "../../schemas/Text.ts"
import { states } from "../domain/InvoiceLifecycle.ts"

/** A row that is not what its schema says. The message names the columns and not what they hold. */
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

/** Names a row, whatever its columns hold. */
export interface RowKey {
  readonly account_id: string
  readonly livemode: boolean
  readonly id: string
}

const Remarks = Schema.Array(AuthorityError).pipe(Schema.catchDecoding(() => Effect.succeedSome([])))

/** What is needed to end a document: the rest of its row may be in ruins. What is only told to clients is left out then. */
const Vitals = Schema.Struct({
  ...AccountMode.fields,
  id: DocumentId,
  kind: DocumentKind,
  state: Schema.Literals(states),
  version: Schema.Int,
  attempts: Schema.Int,
  full_number: Schema.NullOr(Schema.String),
  cufe: Schema.NullOr(Schema.String),
  submitted_at: Schema.NullOr(Schema.Date),
  contingency_since: Schema.NullOr(Schema.Date),
  authority_errors: Remarks,
  authority_notifications: Remarks,
  failure: Schema.NullOr(Failure).pipe(Schema.catchDecoding(() => Effect.succeedSome(null))),
  metadata: Metadata.pipe(Schema.catchDecoding(() => Effect.succeedSome({})))
})
export type Vitals = typeof Vitals.Type

/** Whether its bytes may have left the house: then they are its bytes for ever. */
export const isIssued = (row: Pick<Vitals, "submitted_at" | "contingency_since">): boolean =>
  row.submitted_at !== null || row.contingency_since !== null

const parkSecondsMax = 300

/**
 * After a reminder a document rings again, should the reminder be lost as well. The alarm of a document that waits because it
 * broke something is set further ahead than this: so one is told from the other.
 */
export const reminderLeaseSeconds = 10

/** Documents that broke what handles them: to be ended, or to be kept from coming back at once. */
export class PoisonInvoices extends Context.Service<
  PoisonInvoices,
  {
    /** None when there is no such document, or nothing can be told of it. */
    readonly vitals: (key: RowKey) => Effect.Effect<Option.Option<Vitals>>
    /** Counts an attempt of each, and lets it wait longer each time: 1 s, 2 s, 4 s … 5 min, on top of a reminder's lease. */
    readonly park: (keys: ReadonlyArray<RowKey>) => Effect.Effect<void>
  }
>()("folio/store/PoisonInvoices") {
  static readonly layer = Layer.effect(
    PoisonInvoices,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal(Object.keys(Vitals.fields).join(", "))

      const find = SqlSchema.findOneOption({
        Request: Schema.Struct({ account_id: Schema.String, livemode: Schema.Boolean, id: Schema.String }),
        Result: Vitals,
        execute: (key) => sql`
          select ${columns} from invoices
          where account_id = ${key.account_id} and livemode = ${key.livemode} and id = ${key.id}`
      })
      const vitals = Effect.fn("PoisonInvoices.vitals")((key: RowKey) =>
        find(key).pipe(
          Effect.catchTag("SchemaError", () => Effect.succeedNone),
          Effect.orDie
        )
      )

      const park = Effect.fn("PoisonInvoices.park")((keys: ReadonlyArray<RowKey>) =>
        sql`
          update invoices i set attempts = i.attempts + 1,
            next_action_at = now()
              + (${reminderLeaseSeconds} + least(2 ^ least(i.attempts, 30), ${parkSecondsMax})) * interval '1 second'
          from (
            select * from unnest(
              ${keys.map((key) => key.account_id)}::text[],
              ${keys.map((key) => key.livemode)}::boolean[],
              ${keys.map((key) => key.id)}::text[]
            ) as k (account_id, livemode, id) order by id
          ) n
          where i.account_id = n.account_id and i.livemode = n.livemode and i.id = n.id
            and i.next_action_at is not null`.pipe(Effect.orDie, Effect.asVoid)
      )

      return PoisonInvoices.of({ vitals, park })
    })
  )
}
