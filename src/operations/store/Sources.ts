import { Clock, Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { findingFacts, FindingOwner } from "../../../schemas/Finding.ts"
import type { IncidentKind } from "../../../schemas/Incident.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"
import { endsWithinDays, usedTenths } from "../../documents/rules/parties/ResolutionRules.ts"
import { type Cause, causeOf } from "../rules/Causes.ts"
import * as Findings from "../rules/Findings.ts"
import { oldestUnsettled } from "./Backlog.ts"
import * as Query from "../../database/Query.ts"

/** The maximum number of rows that one source returns. */
const rowsMax = 1_000

/** The findings of one source. `isAll` is false if there are more rows than `rowsMax`. */
export interface Found {
  readonly causes: ReadonlyArray<Cause>
  readonly isAll: boolean
}

/** A query for findings of some kinds. */
export interface Source {
  readonly kinds: ReadonlyArray<IncidentKind>
  readonly search: Effect.Effect<Found>
}

/** Makes a source from the rows of `search`. Each of `about` finds the causes of its kinds in a row. */
export const sourceOf = <Row>(
  search: Effect.Effect<ReadonlyArray<Row>>,
  ...about: ReadonlyArray<Findings.Kinds<Row>>
): Source => {
  const kinds = about.flatMap((one) => one.kinds)
  const found = Effect.map(search, (rows) => ({
    causes: rows.slice(0, rowsMax).flatMap((row) => about.flatMap(({ find }) => find(row).map(causeOf))),
    isAll: rows.length <= rowsMax
  }))
  return { kinds, search: Effect.withSpan(found, "Incidents.search", { attributes: { kinds } }) }
}

// Four attempts of a delivery take 36 minutes. An endpoint that fails for an hour has missed an event that Folio does
// not retry.
export const endpointFailsHours = 1
// Longer than most outages of the authority, and longer than the five minutes before Folio issues documents in
// contingency.
const unreachableMinutes = 15
// An older failure proves no current fault, because Folio has made no call since.
const recentMinutes = 15
// Three times the maximum duration of a Folio transaction.
const eventsHeldSeconds = 60
// How long to report a failed document that was not retried.
const failedDays = 7
const failedIdsMax = 5
const contingencyMax = 10_000
const accountsShown = 10

/** The facts together with their account. */
const ofAccounts = <Fields extends Schema.Struct.Fields>({ fields }: Schema.Struct<Fields>) =>
  Schema.Struct({ ...FindingOwner.fields, ...fields })

/**
 * The sources of all current faults, by the database's clock. Each source finds the faults by an index, and returns at
 * most `rowsMax` rows.
 */
export const sources = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { localDate } = yield* NationalProfile
  const today = Effect.map(Clock.currentTimeMillis, localDate)

  const issuer = (table: string) => sql`(
      select coalesce(m.issuer ->> 'legal_name', m.name) from account_modes m
      where m.account_id = ${sql.literal(table)}.account_id and m.livemode = ${sql.literal(table)}.livemode) as issuer`

  /** Makes a source that reads one row more than `rowsMax`, to detect that there are more rows. */
  const source = <R extends Schema.ConstraintDecoder<unknown>>(
    row: R,
    query: (date: string) => Statement.Fragment,
    ...about: ReadonlyArray<Findings.Kinds<R["Type"]>>
  ) => {
    const read = Query.all(row, (date: string) => sql`${query(date)} limit ${rowsMax + 1}`)
    return sourceOf(Effect.flatMap(today, read), ...about)
  }

  return [
    source(
      ofAccounts(findingFacts.endpoint),
      () => sql`
        select account_id, livemode, ${issuer("e")}, id, failing_since as since from webhook_endpoints e
        where failing_since < now() - ${endpointFailsHours} * interval '1 hour' and is_active order by failing_since`,
      Findings.failingEndpoint
    ),
    source(
      ofAccounts(findingFacts.endpoint),
      () => sql`
        select account_id, livemode, ${issuer("e")}, id, full_since as since from webhook_endpoints e
        where full_since is not null and is_active order by full_since`,
      Findings.fullEndpoint
    ),
    // A certificate that ends before another certificate of the account is not reported, because Folio signs with the
    // other one.
    source(
      ofAccounts(findingFacts.certificate),
      () => sql`
        select account_id, livemode, ${issuer("c")}, id, not_after,
          floor(extract(epoch from not_after - now()) / 86400)::integer as days
        from certificates c
        where not_after < now() + ${endsWithinDays + 1} * interval '1 day' and not exists (
          select from certificates o where o.account_id = c.account_id and o.livemode = c.livemode and o.id <> c.id
            and (o.not_after, o.id) > (c.not_after, c.id)
        )
        order by not_after desc`,
      Findings.endingCertificate
    ),
    // The query reads every range in use, because an index with the counter would slow down numbering. A range is not
    // reported if another active range with its prefix has enough numbers and days left. The subquery runs only for the
    // few ranges that are low.
    source(
      ofAccounts(findingFacts.range),
      (date) => sql`
        select account_id, livemode, ${issuer("r")}, id, document_type, prefix, left_over::float8 as left, size::float8 as size,
          to_char(valid_to, 'YYYY-MM-DD') as valid_to, valid_to - ${date}::date as days
        from (select r.*, to_number - next_number + 1 as left_over, to_number - from_number + 1 as size from resolutions r) r
        where is_active and ((next_number - from_number) * 10 >= size * ${usedTenths} or valid_to <= ${date}::date + ${endsWithinDays}::integer)
          and (
            select true from resolutions o
            where o.account_id = r.account_id and o.livemode = r.livemode and o.document_type = r.document_type
              and o.prefix = r.prefix and o.id <> r.id and o.is_active and o.valid_to > ${date}::date + ${endsWithinDays}::integer
              and (o.next_number - o.from_number) * 10 < (o.to_number - o.from_number + 1) * ${usedTenths} limit 1
          ) is null
        order by valid_to desc`,
      Findings.usedRange,
      Findings.endingRange
    ),
    source(
      ofAccounts(findingFacts.heldRange),
      (date) => sql`
        select account_id, livemode, ${issuer("r")}, id, prefix, held_since as since from resolutions r
        where held_since is not null and is_active and valid_to >= ${date}::date order by held_since`,
      Findings.heldRange
    ),
    source(
      findingFacts.transaction,
      () => sql`
        select since from (select (${oldestUnsettled(sql)}) as since) e
        where since < now() - ${eventsHeldSeconds} * interval '1 second'`,
      Findings.heldEvents
    ),
    source(
      findingFacts.authority,
      () => sql`
        select failing_since as since, trouble from authority_circuits
        where name = 'live' and trouble is not null and failing_since < now() - ${unreachableMinutes} * interval '1 minute'
          and (failed_at > now() - ${recentMinutes} * interval '1 minute' or opened_at is not null)`,
      Findings.unreachableAuthority
    ),
    source(
      findingFacts.contingency,
      () => sql`
        with waiting as (
          select account_id, contingency_since, transmit_before from invoices
          where state = 'accepted_contingency' and livemode order by created_at, id limit ${contingencyMax}
        )
        select count(*)::integer as count, min(contingency_since) as since, min(transmit_before) as deadline,
          (extract(epoch from min(transmit_before) - now()) * 1000)::float8 as left_ms,
          array(select distinct account_id from waiting order by account_id limit ${accountsShown}) as account_ids
        from waiting having count(*) > 0`,
      Findings.inContingency
    ),
    source(
      ofAccounts(findingFacts.failed),
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
        ) f order by since`,
      Findings.failedDocuments
    )
  ]
})
