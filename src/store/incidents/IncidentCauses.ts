import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import { AccountId } from "../../../schemas/Id.ts"
import { endsWithinDays, usedTenths } from "../../domain/incidents/Causes.ts"
import { oldestUnsettled } from "../sql/Backlog.ts"
import * as Query from "../sql/Query.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"

/** The most that one look reads of one kind. */
export const lookMax = 1_000

/** What one look found of a kind. `isAll`: `lookMax` left nothing out. */
export interface Found<A> {
  readonly rows: ReadonlyArray<A>
  readonly isAll: boolean
}

// Four attempts of a delivery take 36 minutes: who fails for an hour has lost an event that nobody sends again by itself.
const endpointFailsHours = 1
// Longer than most of the authority's pauses, and than the five minutes after which documents are issued in contingency.
const unreachableMinutes = 15
// A failure that is older says nothing of now: nobody has called since.
const recentMinutes = 15
/** Age in seconds at which a held event is reported to the operator: three times what a transaction of Folio may take. */
export const eventsHeldSeconds = 60
// So long a document that failed and was not retried is told of.
const failedDays = 7
const failedIdsMax = 5
const contingencyMax = 10_000
const accountsShown = 10

const owner = { account_id: AccountId, livemode: Schema.Boolean, issuer: Schema.NullOr(Schema.String) }

const Endpoint = Schema.Struct({ ...owner, id: Schema.String, since: Schema.Date })
const Certificate = Schema.Struct({ ...owner, id: Schema.String, not_after: Schema.Date, days: Schema.Int })
const Range = Schema.Struct({
  ...owner,
  id: Schema.String,
  document_type: Schema.String,
  prefix: Schema.String,
  left: Schema.Finite,
  size: Schema.Finite,
  valid_to: Schema.String,
  days: Schema.Int
})
const Held = Schema.Struct({ ...owner, id: Schema.String, prefix: Schema.String, since: Schema.Date })
const Trouble = Schema.Struct({ since: Schema.Date, trouble: AuthorityTrouble })
const Contingency = Schema.Struct({
  count: Schema.Int,
  since: Schema.NullOr(Schema.Date),
  deadline: Schema.NullOr(Schema.Date),
  left_ms: Schema.NullOr(Schema.Finite),
  account_ids: Schema.Array(Schema.String)
})
const Failed = Schema.Struct({ ...owner, count: Schema.Int, since: Schema.Date, ids: Schema.Array(Schema.String) })

