import { Cache, Context, Effect, Exit, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type AccountMode, AccountStatus } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import { AccountId, ApiKeyId, platformIdOf } from "../../../schemas/Id.ts"
import type { PageRequest } from "../../../schemas/Page.ts"
import { Usage } from "../../../schemas/Usage.ts"
import { Version } from "../../../schemas/Version.ts"
import type { Principal } from "../../api/Authorization.ts"
import { actingKeyId } from "../rules/ApiKeyFormat.ts"
import * as AccountView from "../../database/AccountView.ts"
import { ofAccount } from "../../database/Keys.ts"
import * as Pages from "../../database/Pages.ts"
import * as Query from "../../database/Query.ts"
import { keyCacheMs } from "./ApiKeyLookup.ts"

const cacheSize = 50_000

/** The filters of a platform's list of accounts. */
export interface AccountFilter {
  readonly status: AccountStatus | null
  readonly identification: { readonly type: string; readonly number: string } | null
  /** A part of the account's or the issuer's name, or the start of the number of its identification. */
  readonly search: string | null
}

/** The settings of a platform, which its operator makes. */
const Platform = Schema.Struct({
  /** Maximum number of accounts that are not closed. Null for no maximum. */
  accounts_max: Schema.NullOr(Schema.Int),
  /** Hosts of the platform's pages, to which the portal may return. */
  return_hosts: Schema.Array(Schema.String)
})
export type PlatformSettings = typeof Platform.Type

const Target = Schema.Struct({ status: AccountStatus, default_version: Version })

export const accountLimitReached = (most: number) =>
  new ApiError({
    code: "account_limit_reached",
    message: `This platform has at most ${most} accounts that are not closed. Close an account that you no longer need, or contact the operator.`
  })

