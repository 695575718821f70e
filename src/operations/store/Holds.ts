/* Held ranges: after a restore, a range gives no number until the operator confirms the authority's last number. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccountMode } from "../../../schemas/Account.ts"
import { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import { ResolutionId } from "../../../schemas/Id.ts"
import { lastNumberFault } from "../../documents/rules/parties/ResolutionRules.ts"
import { AuditLog, operator } from "../../accounts/store/AuditLog.ts"
import { ofKey } from "../../database/Keys.ts"
import * as Query from "../../database/Query.ts"

const Held = Schema.Struct({
  ...AccountMode.fields,
  id: ResolutionId,
  document_type: DocumentKind,
  prefix: Schema.String,
  from_number: Schema.BigInt,
  to_number: Schema.BigInt,
  next_number: Schema.BigInt,
  held_since: Schema.Date,
  is_current: Schema.Boolean
})

/** A held range. `is_current`: the range is active, and its last day is yesterday or later. */
export type HeldRange = typeof Held.Type

/** The held ranges, by account and mode. */
export const held = Query.allIn(
  Held,
  (sql) => sql`
    select account_id, livemode, id, document_type, prefix, from_number, to_number, next_number, held_since,
      is_active and valid_to >= current_date - 1 as is_current
    from resolutions where held_since is not null order by account_id, livemode, id`
)

/** The number of drafts that wait for the release of a range, by account and mode. */
export const draftsHeld = Query.allIn(
  Schema.Struct({ ...AccountMode.fields, count: Schema.Int }),
  (sql) => sql`
    select account_id, livemode, count(*)::integer as count from invoices
    where state = 'queued' and waiting ->> 'code' = 'numbering_held' group by account_id, livemode`
)

const draftsTold = 5

/**
 * The drafts in the backup, by account and mode: their number and the first ids. They may have been issued after the
 * backup, with numbers that this database does not contain.
 */
export const draftsOfBackup = Query.allIn(
  Schema.Struct({ ...AccountMode.fields, count: Schema.Int, ids: Schema.Array(Schema.String) }),
  (sql) => sql`
    select account_id, livemode, count(*)::integer as count, (array_agg(id order by id))[1:${sql.literal(String(draftsTold))}] as ids
    from invoices where state = 'queued' and created_at <= (select max(coalesce(taken_at, restored_at)) from restores)
      and exists (
        select from resolutions r where r.account_id = invoices.account_id and r.livemode = invoices.livemode
          and r.held_since is not null
      )
    group by account_id, livemode order by account_id, livemode`
)

/** The time of this database's last restore, and of its backup; none if the database was never restored. */
export const lastRestore = Query.firstIn(
  Schema.Struct({ taken_at: Schema.NullOr(Schema.Date), restored_at: Schema.Date }),
  (sql) => sql`select taken_at, restored_at from restores order by number desc limit 1`
)

/** An error for a range that cannot continue after a number. The message is one line with the fix. */
export class NotResumed extends Schema.TaggedError<NotResumed>()("NotResumed", { message: Schema.String }) {}

/**
 * Resumes a held range after `last`: the authority's last number of the range, or the number before the range's first.
 * Records the numbers between the last one in this database and `last` as lost. Wakes the waiting drafts. Returns the
 * counts of lost numbers and of woken drafts. Fails with `NotResumed` if `last` cannot be the last number, or if the
 * range is not held.
 */
export const resume = Effect.fn("Holds.resume")(function* (range: HeldRange, last: bigint) {
  const sql = yield* SqlClient.SqlClient
  const audit = yield* AuditLog
  const { account_id, id, livemode } = range
  const account = { account_id, livemode }
  const body = Effect.gen(function* () {
    const rows = yield* Query.all(
      Schema.Struct({ from_number: Schema.BigInt, to_number: Schema.BigInt, next_number: Schema.BigInt }),
      () => sql`
        select from_number, to_number, next_number from resolutions
        where ${ofKey(sql, range)} and held_since is not null for update`
    )()
    const stands = rows[0]
    if (stands === undefined)
      return yield* new NotResumed({ message: `The range ${id} is not paused: it gives numbers.` })
    const fault = lastNumberFault(stands, last)
    if (fault !== undefined) {
      const message = `${fault} Find the last document with the prefix ${JSON.stringify(range.prefix)} at the tax authority, and enter its number.`
      return yield* new NotResumed({ message })
    }
    const known = stands.next_number - 1n
    yield* sql`update resolutions set held_since = null, next_number = ${last + 1n} where ${ofKey(sql, range)}`
    if (last > known) {
      const lost = { account_id, livemode, resolution_id: id, from_number: known + 1n, to_number: last }
      yield* sql`insert into lost_numbers ${sql.insert(lost)}`
    }
    yield* audit.record(account, operator, "resolution.resumed", id, {
      last_number: Number(last),
      lost_numbers: Number(last - known)
    })
    // Also wakes the drafts of other held ranges, which then wait again.
    const woken = yield* sql`
      update invoices set attempts = 0, next_action_at = now(), waiting = null, waiting_since = null
      where account_id = ${account_id} and livemode = ${livemode} and state = 'queued' and waiting ->> 'code' = 'numbering_held'
      returning 1`
    return { lost: last - known, woken: woken.length }
  })
  return yield* Effect.catchTag(sql.withTransaction(body), "SqlError", Effect.die)
})

/**
 * Prepares a restored database, which lacks the changes after its backup. Holds all ranges with numbers left. Marks
 * signed documents as submitted, so that Folio asks the authority about a document before it sends the document. Runs
 * in the caller's transaction.
 *
 * @param taken.transaction a number greater than the transactions of all events in the backup
 */
export const standStill = Effect.fn("Holds.standStill")(function* (taken: {
  readonly at: string | null
  readonly transaction: bigint
}) {
  const sql = yield* SqlClient.SqlClient
  // Adds far more transactions than a server begins between a backup and its restore.
  const ahead = taken.transaction + 2n ** 40n
  yield* sql`
    insert into restores (number, taken_at, restored_at, transaction_base)
    select coalesce(max(number), 0) + 1, ${taken.at}::text::timestamptz, now(),
      greatest(${ahead}::bigint, coalesce(max(transaction_base), 0) + ${2n ** 40n}::bigint)
    from restores`
  yield* sql`update resolutions set held_since = now() where held_since is null and next_number <= to_number`
  yield* sql`
    update invoices set submitted_at = now()
    where state in ('signed', 'accepted_contingency') and submitted_at is null`
})

/** `standStill` in its own transaction, for a database that another program than `folio restore` has restored. */
export const hold = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.withTransaction(standStill({ at: null, transaction: 0n }))
)