/** What is wrong now, for whoever runs the service, by the database's clock. Each query reads what is wrong by an index, at most `lookMax` of it. */
export class IncidentCauses extends Context.Service<IncidentCauses>()("folio/store/IncidentCauses", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { localDate } = yield* NationalProfile

    const issuer = (table: string) => sql`(
      select coalesce(m.issuer ->> 'legal_name', m.name) from account_modes m
      where m.account_id = ${sql.literal(table)}.account_id and m.livemode = ${sql.literal(table)}.livemode) as issuer`

    /** Reads one more row than are given, which tells whether that is all. */
    const found = <R extends Schema.ConstraintDecoder<unknown>, A extends ReadonlyArray<unknown>>(
      row: R,
      query: (...args: A) => Statement.Fragment
    ) => {
      const read = Query.all(row, (...args: A) => sql`${query(...args)} limit ${lookMax + 1}`)
      return (...args: A): Effect.Effect<Found<R["Type"]>> =>
        Effect.map(read(...args), (rows) => ({ rows: rows.slice(0, lookMax), isAll: rows.length <= lookMax }))
    }

    const failing = found(
      Endpoint,
      () => sql`
        select account_id, livemode, ${issuer("e")}, id, failing_since as since from webhook_endpoints e
        where failing_since < now() - ${endpointFailsHours} * interval '1 hour' and is_active order by failing_since`
    )
    const full = found(
      Endpoint,
      () => sql`
        select account_id, livemode, ${issuer("e")}, id, full_since as since from webhook_endpoints e
        where full_since is not null and is_active order by full_since`
    )
    // One that another certificate of the account outlives is told of no more: signing takes the other when it ends.
    const certificates = found(
      Certificate,
      () => sql`
        select account_id, livemode, ${issuer("c")}, id, not_after,
          floor(extract(epoch from not_after - now()) / 86400)::integer as days
        from certificates c
        where not_after < now() + ${endsWithinDays + 1} * interval '1 day' and not exists (
          select from certificates o where o.account_id = c.account_id and o.livemode = c.livemode and o.id <> c.id
            and (o.not_after, o.id) > (c.not_after, c.id)
        )
        order by not_after desc`
    )
    // Every range in use is read, because an index that holds the counter would slow down numbering. A range whose successor has the same
    // prefix, numbers and days is told of no more; the subquery is made for the few that are low.
    const ranges = found(
      Range,
      (today: string) => sql`
        select account_id, livemode, ${issuer("r")}, id, document_type, prefix, left_over::float8 as left, size::float8 as size,
          to_char(valid_to, 'YYYY-MM-DD') as valid_to, valid_to - ${today}::date as days
        from (select r.*, to_number - next_number + 1 as left_over, to_number - from_number + 1 as size from resolutions r) r
        where is_active and ((next_number - from_number) * 10 >= size * ${usedTenths} or valid_to <= ${today}::date + ${endsWithinDays}::integer)
          and (
            select true from resolutions o
            where o.account_id = r.account_id and o.livemode = r.livemode and o.document_type = r.document_type
              and o.prefix = r.prefix and o.id <> r.id and o.is_active and o.valid_to > ${today}::date + ${endsWithinDays}::integer
              and (o.next_number - o.from_number) * 10 < (o.to_number - o.from_number + 1) * ${usedTenths} limit 1
          ) is null
        order by valid_to desc`
    )
    const held = found(
      Held,
      (today: string) => sql`
        select account_id, livemode, ${issuer("r")}, id, prefix, held_since as since from resolutions r
        where held_since is not null and is_active and valid_to >= ${today}::date order by held_since`
    )
    const unsettled = Query.all(
      Schema.Struct({ since: Schema.Date }),
      () => sql`
        select since from (select (${oldestUnsettled(sql)}) as since) e
        where since < now() - ${eventsHeldSeconds} * interval '1 second'`
    )
    const unreachable = Query.first(
      Trouble,
      () => sql`
        select failing_since as since, trouble from authority_circuits
        where name = 'live' and trouble is not null and failing_since < now() - ${unreachableMinutes} * interval '1 minute'
          and (failed_at > now() - ${recentMinutes} * interval '1 minute' or opened_at is not null)`
    )
    const contingency = Query.one(
      Contingency,
      () => sql`
        with waiting as (
          select account_id, contingency_since, transmit_before from invoices
          where state = 'accepted_contingency' and livemode order by created_at, id limit ${contingencyMax}
        )
        select count(*)::integer as count, min(contingency_since) as since, min(transmit_before) as deadline,
          (extract(epoch from min(transmit_before) - now()) * 1000)::float8 as left_ms,
          array(select distinct account_id from waiting order by account_id limit ${accountsShown}) as account_ids
        from waiting`
    )
    const failed = found(
      Failed,
      () => sql`
        select account_id, livemode, ${issuer("f")}, count, since, ids from (
          select account_id, livemode, count(*)::integer as count, min(updated_at) as since,
            (array_agg(id order by id))[1:${sql.literal(String(failedIdsMax))}] as ids
          from (
            select account_id, livemode, id, updated_at from invoices
            where state = 'failed' and failure ->> 'code' = 'internal_error'
              and updated_at > now() - ${failedDays} * interval '1 day'
            order by updated_at desc limit ${contingencyMax}
          ) i group by account_id, livemode
        ) f order by since`
    )

    return {
      /** Endpoints that have taken nothing for an hour. */
      failingEndpoints: Effect.withSpan(failing(), "IncidentCauses.failingEndpoints"),
      /** Endpoints for which so many deliveries wait that later ones are not attempted. */
      fullEndpoints: Effect.withSpan(full(), "IncidentCauses.fullEndpoints"),
      /** The last certificates of live accounts that end within 30 days, or have ended. */
      endingCertificates: Effect.withSpan(certificates(), "IncidentCauses.endingCertificates"),
      /** Ranges in use that are used or valid to nine tenths, or within 30 days of their end, and that no other range follows. */
      lowRanges: Effect.flatMap(Clock.currentTimeMillis, (now) => ranges(localDate(now))).pipe(
        Effect.withSpan("IncidentCauses.lowRanges")
      ),
      /** Ranges in use that give no number after a restore. */
      heldRanges: Effect.flatMap(Clock.currentTimeMillis, (now) => held(localDate(now))).pipe(
        Effect.withSpan("IncidentCauses.heldRanges")
      ),
      /** The oldest event that an older transaction has kept from being listed for a minute: one row, or none. */
      heldEvents: Effect.withSpan(unsettled(), "IncidentCauses.heldEvents"),
      /** The live authority, when no call has succeeded for a quarter of an hour and one has failed in the last. */
      unreachableAuthority: Effect.map(unreachable(), Option.toArray).pipe(
        Effect.withSpan("IncidentCauses.unreachableAuthority")
      ),
      /** Live documents that were issued in contingency and are not transmitted yet: one row, or none. */
      inContingency: contingency().pipe(
        Effect.map(({ since, ...rest }) => (since === null ? [] : [{ ...rest, since }])),
        Effect.withSpan("IncidentCauses.inContingency")
      ),
      /** For each account and mode the documents of the last 7 days that failed by a fault of the service. */
      failedDocuments: Effect.withSpan(failed(), "IncidentCauses.failedDocuments")
    }
  })
}) {
  static readonly layer = Layer.effect(IncidentCauses, IncidentCauses.make)
}
