import { Clock, Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type Account, type AccountMode, Issuer } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import { EnablementStatus } from "../../../schemas/Enablement.ts"
import { AccountId, SoftwareId } from "../../../schemas/Id.ts"
import { providerOf } from "../../documents/rules/parties/SoftwareRules.ts"
import { timestamp } from "../../runtime/AuthorityTime.ts"
import * as AccountView from "../../database/AccountView.ts"
import { isUsableApiKey, ofAccount } from "../../database/Keys.ts"
import * as Query from "../../database/Query.ts"
import { leaseSeconds } from "../../database/Workers.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"

/*
 * With `WEBHOOK_ALLOW`, webhooks reach internal addresses. No process with this setting uses a database with live keys.
 */

/** Whether this database has a live key that is neither revoked nor expired. */
export const hasLiveKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* Query.isAny(
    sql`select 1 as found from api_keys where livemode and ${sql.literal(isUsableApiKey)} limit 1`
  )
})

/** Fails with `account_not_live` for a live key while a process with `WEBHOOK_ALLOW` uses this database. */
export const checkNewKey = (sql: SqlClient.SqlClient, mode: "test" | "live") =>
  Effect.gen(function* () {
    if (mode === "test") return
    const isAllowed = yield* Query.isAny(sql`
      select 1 as found from workers
      where webhook_allow and dead_since is null and seen_at > now() - ${leaseSeconds} * interval '1 second' limit 1`)
    if (!isAllowed) return
    return yield* new ApiError({
      code: "account_not_live",
      message:
        "The service runs with WEBHOOK_ALLOW, which lets webhooks reach internal addresses, so Folio creates no live key. Restart the service without WEBHOOK_ALLOW first."
    })
  })

const IssuerKey = Schema.Struct({ type: Schema.String, number: Schema.String })
/** The identification of an issuer, which live accounts share. */
export type IssuerKey = typeof IssuerKey.Type

const UsedRange = Schema.Struct({
  prefix: Schema.String,
  from_number: Schema.BigInt,
  to_number: Schema.BigInt,
  next_number: Schema.BigInt,
  gives: Schema.Boolean
})

/**
 * Makes the function that returns the ranges of the other live accounts with the issuer of an account, or with the
 * issuer `of`. Returns none in test mode.
 *
 * @param locks whether no other transaction gets the ranges of this issuer until the caller's commit. The caller has
 *   locked the account first, so that its own issuer doesn't change and two transactions cannot deadlock.
 */
export const rangesOfIssuer = (sql: SqlClient.SqlClient, locks: boolean) => {
  const find = Query.first(
    IssuerKey,
    (account: AccountMode) => sql`
      select issuer #>> '{identification,type}' as type, issuer #>> '{identification,number}' as number
      from account_modes where ${ofAccount(sql, account)} and issuer is not null`
  )
  const select = Query.all(
    UsedRange,
    (account: AccountId, { number, type }: IssuerKey) => sql`
      select r.prefix, r.from_number, r.to_number, r.next_number, r.is_active as gives
      from account_modes m
      join resolutions r on r.account_id = m.account_id and r.livemode
      where m.livemode and m.issuer #>> '{identification,number}' = ${number}
        and m.issuer #>> '{identification,type}' = ${type} and m.account_id <> ${account}`
  )
  return Effect.fnUntraced(function* (account: AccountMode, of?: IssuerKey) {
    if (!account.livemode) return []
    const issuer = of ?? Option.getOrUndefined(yield* find(account))
    if (issuer === undefined) return []
    const key = `issuer ${issuer.type}-${issuer.number}`
    return yield* AccountView.asService(sql)(
      Effect.andThen(
        locks ? Effect.orDie(sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`) : Effect.void,
        select(account.account_id, issuer)
      )
    )
  })
}

const FactsRow = Schema.Struct({
  issuer: Schema.NullOr(Issuer),
  has_key: Schema.Boolean,
  software: Schema.NullOr(SoftwareId),
  software_id: Schema.NullOr(Schema.String),
  provider_number: Schema.NullOr(Schema.String),
  software_set_at: Schema.NullOr(Schema.Date),
  /** Whether the account has a range for invoices, and whether one of its ranges gives numbers today. */
  has_range: Schema.Boolean,
  has_number: Schema.Boolean,
  /**
   * `passed` if the account has passed a test set, or else the status of the newest test set. Null without a test set.
   */
  enablement: Schema.NullOr(EnablementStatus)
})
/** The facts about an account's live mode that documents depend on, except the certificate (see `Certificates`). */
export type LiveFacts = typeof FactsRow.Type

/**
 * Makes the function that reads `LiveFacts` of accounts, for keys of both modes. It uses one statement, because clients
 * poll their account, and platforms list theirs. It does not use `AccountView`, because the transaction may be in test
 * mode.
 */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { localDate } = yield* NationalProfile
  const find = Query.all(
    Schema.Struct({ account_id: AccountId, ...FactsRow.fields }),
    (accounts: ReadonlyArray<AccountId>, today: string) => sql`
        select a.id as account_id, m.issuer, m.software, s.software_id, s.provider_number, s.created_at as software_set_at,
          exists (select from api_keys where account_id = a.id and livemode and ${sql.literal(isUsableApiKey)}) as has_key,
          r.has_range, r.has_number,
          (select status from enablements where account_id = a.id and livemode
            order by status = 'passed' desc, resumed_at desc limit 1) as enablement
        from unnest(${accounts}::text[]) a (id)
        left join account_modes m on m.account_id = a.id and m.livemode
        left join softwares s on s.account_id = m.account_id and s.livemode = m.livemode and s.id = m.software
        cross join lateral (
          select count(*) > 0 as has_range, count(*) filter (
            where is_active and ${today}::date between valid_from and valid_to and next_number <= to_number) > 0 as has_number
          from resolutions where account_id = a.id and livemode and document_type = 'invoice'
        ) r`
  )
  return Effect.fn("Accounts.liveFacts")(function* (accounts: ReadonlyArray<AccountId>) {
    const rows = yield* find(accounts, localDate(yield* Clock.currentTimeMillis))
    return new Map<AccountId, LiveFacts>(rows.map(({ account_id, ...facts }) => [account_id, facts]))
  })
})

/** The software as the API shows it in the account. */
export const softwareView = ({
  issuer,
  provider_number,
  software,
  software_id,
  software_set_at
}: LiveFacts): Account["software"] => {
  if (software === null || software_id === null || software_set_at === null) return null
  const number = provider_number ?? issuer?.identification.number
  const provider = number === undefined ? null : providerOf(number)
  return {
    id: software_id,
    provider_nit: provider === null ? null : `${provider.number}-${provider.check_digit}`,
    set_at: timestamp(software_set_at.getTime())
  }
}
