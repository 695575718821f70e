import { Cache, Context, Duration, Effect, Exit, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type Account, AccountMode, Issuer } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import { AccountId } from "../../schemas/Id.ts"
import { Version } from "../../schemas/Version.ts"
import { timestamp } from "../domain/AuthorityTime.ts"
import * as AccountView from "./AccountView.ts"

const Row = Schema.Struct({
  ...AccountMode.fields,
  name: Schema.String,
  /** Null in a live mode that nobody has told of its issuer yet. */
  issuer: Schema.NullOr(Issuer),
  /** Which of the mode's issuers this is: 1, and one more with every change; 0 while there is none. */
  issuer_version: Schema.Int,
  default_version: Version,
  created_at: Schema.Date
})
/** An account in one of its modes. Each mode has all of this for itself. */
export type StoredAccount = typeof Row.Type

export interface NewAccount {
  readonly id: AccountId
  readonly name: string
  readonly issuer: Issuer
  readonly default_version: Version
  readonly created_at: Date
  /** Whether the issuer is the live mode's as well. */
  readonly live: boolean
}

/** How many issuers a mode may have had within a day. All are kept: documents name the one that they were issued by. */
export const issuersPerDayMax = 100

export const issuerChangedTooOften = (seconds: number) =>
  new ApiError({
    code: "rate_limited",
    message: `The issuer of this mode changed as often as it may: ${issuersPerDayMax} times within 24 hours. Change it again in ${seconds} s.`,
    headers: { "Retry-After": String(seconds) }
  })

// An issuer changes a few times a year, and is read for every batch of numbers.
const cacheTime = Duration.seconds(1)
const cacheSize = 10_000

export class Accounts extends Context.Service<
  Accounts,
  {
    /** As it was within the last second. Dies when there is no such account: ids come from keys and rows, never from a request. */
    readonly get: (of: AccountMode) => Effect.Effect<StoredAccount>
    /** As it is now, in the account's view. */
    readonly read: (of: AccountMode) => Effect.Effect<StoredAccount>
    /** What the mode's issuer was in this version. */
    readonly issuer: (of: AccountMode, version: number) => Effect.Effect<Issuer>
    /** Makes both modes of an account. */
    readonly insert: (account: NewAccount) => Effect.Effect<void>
    /**
     * Changes name, issuer and version of one mode to what `change` makes of them. Fails with `rate_limited`. Part of the caller's
     * transaction.
     */
    readonly update: (
      of: AccountMode,
      change: (account: StoredAccount) => Effect.Effect<StoredAccount, ApiError>
    ) => Effect.Effect<StoredAccount, ApiError>
    /** From now on `get` gives what is there now: to be called after the commit of a change. */
    readonly forget: (of: AccountMode) => Effect.Effect<void>
    /** All of them, oldest first, each in its test and then in its live mode. */
    readonly list: Effect.Effect<ReadonlyArray<StoredAccount>>
    readonly exist: Effect.Effect<boolean>
  }
