import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { Limits } from "../../runtime/Limits.ts"
import * as Query from "../../database/Query.ts"
import { idempotencyWindow } from "../../accounts/store/Idempotency.ts"

/** The days for which the request log keeps a request. */
const requestDays = 7

/** The days for which an ended portal session is listed. */
const portalSessionDays = 7

/** The largest number of rows that one statement removes, so that its locks last only milliseconds. */
export const purgeBatchMax = 500

// The time after the idempotency window in which a key stays. No request uses an older key, so no request waits for
// the purge.
const keyMargin = "1 hour"

/**
 * Removes rows past their retention: one effect for each table, to run in this order. Each effect removes one batch, by
 * the database's clock, and returns its size. It skips rows that another transaction has locked, so that several
 * processes can purge concurrently.
 */
export class Retention extends Context.Service<Retention>()("folio/operations/store/Retention", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { auditRetentionDays, retentionDays: days } = yield* Limits
    const daysAgo = (count: number) => sql`now() - ${count} * interval '1 day'`
    const past = daysAgo(days)

    // The plan must read the index in order and stop at the batch size. A bitmap scan would read all expired rows.
    const inOrder = sql`set local enable_bitmapscan = off`
    const remove = Query.one(Schema.Struct({ count: Schema.BigInt }), (statement: Statement.Statement<unknown>) =>
      sql.withTransaction(Effect.andThen(inOrder, statement))
    )
    const count = (statement: Statement.Statement<unknown>) => Effect.map(remove(statement), (row) => Number(row.count))

    /**
     * Removes the rows of a table with ids made before `until`, by account. Ids begin with their time, in base 32. So
     * the primary key finds these rows without an index by time.
     */
    const purge = (table: string, prefix: string, condition: Statement.Fragment, also = sql``, until = past) =>
      count(sql`
        with bound as (
          select ${prefix} || string_agg(
            substr('0123456789abcdefghjkmnpqrstvwxyz', ((millis >> (5 * place)) & 31)::integer + 1, 1), '' order by place desc
          ) as id
          from generate_series(0, 9) place, (select (extract(epoch from ${until}) * 1000)::bigint as millis) moment
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
        ),
        ${also}
        gone as (
          delete from ${sql.literal(table)} t using old
          where t.account_id = old.account_id and t.livemode = old.livemode and t.id = old.id
          returning 1
        )
        select count(*) from gone`)

    /** Removes the rows of a table that match a condition, in the order of `by`. */
    const oldest = (
      table: string,
      key: readonly [column: string, ...others: ReadonlyArray<string>],
      by: Statement.Fragment,
      condition: Statement.Fragment
    ) =>
      count(sql`
        with old as materialized (
          select ${sql.literal(key.join(", "))} from ${sql(table)}
          where ${condition} order by ${by} limit ${purgeBatchMax} for update skip locked
        ),
        gone as (
          delete from ${sql(table)} t using old
          where ${sql.and(key.map((column) => sql`t.${sql(column)} = old.${sql(column)}`))} returning 1
        )
        select count(*) from gone`)

    const keyEnd = sql`least(revoked_at, expires_at)`

    return {
      idempotency_keys: oldest(
        "idempotency_keys",
        ["api_key_id", "value"],
        sql`completed_at`,
        sql`completed_at < now() - interval '${sql.literal(idempotencyWindow)}' - interval '${sql.literal(keyMargin)}'`
      ),
      /**
       * API keys that ended before the days of retention and have no stored response left. A platform's key and its
       * rows in the platform's accounts stay as long as the audit log, which names them.
       */
      api_keys: oldest(
        "api_keys",
        ["id"],
        keyEnd,
        sql`
          ${keyEnd} < ${past} and not exists (select from idempotency_keys i where i.api_key_id = api_keys.id)
          and (platform_key is null or ${keyEnd} < ${daysAgo(Math.max(days, auditRetentionDays))})
          and not exists (select from api_keys a where a.platform_key = api_keys.id)`
      ),
      /** Finished deliveries without a change in the days of retention, with their attempts. Runs before `events`. */
      deliveries: purge(
        "deliveries",
        "whd_",
        sql`t.status <> 'pending' and t.updated_at < ${past}`,
        sql`
          log as (
            delete from attempts a using old
            where a.account_id = old.account_id and a.livemode = old.livemode and a.delivery_id = old.id
          ),`
      ),
      /** Events that are older than the days of retention and have no delivery left. */
      events: purge(
        "events",
        "evt_",
        sql`t.created_at < ${past} and (
          select true from deliveries d
          where d.event_id = t.id and d.account_id = t.account_id and d.livemode = t.livemode limit 1
        ) is null`
      ),
      requests: purge("requests", "req_", sql`true`, sql``, daysAgo(requestDays)),
      portal_sessions: purge(
        "portal_sessions",
        "ps_",
        sql`least(t.ended_at, t.closes_at) < ${daysAgo(portalSessionDays)}`,
        sql``,
        daysAgo(portalSessionDays)
      ),
      /** The data on acquirers that the authority returned more than a day ago. */
      acquirers: oldest(
        "acquirers",
        ["account_id", "livemode", "identification_type", "identification_number"],
        sql`asked_at`,
        sql`asked_at < now() - interval '1 day'`
      ),
      /** The signed bytes of test documents with an outcome before the days of retention. Their numbers stay taken. */
      enablement_documents: count(sql`
        with old as materialized (
          select account_id, livemode, prefix, number from enablement_documents
          where signed is not null and judged_at < ${past} order by judged_at limit ${purgeBatchMax} for update skip locked
        ),
        gone as (
          update enablement_documents d set signed = null from old
          where (d.account_id, d.livemode, d.prefix, d.number) = (old.account_id, old.livemode, old.prefix, old.number)
          returning 1
        )
        select count(*) from gone`),
      /** Incidents that ended before the days of retention, with their alerts. */
      incidents: oldest("incidents", ["id"], sql`ended_at`, sql`ended_at < ${past}`),
      notices: purge("notices", "ntc_", sql`t.ended_at < ${past}`),
      /** Sealed entries of the audit log past their days of retention. The database keeps entries for 30 days. */
      audit_log: count(sql`select purge_audit_log(${purgeBatchMax}, ${auditRetentionDays}) as count`)
    }
  })
}) {
  static readonly layer = Layer.effect(Retention, Retention.make)
}
