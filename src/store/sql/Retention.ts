import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { Limits } from "../../settings/Limits.ts"
import * as Query from "./Query.ts"
import { idempotencyWindow } from "../accounts/Idempotency.ts"

/** The days for which the request log keeps a request. */
const requestDays = 7

/** The days for which a session of the portal is listed after it ended. */
const portalSessionDays = 7

/** The largest number of rows that one statement removes, so that its locks are held for milliseconds. */
export const purgeBatchMax = 500

// Time beyond the idempotency window: no request finds a key that the purge deletes, so no request waits for the deleted row.
const keyMargin = "1 hour"

/**
 * Removes rows past their retention. Each effect removes one batch, by the database's clock, and returns its size. Rows locked by
 * another transaction are skipped until a later call, so that any number of processes can purge at once without waiting.
 */
export class Retention extends Context.Service<Retention>()("folio/store/Retention", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { retentionDays: days } = yield* Limits
    const daysAgo = (count: number) => sql`now() - ${count} * interval '1 day'`
    const past = daysAgo(days)

    // The plan must read the index in order and stop at the batch size: a bitmap scan would collect every expired row each time.
    const inOrder = sql`set local enable_bitmapscan = off`
    const remove = Query.one(Schema.Struct({ count: Schema.BigInt }), (statement: Statement.Statement<unknown>) =>
      sql.withTransaction(Effect.andThen(inOrder, statement))
    )
    const count = (statement: Statement.Statement<unknown>) => Effect.map(remove(statement), (row) => Number(row.count))

    /**
     * Removes the `old` rows of a table: from the start of each account's part of the primary key up to the ids made at `until`. Ids
     * begin with their time, in base 32, so no index by time is needed.
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

    return {
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
      /** Removes finished deliveries that have not changed for the days of retention, with their attempts. */
      purgeDeliveries: purge(
        "deliveries",
        "whd_",
        sql`t.status <> 'pending' and t.updated_at < ${past}`,
        sql`
          log as (
            delete from attempts a using old
            where a.account_id = old.account_id and a.livemode = old.livemode and a.delivery_id = old.id
          ),`
      ),
      /** Removes events that are older than the days of retention and have no delivery left. */
      purgeEvents: purge(
        "events",
        "evt_",
        sql`t.created_at < ${past} and (
          select true from deliveries d
          where d.event_id = t.id and d.account_id = t.account_id and d.livemode = t.livemode limit 1
        ) is null`
      ),
      /** Removes from the request log the requests that are past their days. */
      purgeRequests: purge("requests", "req_", sql`true`, sql``, daysAgo(requestDays)),
      /** Removes sessions of the portal that are past their days. */
      purgePortalSessions: purge(
        "portal_sessions",
        "ps_",
        sql`least(t.ended_at, t.closes_at) < ${daysAgo(portalSessionDays)}`,
        sql``,
        daysAgo(portalSessionDays)
      ),
      /** Removes API keys that ended more than the days of retention ago and have no stored answer left. */
      purgeApiKeys: count(sql`
        with old as materialized (
          select k.id from api_keys k
          where least(k.revoked_at, k.expires_at) < ${past}
            and not exists (select from idempotency_keys i where i.api_key_id = k.id)
          order by least(k.revoked_at, k.expires_at) limit ${purgeBatchMax} for update skip locked
        ),
        gone as (delete from api_keys k using old where k.id = old.id returning 1)
        select count(*) from gone`),
      /** Removes what the authority said of acquirers more than a day ago. */
      purgeAcquirers: count(sql`
        with old as materialized (
          select account_id, livemode, identification_type, identification_number from acquirers
          where asked_at < now() - interval '1 day' order by asked_at limit ${purgeBatchMax} for update skip locked
        ),
        gone as (
          delete from acquirers a using old
          where (a.account_id, a.livemode, a.identification_type, a.identification_number)
            = (old.account_id, old.livemode, old.identification_type, old.identification_number)
          returning 1
        )
        select count(*) from gone`),
      /** Removes the signed bytes of test documents whose outcome was known before the days of retention; their numbers stay taken. */
      purgeTestDocuments: count(sql`
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
      /** Removes incidents that ended before the days of retention, with what was told of them. */
      purgeIncidents: count(sql`
        with old as materialized (
          select id from incidents where ended_at < ${past} order by ended_at limit ${purgeBatchMax} for update skip locked
        ),
        gone as (delete from incidents i using old where i.id = old.id returning 1)
        select count(*) from gone`),
      /** Removes audit log entries that are older than 400 days; the database refuses to remove younger entries. */
      purgeAuditLog: count(sql`select purge_audit_log(${purgeBatchMax}) as count`)
    }
  })
}) {
  static readonly layer = Layer.effect(Retention, Retention.make)
}

/** Each table with the effect that purges it. Deliveries come before their events. */
export const purges = (retention: Retention["Service"]) =>
  [
    ["idempotency_keys", retention.purgeIdempotencyKeys],
    ["api_keys", retention.purgeApiKeys],
    ["deliveries", retention.purgeDeliveries],
    ["events", retention.purgeEvents],
    ["requests", retention.purgeRequests],
    ["portal_sessions", retention.purgePortalSessions],
    ["acquirers", retention.purgeAcquirers],
    ["enablement_documents", retention.purgeTestDocuments],
    ["incidents", retention.purgeIncidents],
    ["audit_log", retention.purgeAuditLog]
  ] as const
