import { Cache, Context, Duration, Effect, Exit, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type Account, type AccountMode, Issuer, type KeyMode } from "../../schemas/Account.ts"
import type { ApiError } from "../../schemas/ApiError.ts"
import { AccountId } from "../../schemas/Id.ts"
import { Version } from "../../schemas/Version.ts"
import { timestamp } from "../domain/AuthorityTime.ts"
import * as AccountView from "./AccountView.ts"

/** An account as it is stored, before a key's mode colours it. */
export interface StoredAccount {
  readonly id: AccountId
  readonly name: string
  readonly issuer: Issuer
  /** Which of its issuers this is: 1, and one more with every change. */
  readonly issuer_version: number
  readonly default_version: Version
  readonly created_at: Date
}

const Row = Schema.Struct({
  id: AccountId,
  name: Schema.String,
  issuer: Issuer,
  issuer_version: Schema.Int,
  default_version: Version,
  created_at: Schema.Date
})

// An issuer changes a few times a year, and is read for every batch of numbers.
const cacheTime = Duration.seconds(1)
const cacheSize = 10_000

export class Accounts extends Context.Service<
  Accounts,
  {
    /** As it was within the last second. Dies when there is no such account: ids come from keys and rows, never from a request. */
    readonly get: (id: AccountId) => Effect.Effect<StoredAccount>
    /** As it is now, in the account's view. */
    readonly read: (of: AccountMode) => Effect.Effect<StoredAccount>
    /** What the account's issuer was in this version. */
    readonly issuer: (id: AccountId, version: number) => Effect.Effect<Issuer>
    readonly insert: (account: Omit<StoredAccount, "issuer_version">) => Effect.Effect<void>
    /** Changes name, issuer and version to what `change` makes of them. Part of the caller's transaction. */
    readonly update: (
      id: AccountId,
      change: (account: StoredAccount) => Effect.Effect<StoredAccount, ApiError>
    ) => Effect.Effect<StoredAccount, ApiError>
    /** From now on `get` gives what is there now: to be called after the commit of a change. */
    readonly forget: (id: AccountId) => Effect.Effect<void>
    /** All of them, oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<StoredAccount>>
    readonly exist: Effect.Effect<boolean>
  }
>()("folio/store/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const columns = sql.literal(Object.keys(Row.fields).join(", "))

      const find = SqlSchema.findOne({
        Request: AccountId,
        Result: Row,
        execute: (id) => sql`select ${columns} from accounts where id = ${id}`
      })
      // A read that failed says nothing: whoever asks next reads again.
      const cache = yield* Cache.makeWith((id: AccountId) => Effect.orDie(find(id)), {
        capacity: cacheSize,
        timeToLive: (exit) => (Exit.isSuccess(exit) ? cacheTime : 0)
      })

      // What has been never changes.
      const findIssuer = SqlSchema.findOne({
        Request: Schema.Struct({ id: AccountId, version: Schema.Int }),
        Result: Schema.Struct({ issuer: Issuer }),
        execute: ({ id, version }) => sql`select issuer from issuers where account_id = ${id} and version = ${version}`
      })
      const issuers = yield* Cache.makeWith(
        (key: string) => {
          const [id = "", version] = key.split("|")
          return Effect.orDie(findIssuer({ id: AccountId.make(id), version: Number(version) }))
        },
        { capacity: cacheSize, timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.infinity : 0) }
      )

      const lock = SqlSchema.findOne({
        Request: AccountId,
        Result: Row,
        execute: (id) => sql`select ${columns} from accounts where id = ${id} for no key update`
      })
      const write = SqlSchema.findOne({
        Request: Row,
        Result: Row,
        execute: ({ default_version, id, issuer, name }) => sql`
          update accounts set ${sql.update({ name, issuer: JSON.stringify(issuer), default_version })} where id = ${id}
          returning ${columns}`
      })

      const insert: Accounts["Service"]["insert"] = (account) =>
        sql`insert into accounts ${sql.insert({ ...account, issuer: JSON.stringify(account.issuer) })}`.pipe(
          Effect.orDie,
          Effect.asVoid
        )

      const exist = SqlSchema.findOneOption({
        Request: Schema.Void,
        Result: Schema.Struct({ id: AccountId }),
        execute: () => sql`select id from accounts limit 1`
      })(undefined).pipe(Effect.map(Option.isSome), Effect.orDie)

      return Accounts.of({
        get: (id) => Cache.get(cache, id),
        read: (of) => Effect.orDie(AccountView.within(sql, of)(find(of.account_id))),
        issuer: (id, version) => Effect.map(Cache.get(issuers, `${id}|${version}`), ({ issuer }) => issuer),
        insert,
        update: Effect.fn("Accounts.update")(function* (id, change) {
          const changed = yield* change(yield* Effect.orDie(lock(id)))
          return yield* Effect.orDie(write(changed))
        }),
        forget: (id) => Cache.invalidate(cache, id),
        list: SqlSchema.findAll({
          Request: Schema.Void,
          Result: Row,
          execute: () => sql`select ${columns} from accounts order by id`
        })(undefined).pipe(Effect.orDie),
        exist
      })
    })
  )
}

/** The account as the holder of a key of `mode` sees it, with the certificate that signs its documents there. */
export const accountView = (account: StoredAccount, mode: KeyMode, certificate: Account["certificate"]): Account => ({
  id: account.id,
  object: "account",
  name: account.name,
  authority_environment: mode === "live" ? "produccion" : "habilitacion",
  key_mode: mode,
  ...account.issuer,
  default_version: account.default_version,
  certificate,
  created_at: timestamp(account.created_at.getTime())
})