/** Platforms: their keys in their accounts, and their lists of accounts. */
export class Platforms extends Context.Service<Platforms>()("folio/accounts/store/Platforms", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    // The insert locks the platform's key, so that a revocation in parallel finds the new row.
    const findTarget = Query.first(
      Target,
      (key: ApiKeyId, account: string) => sql`
        with made as (
          insert into api_keys
            (id, account_id, livemode, key_hash, last_four, name, capabilities, allowed_ips, created_at, granted_until,
              expires_at, revoked_at, platform_key)
          select ${actingKeyId(key, account)}, a.id, k.livemode, ${actingKeyId(key, account)}, k.last_four, k.name,
            k.capabilities, k.allowed_ips, now(), k.granted_until, k.expires_at, k.revoked_at, k.id
          from api_keys k join accounts a on a.platform = k.account_id
          where k.id = ${key} and a.id = ${account}
            and not exists (select from api_keys where id = ${actingKeyId(key, account)})
          for share of k
          on conflict (id) do nothing
        )
        select a.status, m.default_version
        from api_keys k
        join accounts a on a.platform = k.account_id
        join account_modes m on m.account_id = a.id and m.livemode = k.livemode
        where k.id = ${key} and a.id = ${account}`
    )
    const targets = yield* Cache.makeWith(
      (target: string) => {
        const [key = "", account = ""] = target.split("|")
        return findTarget(ApiKeyId.make(key), account)
      },
      { capacity: cacheSize, timeToLive: (exit) => (Exit.isSuccess(exit) ? keyCacheMs : 0) }
    )

    /**
     * The principal with which a platform's key acts for one of the platform's accounts. None if the platform has no
     * such account. Its API key has a row in the account, without a key of its own.
     */
    const actFor = Effect.fn("Platforms.actFor")(function* (platform: Principal, account: string) {
      const id = Schema.decodeOption(AccountId)(account)
      if (Option.isNone(id)) return Option.none<Principal>()
      const found = yield* Cache.get(targets, `${platform.api_key_id}|${id.value}`)
      return Option.map(found, ({ default_version, status }): Principal => ({
        ...platform,
        api_key_id: actingKeyId(platform.api_key_id, id.value),
        account_id: id.value,
        default_version,
        account_status: status
      }))
    })

    const lockSettings = Query.first(
      Platform,
      (platform: AccountId) => sql`
        select accounts_max, return_hosts from accounts where id = ${platform} and is_platform for no key update`
    )
    const findSettings = Query.all(
      Schema.Struct({ id: AccountId, ...Platform.fields }),
      () => sql`select id, accounts_max, return_hosts from accounts where is_platform order by id`
    )
    const findHosts = Query.one(
      Schema.Struct({ return_hosts: Platform.fields.return_hosts }),
      (account: AccountId) => sql`
        select p.return_hosts from accounts a join accounts p on p.id = a.platform where a.id = ${account}`
    )

    const Limit = Schema.Struct({ accounts_max: Schema.NullOr(Schema.Int), accounts: Schema.Int })
    const limitOf = Query.one(
      Limit,
      (platform: AccountId) => sql`
        select accounts_max, (select count(*)::integer from accounts where platform = p.id and status <> 'closed') as accounts
        from accounts p where id = ${platform}`
    )

    /** Whether an account has documents, emails, deliveries or a test set that are not finished, in either mode. */
    const isBusy = (account: AccountId) =>
      Query.isAny(sql`
        select 1 as found where exists (select from invoices where account_id = ${account} and next_action_at is not null)
          or exists (select from deliveries where account_id = ${account} and status = 'pending')
          or exists (select from emails where account_id = ${account} and status = 'pending')
          or exists (select from enablements where account_id = ${account} and status = 'running')`)

    const usage = Query.all(
      Usage.fields.days.value,
      (account: AccountMode, from: string, to: string) => sql`
        select day as date, kind, outcome, documents from daily_usage
        where ${ofAccount(sql, account)} and day between ${from}::date and ${to}::date order by day, kind, outcome`
    )

    return {
      actFor,
      /** Lets a platform's key act for a new account, and returns the id that stands for the key in the account. */
      addKey: (key: ApiKeyId, account: AccountId) => Effect.as(findTarget(key, account), actingKeyId(key, account)),
      /** The hosts of the pages to which the portal may return from an account of a platform. */
      returnHosts: (account: AccountId) => Effect.map(findHosts(account), ({ return_hosts }) => return_hosts),
      /** The settings of all platforms, oldest first. */
      settings: findSettings(),
      /** Changes the settings of a platform, in the operator's transaction. Fails with `resource_missing`. */
      update: Effect.fn("Platforms.update")(function* (platform: AccountId, changes: Partial<PlatformSettings>) {
        const before = yield* lockSettings(platform)
        if (Option.isNone(before))
          return yield* ApiError.missingForOperator("platform", platformIdOf(platform), "platforms list")
        const after = { ...before.value, ...changes }
        yield* Effect.orDie(sql`update accounts set ${sql.update(after)} where id = ${platform}`)
        return after
      }),
      /** Runs an effect with access to all accounts, in a transaction of the platform (see `AccountView`). */
      asService: AccountView.asService(sql),
      isBusy: (account: AccountId) => AccountView.asService(sql)(isBusy(account)),
      /**
       * Locks the platform until the commit, so that it creates one account at a time. Fails with
       * `account_limit_reached`. Needs `asService`.
       */
      checkLimit: Effect.fn("Platforms.checkLimit")(function* (platform: AccountId) {
        yield* AccountView.lock(sql, { account_id: platform })
        const { accounts, accounts_max } = yield* limitOf(platform)
        if (accounts_max !== null && accounts >= accounts_max) return yield* accountLimitReached(accounts_max)
      }),
      /** The counts of an account's documents from one day to another, each YYYY-MM-DD. */
      usage: Effect.fn("Platforms.usage")((account: AccountMode, from: string, to: string) =>
        AccountView.within(sql, account)(usage(account, from, to))
      ),
      /** A page of the platform's accounts, as their ids. */
      list: Effect.fn("Platforms.list")(function* (
        { account_id, livemode }: AccountMode,
        page: PageRequest,
        { identification, search, status }: AccountFilter
      ) {
        const part = search === null ? "" : `%${search.replaceAll(/[\\%_]/g, "\\$&")}%`
        const ofMode = (fits: Statement.Fragment) => sql`exists (
          select from account_modes m where m.account_id = accounts.id and m.livemode = ${livemode} and ${fits})`
        const fits = sql.and([
          sql`platform = ${account_id}`,
          ...(status === null ? [] : [sql`status = ${status}`]),
          ...(identification === null
            ? []
            : [
                ofMode(sql`m.issuer #>> '{identification,type}' = ${identification.type}
                  and m.issuer #>> '{identification,number}' = ${identification.number}`)
              ]),
          ...(search === null
            ? []
            : [
                ofMode(sql`(m.name ilike ${part} or m.issuer ->> 'legal_name' ilike ${part}
                  or m.issuer #>> '{identification,number}' like ${part.slice(1)})`)
              ])
        ])
        return yield* Pages.read(sql, page, {
          column: "id",
          at: page.cursor?.id ?? "",
          rows: (bound) => sql`select id from accounts where ${fits} and ${bound}`,
          decode: Schema.decodeUnknownEffect(Schema.Struct({ id: AccountId }))
        })
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Platforms, Platforms.make)
}
