import { Effect, Exit, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { AccountMode } from "../../schemas/Account.ts"
import { AccountId } from "../../schemas/Id.ts"
import { shareFullNumber } from "../domain/ResolutionRules.ts"
import { certificatePlace } from "./Certificates.ts"
import { Secrets } from "./Secrets.ts"
import { secretPlace } from "./WebhookEndpoints.ts"

/* What an operator should know of, read without changing anything. */

const secretsMax = 1_000

/** What the canary is sealed for. */
export const canaryPlace = "key_canary"

/** Secrets at rest, of endpoints and certificates, and the canary: how many were looked at, and how many of them this key does not open. Asks for `Secrets`. */
export const unopenedSecrets = Effect.gen(function* () {
  const secrets = yield* Secrets
  const rows = yield* storedSecrets
  const results = yield* Effect.forEach(rows, ({ place, secret }) => Effect.exit(secrets.open(secret, place)))
  return { looked: rows.length, unopened: results.filter(Exit.isFailure).length }
})

/** A sample of the secrets as they are stored, each with the place that it is sealed for. */
export const storedSecrets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const find = SqlSchema.findAll({
    Request: Schema.Literals(["webhook_endpoints", "certificates", "key_canary"]),
    Result: Schema.Struct({ id: Schema.String, secret: Schema.String }),
    execute: (table) => {
      if (table === "key_canary") return sql`select '' as id, sealed as secret from key_canary`
      return table === "certificates"
        ? sql`select id, sealed as secret from certificates order by created_at desc limit ${secretsMax}`
        : sql`select id, secret from webhook_endpoints order by created_at desc limit ${secretsMax}`
    }
  })
  const [endpoints, certificates, canary] = yield* Effect.orDie(
    Effect.all([find("webhook_endpoints"), find("certificates"), find("key_canary")])
  )
  return [
    ...canary.map(({ secret }) => ({ place: canaryPlace, secret })),
    ...endpoints.map(({ id, secret }) => ({ place: secretPlace(id), secret })),
    ...certificates.map(({ id, secret }) => ({ place: certificatePlace(id), secret }))
  ]
})

/** What each live account signs with: the newest certificate that is valid, else the newest; and for how many days it is. */
export const certificates = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* SqlSchema.findAll({
    Request: Schema.Void,
    Result: Schema.Struct({
      account_id: AccountId,
      subject: Schema.String,
      not_after: Schema.Date,
      days: Schema.Int
    }),
    execute: () => sql`
      select distinct on (account_id) account_id, subject, not_after,
        floor(extract(epoch from not_after - now()) / 86400)::integer as days
      from certificates where livemode
      order by account_id, not_before <= now() and now() < not_after desc, id desc`
  })(undefined).pipe(Effect.orDie)
})

/** For each account, mode and kind of document that has ranges: how many numbers are left, of how many, and until when. */
export const ranges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* SqlSchema.findAll({
    Request: Schema.Void,
    Result: Schema.Struct({
      ...AccountMode.fields,
      document_type: Schema.String,
      left: Schema.BigInt,
      size: Schema.BigInt,
      days: Schema.NullOr(Schema.Int)
    }),
    execute: () => sql`
      select account_id, livemode, document_type,
        coalesce(sum(to_number - next_number + 1) filter (where usable), 0)::bigint as left,
        sum(to_number - from_number + 1)::bigint as size,
        max(valid_to - today) filter (where usable) as days
      from (
        select r.*, is_active and next_number <= to_number and today between valid_from and valid_to as usable
        from (select *, (now() at time zone 'America/Bogota')::date as today from resolutions where is_active) r
      ) r
      group by account_id, livemode, document_type order by account_id, livemode, document_type`
  })(undefined).pipe(Effect.orDie)
})

const sharedMax = 100

/** Documents that were issued under one full number, before the database refused that. */
export const twins = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* SqlSchema.findAll({
    Request: Schema.Void,
    Result: Schema.Struct({ full_number: Schema.String, ids: Schema.Array(Schema.String) }),
    execute: () => sql`
      select t.full_number, array(
        select i.id from invoices i
        where i.full_number = t.full_number and i.account_id = t.account_id and i.livemode = t.livemode and i.kind = t.kind
        order by i.twin
      ) as ids
      from invoices t where t.twin = 1 and t.full_number > '' limit ${sharedMax}`
  })(undefined).pipe(Effect.orDie)
})

/** Ranges in use that can give one full number: registered before that was refused. */
export const meetingRanges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const Range = Schema.Struct({
    id: Schema.String,
    prefix: Schema.String,
    from_number: Schema.BigIntFromString,
    to_number: Schema.BigIntFromString
  })
  const range = (table: string) => {
    const name = sql.literal(table)
    return sql`
      json_build_object('id', ${name}.id, 'prefix', ${name}.prefix, 'from_number', ${name}.from_number::text,
        'to_number', ${name}.to_number::text)`
  }
  const pairs = yield* SqlSchema.findAll({
    Request: Schema.Void,
    Result: Schema.Struct({ one: Range, other: Range }),
    execute: () => sql`
      select ${range("a")} as one, ${range("b")} as other
      from resolutions a
      join resolutions b on b.account_id = a.account_id and b.livemode = a.livemode and b.document_type = a.document_type
        and b.id <> a.id and starts_with(b.prefix, a.prefix) and (b.prefix <> a.prefix or b.id > a.id
          and a.from_number <= b.to_number and b.from_number <= a.to_number)
      where a.is_active and b.is_active`
  })(undefined).pipe(Effect.orDie)
  return pairs.filter(({ one, other }) => shareFullNumber(one, other)).slice(0, sharedMax)
})

const stuckAttempts = 8

const idsOf = (rows: Effect.Effect<ReadonlyArray<unknown>, unknown>) =>
  rows.pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String })))),
    Effect.map((found) => found.map(({ id }) => id)),
    Effect.orDie
  )

/** Endpoints that fail, and invoices on which the service has stumbled so often that somebody should look. */
export const failing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    endpoints: yield* idsOf(
      sql`select id from webhook_endpoints where failing_since < now() - interval '1 hour' limit 100`
    ),
    invoices: yield* idsOf(sql`
      select id from invoices where next_action_at is not null and attempts >= ${stuckAttempts} limit 100`)
  }
})