>()("folio/store/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const columns = sql.literal(Object.keys(Row.fields).join(", "))
      const rows = sql`select ${columns} from account_modes join accounts on id = account_id`
      const where = (of: { readonly account_id: string; readonly livemode: boolean }) =>
        sql`account_id = ${of.account_id} and livemode = ${of.livemode}`

      const find = SqlSchema.findOne({
        Request: AccountMode,
        Result: Row,
        execute: (of) => sql`${rows} where ${where(of)}`
      })
      // A read that failed says nothing: whoever asks next reads again.
      const cache = yield* Cache.makeWith((key: string) => Effect.orDie(find(ofKey(key))), {
        capacity: cacheSize,
        timeToLive: (exit) => (Exit.isSuccess(exit) ? cacheTime : 0)
      })

      // What has been never changes.
      const findIssuer = SqlSchema.findOne({
        Request: Schema.Struct({ ...AccountMode.fields, version: Schema.Int }),
        Result: Schema.Struct({ issuer: Issuer }),
        execute: (of) => sql`select issuer from issuers where ${where(of)} and version = ${of.version}`
      })
      const issuers = yield* Cache.makeWith(
        (key: string) => Effect.orDie(findIssuer({ ...ofKey(key), version: Number(key.split("|")[2]) })),
        { capacity: cacheSize, timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.infinity : 0) }
      )

      const lock = SqlSchema.findOne({
        Request: AccountMode,
        Result: Row,
        execute: (of) => sql`${rows} where ${where(of)} for no key update of account_modes`
      })
      const write = ({ default_version, issuer, name, ...of }: StoredAccount) =>
        sql`
          update account_modes
          set ${sql.update({ name, issuer: issuer === null ? null : JSON.stringify(issuer), default_version })}
          where ${where(of)}`

      // For how much longer the issuer that is then the oldest of as many as may be is younger than a day.
      const waitOf = SqlSchema.findOneOption({
        Request: Schema.Struct({ ...AccountMode.fields, version: Schema.Int }),
        Result: Schema.Struct({ seconds: Schema.Int }),
        execute: (of) => sql`
          select ceil(extract(epoch from created_at + interval '1 day' - now()))::integer as seconds
          from issuers
          where ${where(of)} and version = ${of.version} - ${issuersPerDayMax}::integer
            and created_at > now() - interval '1 day'`
      })
      // The mode's row is locked: nobody else changes its issuer meanwhile.
      const mayChange = Effect.fnUntraced(function* (before: StoredAccount) {
        const { account_id, issuer_version, livemode } = before
        const wait = yield* Effect.orDie(waitOf({ account_id, livemode, version: issuer_version + 1 }))
        if (Option.isSome(wait)) return yield* issuerChangedTooOften(wait.value.seconds)
      })

      const insert: Accounts["Service"]["insert"] = Effect.fnUntraced(function* (account) {
        const { created_at, default_version, id, issuer, live, name } = account
        const mode = (livemode: boolean, isKnown: boolean) => ({
          account_id: id,
          livemode,
          name,
          default_version,
          issuer: isKnown ? JSON.stringify(issuer) : null,
          issuer_version: isKnown ? 1 : 0
        })
        yield* sql`insert into accounts ${sql.insert({ id, created_at })}`
        yield* sql`insert into account_modes ${sql.insert([mode(false, true), mode(true, live)])}`
      }, Effect.orDie)

      const exist = SqlSchema.findOneOption({
        Request: Schema.Void,
        Result: Schema.Struct({ id: AccountId }),
        execute: () => sql`select id from accounts limit 1`
      })(undefined).pipe(Effect.map(Option.isSome), Effect.orDie)

      return Accounts.of({
        get: (of) => Cache.get(cache, keyOf(of)),
        read: (of) => Effect.orDie(AccountView.within(sql, of)(find(of))),
        issuer: (of, version) => Effect.map(Cache.get(issuers, `${keyOf(of)}|${version}`), ({ issuer }) => issuer),
        insert: (account) => Effect.orDie(sql.withTransaction(insert(account))),
        update: Effect.fn("Accounts.update")(function* (of, change) {
          const before = yield* Effect.orDie(lock(of))
          const changed = yield* change(before)
          if (JSON.stringify(changed.issuer) !== JSON.stringify(before.issuer)) yield* mayChange(before)
          yield* Effect.orDie(write(changed))
          return yield* Effect.orDie(find(of))
        }),
        forget: (of) => Cache.invalidate(cache, keyOf(of)),
        list: SqlSchema.findAll({
          Request: Schema.Void,
          Result: Row,
          execute: () => sql`${rows} order by account_id, livemode`
        })(undefined).pipe(Effect.orDie),
        exist
      })
    })
  )
}

const keyOf = ({ account_id, livemode }: AccountMode) => `${account_id}|${livemode}`
const ofKey = (key: string): AccountMode => {
  const [id = "", mode] = key.split("|")
  return { account_id: AccountId.make(id), livemode: mode === "true" }
}

// What a live mode shows before somebody has said who issues there.
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

/** The account as the holder of a key of this mode sees it, with the certificate that signs its documents there. */
export const accountView = (account: StoredAccount, certificate: Account["certificate"]): Account => ({
  id: account.account_id,
  object: "account",
  name: account.name,
  authority_environment: account.livemode ? "produccion" : "habilitacion",
  key_mode: account.livemode ? "live" : "test",
  ...(account.issuer ?? noIssuer),
  default_version: account.default_version,
  certificate,
  created_at: timestamp(account.created_at.getTime())
})
