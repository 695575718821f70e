import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import { eventTypes } from "../../../schemas/Event.ts"
import type { AccountId } from "../../../schemas/Id.ts"
import { documentKinds } from "../../../schemas/DocumentKinds.ts"
import { idOf } from "../../database/Ids.ts"
import * as Input from "../../database/Input.ts"
import { columnsOf, ofAccount } from "../../database/Keys.ts"
import * as Query from "../../database/Query.ts"
import { bounded } from "../../database/SlowReads.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"
import { CertificateRow, endedTestSets, lastCertificates, TestSetRow } from "./AccountFaults.ts"
import {
  type AccountOverview,
  BouncedRow,
  dayMax,
  EndpointRow,
  LatestRow,
  PartiesRow,
  problemsMax,
  RangeRow,
  TodayRow,
  todayMax,
  troubledMax,
  UnacceptedCount,
  UnacceptedRow,
  WaitingRow
} from "./OverviewRows.ts"

/** The number of days in the overview, including today. */
export const overviewDays = 30
/** The number of the newest documents in the overview. */
export const latestCount = 5
/** The overview shows emails that were returned within this time. */
export const bouncedMs = 7 * 86_400_000
/** The overview counts failed deliveries of this time. */
export const undeliveredMs = 86_400_000
/** The age of a late draft, in seconds. */
export const lateSeconds = 600

// The maximum number of accounts whose counts of past days are cached. Folio counts the past days of a cached account
// once a day.
const rememberedMax = 1_000
// Folio stores a document a moment after it creates the id. The counts of past days are cached only after this time.
const settledMs = 60_000

const kinds = Object.values(documentKinds)
export const returnedTypes = eventTypes.filter((type) => /\.email\.(bounced|complained)$/.test(type))

interface Stretch {
  readonly date: string
  readonly from: string
  readonly to: string
}
const stretches = Input.make<Stretch>({
  date: ["text", ({ date }) => date],
  from_id: ["text", ({ from }) => from],
  to_id: ["text", ({ to }) => to]
})

/**
 * The overview of an account in one mode: the states of today's documents, the document counts of the last days, and
 * all that may need attention. Every statement reads an index, or a fixed maximum number of rows.
 */
