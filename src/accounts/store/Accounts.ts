import { Cache, Context, Duration, Effect, Exit, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type Account, AccountMode, AccountStatus, Issuer, RequestLogLevel } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import { AccountId, SoftwareId } from "../../../schemas/Id.ts"
import type { LogoImprint } from "../../../schemas/Logo.ts"
import { Version } from "../../../schemas/Version.ts"
import { timestamp } from "../../runtime/AuthorityTime.ts"
import * as AccountView from "../../database/AccountView.ts"
import { columnsOf, ofAccount } from "../../database/Keys.ts"
import * as Query from "../../database/Query.ts"
import * as LiveMode from "./LiveMode.ts"
import * as Logos from "./Logos.ts"

const Row = Schema.Struct({
  ...AccountMode.fields,
  name: Schema.String,
  /** Null in a live mode without an issuer, and in the own account of a platform. */
  issuer: Schema.NullOr(Issuer),
  /** The mode's own software (see `Softwares`). Null if the mode uses the service's software, and in test mode. */
  software: Schema.NullOr(SoftwareId),
  /**
   * The version of the mode's issuer and software: 0 without an issuer, and 1 for the first issuer. Each change of the
   * issuer or the software adds 1.
   */
  issuer_version: Schema.Int,
  default_version: Version,
  request_log: RequestLogLevel,
  created_at: Schema.Date,
  /** Whether the account is the own account of a platform. */
  is_platform: Schema.Boolean,
  /** The own account of the platform that created the account. Null if the operator created it. */
  platform: Schema.NullOr(AccountId),
  status: AccountStatus,
  status_reason: Schema.NullOr(Schema.String)
})
/** An account in one of its modes. Each mode has its own name, issuer, default version and request log. */
export type StoredAccount = typeof Row.Type

export interface NewAccount {
  readonly id: AccountId
  readonly name: string
  /** Null for the own account of a platform. */
  readonly issuer: Issuer | null
  readonly default_version: Version
  readonly created_at: Date
  /** Whether Folio also sets the issuer in live mode, not only in test mode. */
  readonly live: boolean
  /** The own account of the platform that creates the account. */
  readonly platform?: AccountId
  /** Marks the own account of a platform, which creates at most this number of accounts. Null for no maximum. */
  readonly accounts_max?: number | null
  /** The hosts of the platform's pages, to which the portal may return. */
  readonly return_hosts?: ReadonlyArray<string>
}

/**
 * The maximum number of issuers, and of softwares, that a mode may have within 24 hours. Folio keeps all of them,
 * because documents refer to them.
 */
export const issuersPerDayMax = 100

export const issuerChangedTooOften = (seconds: number) =>
  new ApiError({
    code: "rate_limited",
    message: `The issuer or the software of this mode changed ${issuersPerDayMax} times within 24 hours, which is the limit. Retry in ${seconds} s.`,
    headers: { "Retry-After": String(seconds) }
  })

// Cached because an issuer changes a few times a year but is read for every batch of numbers.
const cacheTime = Duration.seconds(1)
const cacheSize = 10_000

