import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type Account, Issuer } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import { EnablementStatus } from "../../../schemas/Enablement.ts"
import { type AccountId, SoftwareId } from "../../../schemas/Id.ts"
import { providerOf } from "../../domain/accounts/Software.ts"
import { timestamp } from "../../domain/documents/AuthorityTime.ts"
import * as Query from "../sql/Query.ts"
import { isUsable } from "./ApiKeyLookup.ts"
import { leaseSeconds } from "../sql/Workers.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"

/* `WEBHOOK_ALLOW` lets webhooks reach internal addresses. A database never has both processes with it and live keys. */

/** Whether this database has a live key that is neither revoked nor expired. */
export const hasLiveKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* Query.isAny(sql`select 1 as found from api_keys where livemode and ${sql.literal(isUsable)} limit 1`)
})

/** Fails with `account_not_live` for a live key while a process with `WEBHOOK_ALLOW` serves this database. */
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
        "The service runs with WEBHOOK_ALLOW, which lets webhooks reach internal addresses: beside it no live key is made. Start it again without WEBHOOK_ALLOW first."
    })
  })

const FactsRow = Schema.Struct({
  issuer: Schema.NullOr(Issuer),
  has_key: Schema.Boolean,
  software: Schema.NullOr(SoftwareId),
  software_id: Schema.NullOr(Schema.String),
  provider_number: Schema.NullOr(Schema.String),
  software_set_at: Schema.NullOr(Schema.Date),
  /** The ranges of invoices: whether there are any, and whether one of them gives numbers today. */
  has_range: Schema.Boolean,
  has_number: Schema.Boolean,
  /** `passed` once a test set was passed; else the status of the newest test set, null before the first one. */
  enablement: Schema.NullOr(EnablementStatus)
})
/** What the live mode of an account has, as far as documents need it; of the certificate, `Certificates` knows. */
export type LiveFacts = typeof FactsRow.Type

/**
 * Makes the function that reads what an account has in live mode, for keys of either mode. It reads in one statement,
 * because clients poll their account, and in no transaction of `AccountView`, whose mode may be the other one.
 */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { localDate } = yield* NationalProfile
  const find = Query.one(
    FactsRow,
    (account: AccountId, today: string) => sql`
        select m.issuer, m.software, s.software_id, s.provider_number, s.created_at as software_set_at,
          exists (select from api_keys where account_id = a.id and livemode and ${sql.literal(isUsable)}) as has_key,
          r.has_range, r.has_number,
          (select status from enablements where account_id = a.id and livemode
            order by status = 'passed' desc, resumed_at desc limit 1) as enablement
        from (select ${account}::text as id) a
        left join account_modes m on m.account_id = a.id and m.livemode
        left join softwares s on s.account_id = m.account_id and s.livemode = m.livemode and s.id = m.software
        cross join lateral (
          select count(*) > 0 as has_range, count(*) filter (
            where is_active and ${today}::date between valid_from and valid_to and next_number <= to_number) > 0 as has_number
          from resolutions where account_id = a.id and livemode and document_type = 'invoice'
        ) r`
  )
  return Effect.fn("Accounts.liveFacts")(function* (account: AccountId) {
    return yield* find(account, localDate(yield* Clock.currentTimeMillis))
  })
})

/** The software of an account as the account shows it. */
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