export class Overview extends Context.Service<Overview>()("folio/operations/store/Overview", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { localDate } = yield* NationalProfile

    /**
     * Combines the rows of each kind of document. Each kind has its own query, because ids of a kind are adjacent in
     * the indexes.
     */
    const ofKinds = (rows: (prefix: string) => Statement.Fragment) =>
      sql.join(" union all ", false)(kinds.map(({ prefix }) => sql`(${rows(prefix)})`))

    const today = Query.all(
      TodayRow,
      (account: AccountMode, from: number) => sql`
        select state, count(*)::integer as count,
          count(*) filter (where created_at < now() - ${lateSeconds} * interval '1 second')::integer as late
        from (${ofKinds(
          (prefix) => sql`
            select state, created_at from invoices
            where ${ofAccount(sql, account)} and id >= ${idOf(prefix, from)} and id < ${`${prefix}_z`}
            order by id desc limit ${todayMax}`
        )}) newest group by state order by state`
    )

    const counts = Query.all(
      Schema.Struct({ date: Schema.String, count: Schema.Int }),
      (account: AccountMode, days: ReadonlyArray<Day>) => sql`
        select n.date, sum(c.count)::integer as count
        from ${stretches(
          sql,
          days.flatMap(({ date, from, to }) =>
            kinds.map(({ prefix }) => ({ date, from: idOf(prefix, from), to: idOf(prefix, to) }))
          )
        )} cross join lateral (
          select count(*) from (
            select from invoices where ${ofAccount(sql, account)} and id >= n.from_id and id < n.to_id limit ${dayMax}
          ) counted
        ) c
        group by n.date`
    )

    const remembered = new Map<string, { readonly until: string; readonly counts: ReadonlyMap<string, number> }>()
    const daysOf = Effect.fnUntraced(function* (account: AccountMode, days: ReadonlyArray<Day>, now: number) {
      const last = days[days.length - 1]!
      const key = `${account.account_id}|${account.livemode}`
      const known = remembered.get(key)
      const past = known?.until === last.date ? known.counts : undefined
      const counted = yield* counts(account, past === undefined ? days : [last])
      const all = new Map([...(past ?? []), ...counted.map(({ count, date }) => [date, count] as const)])
      if (past === undefined && now >= last.from + settledMs) {
        if (remembered.size >= rememberedMax) remembered.clear()
        remembered.set(key, { until: last.date, counts: all })
      }
      return days.map(({ date }) => ({ date, count: all.get(date) ?? 0 }))
    })

    const troubled = sql`count(*)::integer as count, min(id) as id, min(full_number) as full_number, min(created_at) as oldest`

    // State names are literals, so that the plan uses the partial index `invoices_unaccepted`.
    const unaccepted = Query.all(
      UnacceptedRow,
      (account: AccountMode, from: number) =>
        sql`${sql.join(
          " union all ",
          false
        )(
          (["failed", "rejected_by_authority"] as const).map(
            (state) => sql`
              select '${sql.literal(state)}' as state, ${troubled} from (
                select * from (${ofKinds(
                  (prefix) => sql`
                    select id, full_number, created_at from invoices
                    where ${ofAccount(sql, account)} and state = '${sql.literal(state)}' and id >= ${idOf(prefix, from)} and id < ${`${prefix}_z`}
                    order by id limit ${troubledMax}`
                )}) of_kinds limit ${troubledMax}
              ) of_state having count(*) > 0`
          )
        )}`
    )

    const waiting = Query.all(
      WaitingRow,
      (account: AccountMode) => sql`
        select state = 'accepted_contingency' as is_contingency, waiting ->> 'code' as code, ${troubled},
          min(transmit_before) as transmit_before
        from (
          select id, state, full_number, waiting, created_at, transmit_before from invoices
          where ${ofAccount(sql, account)} and next_action_at is not null
            and (waiting_since is not null or state = 'accepted_contingency')
          order by created_at, id limit ${troubledMax}
        ) oldest group by 1, 2 order by 1 desc, count(*) desc, 2`
    )

    const endpoints = Query.all(EndpointRow, (account: AccountMode, from: number) => {
      const ofEndpoint = sql`
          d.endpoint_id = w.id and d.account_id = w.account_id and d.livemode = w.livemode`
      return sql`
          select w.id, w.url, w.is_active, w.failing_since, w.full_since, f.count as failed, p.count as pending
          from webhook_endpoints w
          cross join lateral (
            select count(*)::integer from (
              select from deliveries d where ${ofEndpoint} and d.status = 'failed' and d.id >= ${idOf("whd", from)} limit ${troubledMax}
            ) counted
          ) f
          cross join lateral (
            select count(*)::integer from (
              select from deliveries d where ${ofEndpoint} and d.status = 'pending' limit ${troubledMax}
            ) counted
          ) p
          where ${ofAccount(sql, account)} order by w.id`
    })

    const ranges = Query.all(
      RangeRow,
      (account: AccountMode) => sql`
        select ${columnsOf(sql, RangeRow)} from resolutions where ${ofAccount(sql, account)} and is_active order by id`
    )

    const certificate = Query.first(CertificateRow, (account: AccountMode) =>
      lastCertificates(sql, ofAccount(sql, account))
    )
    const testSet = Query.first(TestSetRow, (account: AccountMode) => endedTestSets(sql, ofAccount(sql, account)))

    // The types are literals, so that the plan uses the partial index `events_unusual`.
    const isReturned = sql.literal(returnedTypes.map((type) => `'${type}'`).join(", "))
    const bounced = Query.one(
      BouncedRow,
      (account: AccountMode, from: number) => sql`
        select count(*)::integer as count, min(object_id) as id from (
          select distinct e.object_id from (
            select object_id from events
            where ${ofAccount(sql, account)} and type in (${isReturned})
              and type <> 'invoice.accepted_by_authority' and is_test is not true and id >= ${idOf("evt", from)}
            limit ${troubledMax}
          ) e
          cross join lateral (
            select status from emails m
            where m.invoice_id = e.object_id and m.account_id = ${account.account_id} and m.livemode = ${account.livemode}
            order by m.id desc limit 1
          ) newest
          where newest.status in ('bounced', 'complained')
        ) returned`
    )

    const latest = Query.all(
      LatestRow,
      (account: AccountMode) => sql`
        select * from (${ofKinds(
          (prefix) => sql`
            select id, kind, state, full_number, acquirer ->> 'legal_name' as buyer, currency,
              totals ->> 'payable_amount' as total, created_at
            from invoices where ${ofAccount(sql, account)} and id >= ${`${prefix}_`} and id < ${`${prefix}_z`}
            order by id desc limit ${latestCount}`
        )}) of_kinds order by created_at desc, id desc limit ${latestCount}`
    )

    const parties = Query.one(
      PartiesRow,
      (account: AccountMode) => sql`
        select customers::integer as customers from account_modes where ${ofAccount(sql, account)}`
    )

    /** Reads the overview in one transaction of `AccountView`. */
    const read = Effect.fn("Overview.read")(function* (account: AccountMode) {
      const now = yield* Clock.currentTimeMillis
      const days = daysUntil(now, overviewDays, localDate)
      const from = days[0]!.from
      const overview: Effect.Effect<AccountOverview> = Effect.gen(function* () {
        return {
          today: yield* today(account, days[days.length - 1]!.from),
          days: yield* daysOf(account, days, now),
          unaccepted: yield* unaccepted(account, from),
          waiting: yield* waiting(account),
          endpoints: yield* endpoints(account, now - undeliveredMs),
          ranges: yield* ranges(account),
          certificate: Option.getOrNull(yield* certificate(account)),
          test_set: Option.getOrNull(yield* testSet(account)),
          bounced: yield* bounced(account, now - bouncedMs),
          latest: yield* latest(account),
          customers: (yield* parties(account)).customers
        }
      })
      return yield* bounded(sql, account, { name: "overview", narrow: "Open the list of documents instead." })(overview)
    })

    /**
     * The documents of many accounts in one mode that were created since `from` (milliseconds) and failed or were
     * rejected, with one statement. Only for accounts that the request may access.
     */
    const unacceptedOf = Query.all(
      UnacceptedCount,
      (accounts: ReadonlyArray<AccountId>, livemode: boolean, from: number) => sql`
        select a.id as account_id, (
          select count(*)::integer from (${sql.join(
            " union all ",
            false
          )(
            (["failed", "rejected_by_authority"] as const).map((state) =>
              ofKinds(
                (prefix) => sql`
                  select id from invoices i where i.account_id = a.id and i.livemode = ${livemode}
                    and state = '${sql.literal(state)}' and id >= ${idOf(prefix, from)} and id < ${`${prefix}_z`}
                  limit ${problemsMax}`
              )
            )
          )} limit ${problemsMax}) counted
        ) as unaccepted
        from unnest(${accounts}::text[]) a (id)`
    )

    return { read, unacceptedOf }
  })
}) {
  static readonly layer = Layer.effect(Overview, Overview.make)
}

