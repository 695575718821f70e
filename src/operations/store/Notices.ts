import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccountMode } from "../../../schemas/Account.ts"
import { NoticeId } from "../../../schemas/Id.ts"
import { Notice, NoticeKind, noticeObjects } from "../../../schemas/Notice.ts"
import type { PageRequest } from "../../../schemas/Page.ts"
import { Ids } from "../../database/Ids.ts"
import * as Input from "../../database/Input.ts"
import { columnsOf, ofKey } from "../../database/Keys.ts"
import * as Pages from "../../database/Pages.ts"
import * as Query from "../../database/Query.ts"
import { viewOf } from "../../database/View.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"
import { endsWithinDays, usedTenths } from "../../documents/rules/parties/ResolutionRules.ts"
import { type AccountFacts, type AccountFinding, accountFindings, findingText } from "../rules/AccountFindings.ts"
import { CertificateRow, endedTestSets, lastCertificates, TestSetRow } from "./AccountFaults.ts"
import { RangeRow } from "./OverviewRows.ts"
import { endpointFailsHours } from "./Sources.ts"

const Row = Schema.Struct({
  ...AccountMode.fields,
  id: NoticeId,
  kind: NoticeKind,
  object_id: Schema.String,
  message: Schema.String,
  message_es: Schema.String,
  opened_at: Schema.Date,
  ended_at: Schema.NullOr(Schema.Date),
  emailed_at: Schema.NullOr(Schema.Date)
})
export type StoredNotice = typeof Row.Type

/** The filter of a list of notices. A null field matches all notices. */
export interface NoticeFilter {
  readonly status: "open" | "ended" | null
  readonly kind: NoticeKind | null
}

const DueEmail = Schema.Struct({
  ...AccountMode.fields,
  id: NoticeId,
  message_es: Schema.String,
  email_attempts: Schema.Int,
  issuer: Schema.String,
  /** The issuer's address; null if the account has no live issuer. */
  recipient: Schema.NullOr(Schema.String)
})
/** A notice that is due to be emailed. `email_attempts` counts this attempt. */
export type DueEmail = typeof DueEmail.Type

const ofAccounts = <Fields extends Schema.Struct.Fields>({ fields }: Schema.Struct<Fields>) =>
  Schema.Struct({ ...AccountMode.fields, ...fields })

const modeOf = ({ account_id, livemode }: AccountMode) => `${account_id} ${livemode}`
const byMode = <R extends AccountMode>(rows: ReadonlyArray<R>) => Map.groupBy(rows, modeOf)

interface Opened extends AccountMode {
  readonly id: string
  readonly finding: AccountFinding
}

const input = Input.make<Opened>({
  account_id: ["text", ({ account_id }) => account_id],
  livemode: ["boolean", ({ livemode }) => livemode],
  id: ["text", ({ id }) => id],
  kind: ["text", ({ finding }) => finding.kind],
  object_id: ["text", ({ finding }) => finding.subject],
  message: ["text", ({ finding }) => findingText(finding, "en")],
  message_es: ["text", ({ finding }) => findingText(finding, "es")]
})

/** Accounts that one search checks together. */
const accountsMax = 1_000
/** Notices whose emails one process takes and sends together, so that the lease is long enough for each. */
export const emailsMax = 4
/** The lease of a taken email: longer than an attempt, so that two processes never send an email concurrently. */
export const noticeLeaseSeconds = 120
// An intermittent problem opens notice after notice. The issuer gets one email a day about it.
const sameEmailHours = 24