export class Accounts extends Context.Service<Accounts>()("folio/accounts/store/Accounts", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const rows = sql`select ${columnsOf(sql, Row)} from account_modes join accounts on id = account_id`
    const where = (account: AccountMode) => ofAccount(sql, account)

    const find = Query.one(Row, (account: AccountMode) => sql`${rows} where ${where(account)}`)
    // A failed read is not cached: the next caller reads again.
    const cache = yield* Cache.makeWith((key: string) => find(ofCacheKey(key)), {
      capacity: cacheSize,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? cacheTime : 0)
    })

    // Cached without expiry, because the issuer of a version never changes.
    const findIssuer = Query.one(
      Schema.Struct({ issuer: Issuer }),
      (account: AccountMode, version: number) =>
        sql`select issuer from issuers where ${where(account)} and version = ${version}`
    )
    const issuers = yield* Cache.makeWith((key: string) => findIssuer(ofCacheKey(key), Number(key.split("|")[2])), {
      capacity: cacheSize,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.infinity : 0)
    })

    const lockMode = Query.one(
      Row,
      (account: AccountMode) => sql`${rows} where ${where(account)} for no key update of account_modes`
    )
    const write = ({ default_version, issuer, name, request_log, software, ...account }: StoredAccount) => {
      const columns = {
        name,
        issuer: issuer === null ? null : JSON.stringify(issuer),
        default_version,
        request_log,
        software
      }
      return sql`update account_modes set ${sql.update(columns)} where ${where(account)}`
    }

    // The seconds until the oldest of the last `issuersPerDayMax` issuers is a day old. Without a row, the issuer may
    // change.
    const waitOf = Query.first(
      Schema.Struct({ seconds: Schema.Int }),
      (account: AccountMode, version: number) => sql`
        select ceil(extract(epoch from created_at + interval '1 day' - now()))::integer as seconds
        from issuers
        where ${where(account)} and version = ${version} - ${issuersPerDayMax}::integer
          and created_at > now() - interval '1 day'`
    )
    // The caller has locked the mode's row, so no other transaction changes the issuer meanwhile.
    const mayChange = Effect.fnUntraced(function* (before: StoredAccount) {
      const wait = yield* waitOf(before, before.issuer_version + 1)
      if (Option.isSome(wait)) return yield* issuerChangedTooOften(wait.value.seconds)
    })

    const insert = Effect.fnUntraced(function* (account: NewAccount) {
      const {
        accounts_max,
        created_at,
        default_version,
        id,
        issuer,
        live,
        name,
        platform = null,
        return_hosts = []
      } = account
      const mode = (livemode: boolean, isKnown = issuer !== null) => ({
        account_id: id,
        livemode,
        name,
        default_version,
        issuer: isKnown ? JSON.stringify(issuer) : null,
        issuer_version: isKnown ? 1 : 0
      })
      const owner = {
        platform,
        is_platform: accounts_max !== undefined,
        accounts_max: accounts_max ?? null,
        return_hosts
      }
      yield* sql`insert into accounts ${sql.insert({ id, created_at, ...owner })}`
      yield* sql`insert into account_modes ${sql.insert([mode(false), mode(true, live && issuer !== null)])}`
    }, Effect.orDie)

    const liveFactsOf = yield* LiveMode.make

    return {
      /**
       * The account, from a cache of at most 1 s. Dies if the account does not exist, because ids come from API keys
       * and rows, never from a request.
       */
      get: (account: AccountMode) => Cache.get(cache, cacheKeyOf(account)),
      /** The account, read from the database in a transaction of `AccountView`. */
      read: (account: AccountMode) => AccountView.within(sql, account)(find(account)),
      /** The accounts with these ids in one mode, in no order, read from the database. */
      readAll: Query.all(
        Row,
        (ids: ReadonlyArray<AccountId>, livemode: boolean) =>
          sql`${rows} where account_id = any(${ids}::text[]) and livemode = ${livemode}`
      ),
      /** The mode's issuer of this version. */
      issuer: (account: AccountMode, version: number) =>
        Effect.map(Cache.get(issuers, `${cacheKeyOf(account)}|${version}`), ({ issuer }) => issuer),
      /** Inserts an account with both of its modes. */
      insert: (account: NewAccount) => Effect.orDie(sql.withTransaction(insert(account))),
      /**
       * Replaces a mode's name, issuer, software, default version and request log with the result of `change`, in the
       * caller's transaction. Fails with `rate_limited`.
       */
      update: Effect.fn("Accounts.update")(function* (
        account: AccountMode,
        change: (account: StoredAccount) => Effect.Effect<StoredAccount, ApiError>
      ) {
        const before = yield* lockMode(account)
        const changed = yield* change(before)
        if (isAnotherVersion(before, changed)) yield* mayChange(before)
        yield* Effect.orDie(write(changed))
        return yield* find(account)
      }),
      /** Reads the account in the caller's transaction. */
      find,
      /** Reads the account, and locks its status until the commit of the caller's transaction. */
      lock: (account: AccountMode) => Effect.andThen(AccountView.lock(sql, account), find(account)),
      /** Sets the status of an account in the caller's transaction, and returns the account. */
      setStatus: Effect.fn("Accounts.setStatus")(function* (
        account: AccountMode,
        status: AccountStatus,
        reason: string | null
      ) {
        yield* Effect.orDie(sql`
          update accounts set status = ${status}, status_reason = ${reason}, status_at = now()
          where id = ${account.account_id}`)
        return yield* find(account)
      }),
      /** Drops the cached account, so that `get` reads the database again. Call it after the commit of a change. */
      forget: (account: AccountMode) => Cache.invalidate(cache, cacheKeyOf(account)),
      /**
       * All accounts, also the own accounts of platforms, oldest first, each in its test mode and then in its live
       * mode.
       */
      list: Query.all(Row, () => sql`${rows} order by account_id, livemode`)(),
      exist: Query.isAny(sql`select id from accounts limit 1`),
      liveFactsOf,
      liveFacts: (account: AccountId) => Effect.map(liveFactsOf([account]), (found) => found.get(account)!),
      ...Logos.make(sql)
    }
  })
}) {
  static readonly layer = Layer.effect(Accounts, Accounts.make)
}

/** Whether a change creates a new version of the mode's issuer. */
export const isAnotherVersion = (before: StoredAccount, changed: StoredAccount): boolean =>
  JSON.stringify(changed.issuer) !== JSON.stringify(before.issuer) ||
  (changed.issuer !== null && changed.software !== before.software)

const cacheKeyOf = ({ account_id, livemode }: AccountMode) => `${account_id}|${livemode}`
const ofCacheKey = (key: string): AccountMode => {
  const [id = "", mode] = key.split("|")
  return { account_id: AccountId.make(id), livemode: mode === "true" }
}

// The issuer fields of a live mode without an issuer.
const noIssuer = {
  identification: null,
  legal_name: null,
  organization_type: null,
  email: null,
  address: null,
  city_code: null,
  department_code: null,
  country_code: null,
  tax_responsibilities: null
}

/** The issuer and its logo as the API shows them, without the SHA-256 that identifies the stored logo. */
const issuerView = ({ logo, ...issuer }: Issuer) => ({
  ...issuer,
  ...(logo === undefined ? {} : { logo: logoView(logo) })
})

const logoView = ({ height, media_type, width }: LogoImprint) => ({
  media_type,
  width,
  height,
  url: "/v1/account/logo"
})

/** The account as the API shows it to the keys of this mode. `beside` is stored in other tables. */
export const accountView = (
  account: StoredAccount,
  beside: Pick<Account, "certificate" | "software">
): Omit<Account, "live"> => ({
  id: account.account_id,
  object: "account",
  name: account.name,
  status: account.status,
  status_reason: account.status_reason,
  authority_environment: account.livemode ? "produccion" : "habilitacion",
  key_mode: account.livemode ? "live" : "test",
  ...(account.issuer === null ? noIssuer : issuerView(account.issuer)),
  default_version: account.default_version,
  request_log: account.request_log,
  certificate: beside.certificate,
  software: beside.software,
  created_at: timestamp(account.created_at.getTime())
})
