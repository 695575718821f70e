import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AuthorityError, DocumentKind } from "../../../schemas/FiscalDocument.ts"
import { AccountId } from "../../../schemas/Id.ts"
import { type TestDocumentState, testDocumentStates } from "../rules/Plan.ts"
import * as AccountView from "../../database/AccountView.ts"
import { columnsOf, ofAccount } from "../../database/Keys.ts"
import * as Query from "../../database/Query.ts"
import { Workers } from "../../database/Workers.ts"
import type { EnablementKey } from "./Enablements.ts"

const Row = Schema.Struct({
  account_id: AccountId,
  enablement_id: Schema.String,
  prefix: Schema.String,
  number: Schema.BigInt,
  full_number: Schema.String,
  kind: DocumentKind,
  place: Schema.Int,
  run: Schema.Int,
  version: Schema.Int,
  state: Schema.Literals(testDocumentStates),
  cufe: Schema.String,
  issue_date: Schema.String,
  issuer_nit: Schema.String,
  attempts: Schema.Int,
  asked: Schema.Int,
  zip_key: Schema.NullOr(Schema.String),
  errors: Schema.Array(AuthorityError),
  notifications: Schema.Array(AuthorityError),
  message: Schema.NullOr(Schema.String),
  created_at: Schema.Date,
  sent_at: Schema.NullOr(Schema.Date),
  judged_at: Schema.NullOr(Schema.Date)
})
/** A document of a test set, without its signed bytes. */
export type StoredTestDocument = typeof Row.Type

const LoadedRow = Schema.Struct({
  ...Row.fields,
  /** Milliseconds until the next step of an open document. Null for a document with an outcome. */
  due_ms: Schema.NullOr(Schema.Finite),
  /**
   * Milliseconds that a sent document has waited for its verdict while the authority responded. Null for other
   * documents.
   */
  waited_ms: Schema.NullOr(Schema.Finite)
})
/** A document of a test set with its waiting times, by the database's clock. */
export type LoadedTestDocument = typeof LoadedRow.Type

/** A document to store, with its number and its signed bytes. */
export type NewTestDocument = Pick<
  StoredTestDocument,
  "prefix" | "number" | "full_number" | "kind" | "place" | "run" | "cufe" | "issue_date" | "issuer_nit"
> & { readonly signed: Uint8Array }

/** A change of an open document. An omitted field keeps its value. */
export interface TestDocumentChange {
  readonly state: TestDocumentState
  /** The next call may send the document to the authority. */
  readonly attempt?: true
  /** Folio has asked the authority for the verdict. */
  readonly asked?: true
  readonly zip_key?: string
  readonly errors?: ReadonlyArray<AuthorityError>
  readonly notifications?: ReadonlyArray<AuthorityError>
  readonly message?: string
  /** Milliseconds until the next step of a document that stays open. */
  readonly nextMs?: number
}

/**
 * Makes the functions for the documents of test sets. Each step compares the version of the row, so that only one of
 * two processes takes the step.
 */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const workers = yield* Workers
  const columns = columnsOf(sql, Row, "d")
  const live = (account_id: AccountId) => ofAccount(sql, { account_id, livemode: true })
  const ofSet = ({ account_id, id }: EnablementKey) =>
    sql`d.account_id = ${account_id} and d.livemode and d.enablement_id = ${id}`

  const all = Query.all(
    LoadedRow,
    (key: EnablementKey) => sql`
      select ${columns}, (extract(epoch from d.next_action_at - now()) * 1000)::float8 as due_ms,
        case when d.state = 'sent' then (extract(epoch from now() - greatest(d.sent_at, e.answering_since)) * 1000)::float8 end
          as waited_ms
      from enablement_documents d
      join enablements e on e.account_id = d.account_id and e.livemode = d.livemode and e.id = d.enablement_id
      where ${ofSet(key)} order by d.created_at, d.number`
  )
  const taken = Query.all(
    Schema.Struct({ number: Schema.Finite, state: Schema.Literals(testDocumentStates) }),
    (account_id: AccountId, prefix: string) => sql`
      select number::float8 as number, state from enablement_documents where ${live(account_id)} and prefix = ${prefix} order by number`
  )
  const bytes = Query.one(
    Schema.Struct({ signed: Schema.Uint8Array }),
    ({ account_id, number, prefix }: StoredTestDocument) => sql`
      select signed from enablement_documents where ${live(account_id)} and prefix = ${prefix} and number = ${number}`
  )

  return {
    /** All documents of a test set, in order of their creation. */
    all: Effect.fn("TestDocuments.all")(all),
    /** All documents of a test set, read in a transaction of `AccountView`. */
    ofAccount: Effect.fn("TestDocuments.ofAccount")((key: EnablementKey) =>
      AccountView.within(sql, { account_id: key.account_id, livemode: true })(all(key))
    ),
    /**
     * The taken numbers of a prefix with the states of their documents, in order, over all test sets of the account.
     */
    taken: Effect.fn("TestDocuments.taken")(taken),
    /**
     * Takes the number and stores the signed document. Returns false and stores nothing if the number is taken, or if
     * another process works on the test set.
     */
    insert: Effect.fn("TestDocuments.insert")(({ account_id, id }: EnablementKey, document: NewTestDocument) => {
      const row = { account_id, livemode: true, enablement_id: id, state: "signed", ...document }
      const names = Object.keys(row)
      return Query.isAny(sql`
        insert into enablement_documents (${sql.literal(names.join(", "))}, next_action_at)
        select ${sql.csv(Object.values(row).map((value) => sql`${value}`))}, now() from enablements
        where ${live(account_id)} and id = ${id} and status = 'running' and worker = ${workers.id}
        on conflict do nothing returning number`)
    }),
    /** The signed bytes of a document. */
    signed: Effect.fn("TestDocuments.signed")((document: StoredTestDocument) =>
      Effect.map(bytes(document), ({ signed }) => signed)
    ),
    /** Carries out one step of an open document. Returns false if another process was faster. */
    move: Effect.fn("TestDocuments.move")((document: StoredTestDocument, change: TestDocumentChange) => {
      const { account_id, number, prefix, version } = document
      const { asked, attempt, errors, message, nextMs, notifications, state, zip_key } = change
      const isOpen = state === "signed" || state === "sent"
      return Query.isAny(sql`
        update enablement_documents set version = version + 1, state = ${state},
          attempts = attempts + ${attempt === true ? 1 : 0}, asked = asked + ${asked === true ? 1 : 0},
          sent_at = case when ${attempt === true} then now() else sent_at end,
          zip_key = coalesce(${zip_key ?? null}, zip_key), message = case when ${isOpen} then coalesce(${message ?? null}::text, message) else ${message ?? null}::text end,
          errors = coalesce(${errors === undefined ? null : JSON.stringify(errors)}::jsonb, errors),
          notifications = coalesce(${notifications === undefined ? null : JSON.stringify(notifications)}::jsonb, notifications),
          judged_at = case when ${isOpen} then null else now() end,
          next_action_at = case when ${isOpen} then now() + ${nextMs ?? 0}::float8 * interval '1 millisecond' end
        where ${live(account_id)} and prefix = ${prefix} and number = ${number} and version = ${version}
          and state in ('signed', 'sent')
        returning number`)
    })
  }
})