/** The notices to issuers: opened and ended by a search for their causes, and emailed once. */
export class Notices extends Context.Service<Notices>()("folio/operations/store/Notices", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ids = yield* Ids
    const { localDate } = yield* NationalProfile
    const columns = columnsOf(sql, Row)
    const { find, list } = Pages.readers(sql, { service: "Notices", table: "notices", row: Row, columns })

    const page = Query.all(
      Schema.Struct({ id: Schema.String, is_closed: Schema.Boolean }),
      (after: string) => sql`
        select id, status = 'closed' as is_closed from accounts
        where id > ${after} and not is_platform order by id limit ${accountsMax}`
    )
    const among = (accounts: ReadonlyArray<string>) => sql`account_id = any(${accounts}::text[])`

    const certificates = Query.all(
      ofAccounts(CertificateRow),
      (accounts: ReadonlyArray<string>) => sql`
        select * from (${lastCertificates(sql, among(accounts))}) c
        where not_after < now() + ${endsWithinDays + 1} * interval '1 day'`
    )
    const testSets = Query.all(ofAccounts(TestSetRow), (accounts: ReadonlyArray<string>) =>
      endedTestSets(sql, among(accounts))
    )
    // An endpoint that failed for less than an hour has no notice, because Folio still retries its first failed event.
    const endpoints = Query.all(
      ofAccounts(
        Schema.Struct({
          id: Schema.String,
          url: Schema.String,
          failing_since: Schema.NullOr(Schema.Date),
          full_since: Schema.NullOr(Schema.Date)
        })
      ),
      (accounts: ReadonlyArray<string>) => sql`
        select account_id, livemode, id, url, failing_since, full_since from webhook_endpoints
        where ${among(accounts)} and is_active
          and (full_since is not null or failing_since < now() - ${endpointFailsHours} * interval '1 hour')
        order by id`
    )
    // Reads all active ranges of a kind and a prefix if one of them is low.
    const ranges = Query.all(
      ofAccounts(RangeRow),
      (accounts: ReadonlyArray<string>, date: string) => sql`
        select account_id, livemode, ${columnsOf(sql, RangeRow)} from (
          select account_id, livemode, ${columnsOf(sql, RangeRow)}, bool_or(
            (next_number - from_number) * 10 >= (to_number - from_number + 1) * ${usedTenths}
            or valid_to <= ${date}::date + ${endsWithinDays}::integer
          ) over (partition by account_id, livemode, document_type, prefix) as is_low
          from resolutions where ${among(accounts)} and is_active
        ) r where is_low order by id`
    )

    const store = (accounts: ReadonlyArray<string>, opened: ReadonlyArray<Opened>) => sql`
      with wanted as materialized (select * from ${input(sql, opened)}),
      ended as (
        update notices n set ended_at = now(), next_email_at = null
        where ${among(accounts)} and ended_at is null and not exists (
          select from wanted w where w.account_id = n.account_id and w.livemode = n.livemode and w.kind = n.kind
            and w.object_id = n.object_id
        )
      )
      insert into notices as n (account_id, livemode, id, kind, object_id, message, message_es, next_email_at)
      select account_id, livemode, id, kind, object_id, message, message_es, case when livemode then greatest(now(), (
        select max(o.emailed_at) + ${sameEmailHours} * interval '1 hour' from notices o
        where o.account_id = w.account_id and o.livemode = w.livemode and o.object_id = w.object_id and o.kind = w.kind
      )) end
      from wanted w where not exists (
        select from notices o where o.account_id = w.account_id and o.livemode = w.livemode and o.kind = w.kind
          and o.object_id = w.object_id and o.ended_at is null and o.message = w.message
      )
      order by account_id, livemode, kind, object_id
      on conflict (account_id, livemode, kind, object_id) where ended_at is null do update
        set message = excluded.message, message_es = excluded.message_es`

    const searchIn = Effect.fnUntraced(function* (accounts: ReadonlyArray<string>, open: ReadonlyArray<string>) {
      const now = new Date(yield* Clock.currentTimeMillis)
      const date = localDate(now.getTime())
      const rows = [
        yield* certificates(open),
        yield* ranges(open, date),
        yield* testSets(open),
        yield* endpoints(open)
      ] as const
      const modes = new Map(rows.flat().map((row) => [modeOf(row), row]))
      const [certificateOf, rangesOf, testSetOf, endpointsOf] = [
        byMode(rows[0]),
        byMode(rows[1]),
        byMode(rows[2]),
        byMode(rows[3])
      ]
      const findings = [...modes].flatMap(([key, { account_id, livemode }]) => {
        const facts: AccountFacts = {
          now,
          date,
          certificate: certificateOf.get(key)?.[0] ?? null,
          ranges: rangesOf.get(key) ?? [],
          test_set: testSetOf.get(key)?.[0] ?? null,
          endpoints: endpointsOf.get(key) ?? []
        }
        return accountFindings(facts).map((finding) => ({ account_id, livemode, finding }))
      })
      const opened = yield* Effect.forEach(findings, (one) => Effect.map(ids.notice, (id) => ({ ...one, id })))
      yield* store(accounts, opened)
    })

    /** Searches a page of accounts in one transaction. Returns the last account; null after the last page. */
    const searchPage = Effect.fn("Notices.search")(
      function* (after: string) {
        // Another search must not end or open a notice by facts that it has read before this search changed the rows.
        yield* sql`select pg_advisory_xact_lock(hashtext('notices'))`
        const accounts = yield* page(after)
        const all = accounts.map(({ id }) => id)
        if (all.length > 0)
          yield* searchIn(
            all,
            accounts.filter(({ is_closed }) => !is_closed).map(({ id }) => id)
          )
        return all.length === accountsMax ? all[accountsMax - 1]! : null
      },
      sql.withTransaction,
      Effect.orDie
    )

    /** Opens and ends the notices of all accounts, page by page. A search that is cut off loses nothing. */
    const search = Effect.gen(function* () {
      let after: string | null = ""
      while (after !== null) after = yield* searchPage(after)
    })

    const take = Query.all(
      DueEmail,
      () => sql`
        with due as (
          select account_id, livemode, id from notices where next_email_at <= now()
          order by next_email_at limit ${emailsMax} for update skip locked
        ),
        taken as (
          update notices n set email_attempts = n.email_attempts + 1,
            next_email_at = now() + ${noticeLeaseSeconds} * interval '1 second'
          from due where n.account_id = due.account_id and n.livemode = due.livemode and n.id = due.id
          returning n.*
        )
        select t.account_id, t.livemode, t.id, t.message_es, t.email_attempts, m.issuer ->> 'email' as recipient,
          coalesce(m.issuer ->> 'legal_name', m.name) as issuer
        from taken t join account_modes m on m.account_id = t.account_id and m.livemode = t.livemode
        order by t.id`
    )

    /** Stores the outcome of an attempt. `retryInMs`: null if there is no retry. */
    const recordEmail = Effect.fn("Notices.recordEmail")(
      (email: DueEmail, isSent: boolean, retryInMs: number | null) => sql`
        update notices set emailed_at = case when ${isSent}::boolean then now() end,
          next_email_at = case when ended_at is null then now() + ${retryInMs}::float8 * interval '1 millisecond' end
        where ${ofKey(sql, email)} and emailed_at is null
          and (email_attempts = ${email.email_attempts} or ${isSent}::boolean)`,
      Effect.orDie,
      Effect.asVoid
    )

    const openOf = Query.all(
      Row,
      (accounts: ReadonlyArray<string>, livemode: boolean) => sql`
        select ${columns} from notices
        where ${among(accounts)} and livemode = ${livemode} and ended_at is null order by account_id, id`
    )

    return {
      find,
      list: (account: AccountMode, request: PageRequest, { kind, status }: NoticeFilter) =>
        list(
          account,
          request,
          sql.and([
            sql`true`,
            ...(status === null ? [] : [status === "open" ? sql`ended_at is null` : sql`ended_at is not null`]),
            ...(kind === null ? [] : [sql`kind = ${kind}`])
          ])
        ),
      /** The open notices of accounts in one mode, by account. */
      openOf: Effect.fn("Notices.openOf")(openOf),
      search,
      /** Takes at most `emailsMax` due emails under a lease, and counts the attempt. */
      take: Effect.withSpan(take(), "Notices.take"),
      recordEmail
    }
  })
}) {
  static readonly layer = Layer.effect(Notices, Notices.make)
}

const view = viewOf(Notice)

export const noticeView = (row: StoredNotice): Notice => view({ ...row, object_type: noticeObjects[row.kind] })