/**
 * A day in the authority's time zone. `from` is its first millisecond, and `to` the first millisecond of the next day
 * (Unix time).
 */
interface Day {
  /** YYYY-MM-DD. */
  readonly date: string
  readonly from: number
  readonly to: number
}

const hourMs = 3_600_000
// The largest offset of a time zone from UTC.
const offsetMaxMs = 14 * hourMs

/** The first millisecond for which `localDate` returns this date. */
const startOf = (date: string, localDate: (epochMs: number) => string): number => {
  const utc = Date.parse(`${date}T00:00:00Z`)
  let [before, from] = [utc - offsetMaxMs - 1, utc + offsetMaxMs]
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2)
    if (localDate(middle) < date) before = middle
    else from = middle
  }
  return from
}

const dayMs = 24 * hourMs

/**
 * The last `count` days up to the day of `now`, oldest first. `localDate` returns the date in the authority's time
 * zone.
 */
export const daysUntil = (now: number, count: number, localDate: (epochMs: number) => string): ReadonlyArray<Day> => {
  const today = Date.parse(`${localDate(now)}T00:00:00Z`)
  return Array.from({ length: count }, (_, index) => {
    const dateOf = (shift: number) => new Date(today - (count - 1 - index - shift) * dayMs).toISOString().slice(0, 10)
    return { date: dateOf(0), from: startOf(dateOf(0), localDate), to: startOf(dateOf(1), localDate) }
  })
}
