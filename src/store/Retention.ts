import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { idempotencyWindow } from "./IdempotencyKeys.ts"

/** For how many days events, what was done to deliver them, and API keys that have ended are kept. Invoices, documents and transitions are for ever. */
export class RetentionDays extends Context.Reference<number>("folio/store/RetentionDays", {
  defaultValue: () => 30
}) {}

/** The largest number of rows of which one statement takes leave, so that its locks are held for milliseconds. */
export const purgeBatchMax = 500

// Beyond the window, in which no request finds the key: nobody waits for the row that goes.
const keyMargin = "1 hour"

/**
 * Rows past their time. Each call removes one batch, by the database's clock, and gives its size; rows that somebody else has
 * locked are left for the next time, so any number may purge at once and none of them waits.
 */
export class Retention extends Context.Service<
  Retention,
  {
    readonly purgeIdempotencyKeys: Effect.Effect<number>
    /** Finished deliveries that have not changed for the days of retention, with their attempts. */
    readonly purgeDeliveries: Effect.Effect<number>
    /** Events as old as that of which no delivery is left. */
    readonly purgeEvents: Effect.Effect<number>
    /** API keys that ended as long ago, once no answer is kept for them. */
    readonly purgeApiKeys: Effect.Effect<number>
    /** Entries of the audit log that are older than 400 days: the database keeps all others. */
    readonly purgeAuditLog: Effect.Effect<number>
  }
>()("folio/store/Retention") {
  static readonly layer = Layer.effect(
    Retention,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const days = yield* RetentionDays
      const past = sql`now() - ${days} * interval '1 day'`
      const decode = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.BigInt })]))

      /**
       * The candidates of a table: from the start of each account's part of the primary key up to the ids of `past`. Ids begin
       * with their time, in base 32, so no index by time is needed.
       */
      const oldest = (table: string, prefix: string, condition: Statement.Fragment) => sql`
        bound as (
          select ${prefix} || string_agg(
            substr('0123456789abcdefghjkmnpqrstvwxyz', ((millis >> (5 * place)) & 31)::integer + 1, 1), '' order by place desc
          ) as id
          from generate_series(0, 9) place, (select (extract(epoch from ${past}) * 1000)::bigint as millis) moment
        ),
        old as materialized (
          select o.* from accounts a
          cross join (values (false), (true)) as mode (livemode)
          cross join lateral (
            select t.account_id, t.livemode, t.id from ${sql.literal(table)} t
            where t.account_id = a.id and t.livemode = mode.livemode and t.id < (select id from bound)
              and ${condition} order by t.id limit ${purgeBatchMax} for update skip locked
          ) o
          limit ${purgeBatchMax}
        )`

      // In the order of the index, as far as the batch goes: a bitmap would be made of all that is past, for every batch.
      const inOrder = sql`set local enable_bitmapscan = off`

      const count = Effect.fnUntraced(function* (statement: Statement.Statement<unknown>) {
        const [{ count: removed }] = yield* Effect.flatMap(
          sql.withTransaction(Effect.andThen(inOrder, statement)),
          decode
        )
        return Number(removed)
      }, Effect.orDie)

      return Retention.of({
        purgeAuditLog: count(sql`select purge_audit_log(${purgeBatchMax}) as count`),
        purgeApiKeys: count(sql`
          with old as materialized (
            select k.id from api_keys k
            where least(k.revoked_at, k.expires_at) < ${past}
              and not exists (select from idempotency_keys i where i.api_key_id = k.id)
            order by least(k.revoked_at, k.expires_at) limit ${purgeBatchMax} for update skip locked
          ),
          gone as (delete from api_keys k using old where k.id = old.id returning 1)
          select count(*) from gone`),
        purgeIdempotencyKeys: count(sql`
          with old as materialized (
            select api_key_id, value from idempotency_keys
            where completed_at < now() - interval '${sql.literal(idempotencyWindow)}' - interval '${sql.literal(keyMargin)}'
            order by completed_at limit ${purgeBatchMax} for update skip locked
          ),
          gone as (
            delete from idempotency_keys k using old where k.api_key_id = old.api_key_id and k.value = old.value returning 1
          )
          select count(*) from gone`),
        purgeDeliveries: count(sql`
          with ${oldest("deliveries", "whd_", sql`t.status <> 'pending' and t.updated_at < ${past}`)},
          log as (
            delete from attempts a using old
            where a.account_id = old.account_id and a.livemode = old.livemode and a.delivery_id = old.id
          ),
          gone as (
            delete from deliveries d using old
            where d.account_id = old.account_id and d.livemode = old.livemode and d.id = old.id
            returning 1
          )
          select count(*) from gone`),
        purgeEvents: count(sql`
          with ${oldest(
            "events",
            "evt_",
            sql`t.created_at < ${past} and (
              select true from deliveries d
              where d.event_id = t.id and d.account_id = t.account_id and d.livemode = t.livemode limit 1
            ) is null`
          )},
          gone as (
            delete from events e using old
            where e.account_id = old.account_id and e.livemode = old.livemode and e.id = old.id
            returning 1
          )
          select count(*) from gone`)
      })
    })
  )
}

/** Each table with what purges it, deliveries before the events that they are of. */
export const purges = (retention: Retention["Service"]) =>
  [
    ["idempotency_keys", retention.purgeIdempotencyKeys],
    ["api_keys", retention.purgeApiKeys],
    ["deliveries", retention.purgeDeliveries],
    ["events", retention.purgeEvents],
    ["audit_log", retention.purgeAuditLog]
  ] as const
