import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import { AccountId } from "../../../schemas/Id.ts"
import { shareFullNumber } from "../../documents/rules/parties/ResolutionRules.ts"
import * as Query from "../../database/Query.ts"
import { Secrets } from "../../database/Secrets.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"
import { sealedColumns, sealedPage } from "./SealedValues.ts"

/* Read-only queries on the state of the service, for the operator. */

const secretsMax = 1_000

/** The place of the encrypted canary (see `Secrets`). */
export const canaryContext = "key_canary"

/**
 * The number of checked secrets. `unopened`: the number of secrets that `Secrets` did not open. `previous`: the number
 * of secrets that only its previous key opens.
 */
export const checkedSecrets = Effect.gen(function* () {
  const secrets = yield* Secrets
  const rows = yield* storedSecrets
  const keys = yield* Effect.forEach(rows, ({ place, secret }) => secrets.keyOf(secret, place))
  const count = (which: (typeof keys)[number]) => keys.filter((key) => key === which).length
  return { looked: rows.length, unopened: count(undefined), previous: count("previous") }
})

/** The canary, and a sample of the stored secrets, each with its place. */
export const storedSecrets = Effect.gen(function* () {
  const canary = yield* Query.allIn(
    Schema.Struct({ secret: Schema.String }),
    (sql) => sql`select sealed as secret from key_canary`
  )
  const pages = yield* Effect.forEach(sealedColumns, (column) => sealedPage(column, undefined, secretsMax))
  return [...canary.map((row) => ({ ...row, place: canaryContext })), ...pages.flatMap(({ values }) => values)]
})

const sharedMax = 100

const Range = Schema.Struct({
  id: Schema.String,
  prefix: Schema.String,
  from_number: Schema.BigIntFromString,
  to_number: Schema.BigIntFromString
})

/** Pairs of active ranges of one kind that share a full number. Only manual changes of the database cause pairs. */
export const meetingRanges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { numbering } = yield* NationalProfile
  const range = (table: string) => {
    const name = sql.literal(table)
    return sql`
      json_build_object('id', ${name}.id, 'prefix', ${name}.prefix, 'from_number', ${name}.from_number::text,
        'to_number', ${name}.to_number::text)`
  }
  const findPairs = Query.all(
    Schema.Struct({ one: Range, other: Range }),
    () => sql`
      select ${range("a")} as one, ${range("b")} as other
      from resolutions a
      join resolutions b on b.account_id = a.account_id and b.livemode = a.livemode and b.document_type = a.document_type
        and b.id <> a.id and starts_with(b.prefix, a.prefix) and (b.prefix <> a.prefix or b.id > a.id
          and a.from_number <= b.to_number and b.from_number <= a.to_number)
      where a.is_active and b.is_active`
  )
  return (yield* findPairs()).filter(({ one, other }) => shareFullNumber(one, other, numbering)).slice(0, sharedMax)
})

const stuckAttempts = 8

/** The ids of documents without an outcome after `stuckAttempts` attempts or more, at most 100. */
export const stuckInvoices = Effect.map(
  Query.allIn(
    Schema.Struct({ id: Schema.String }),
    (sql) => sql`select id from invoices where next_action_at is not null and attempts >= ${stuckAttempts} limit 100`
  ),
  (rows) => rows.map(({ id }) => id)
)

const refusedMax = 100

/**
 * The number of live documents that failed with `authority_refused` in the last seven days, by account, with the newest
 * message.
 */
export const refusals = Query.allIn(
  Schema.Struct({ account_id: AccountId, count: Schema.Int, newest: Schema.String }),
  (sql) => sql`
    select account_id, count(*)::integer as count, (array_agg(failure ->> 'message' order by updated_at desc))[1] as newest
    from invoices
    where livemode and state = 'failed' and failure ->> 'code' = 'authority_refused' and updated_at > now() - interval '7 days'
    group by account_id order by count desc, account_id limit ${refusedMax}`
)

/** The number of each account's numbered live documents that wait, by trouble. */
export const waitingDocuments = Query.allIn(
  Schema.Struct({
    account_id: AccountId,
    trouble: AuthorityTrouble,
    count: Schema.Int,
    since: Schema.Date,
    newest: Schema.String
  }),
  (sql) => sql`
    select account_id, waiting ->> 'code' as trouble, count(*)::integer as count, min(waiting_since) as since,
      (array_agg(waiting ->> 'message' order by waiting_since desc))[1] as newest
    from invoices where livemode and state <> 'queued' and next_action_at is not null and waiting is not null
    group by account_id, trouble order by count desc, account_id, trouble limit ${refusedMax}`
)

/** The time of the last `folio backup`, or of the last archived file of the server's log if that is later. */
export const lastBackup = Query.firstIn(
  Schema.Struct({ taken_at: Schema.Date, hours: Schema.Finite }),
  (sql) => sql`
    select at as taken_at, (extract(epoch from now() - at) / 3600)::float8 as hours
    from (select greatest((select taken_at from last_backup), (select last_archived_time from pg_stat_archiver)) as at) b
    where at is not null`
)
