import { Cache, Context, Duration, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type Account, Issuer, type KeyMode } from "../../schemas/Account.ts"
import { AccountId } from "../../schemas/Id.ts"
import { Version } from "../../schemas/Version.ts"
import { timestamp } from "../domain/AuthorityTime.ts"

/** An account as it is stored, before a key's mode colours it. */
export interface StoredAccount {
  readonly id: AccountId
  readonly name: string
  readonly issuer: Issuer
  readonly default_version: Version
  readonly created_at: Date
}

const Row = Schema.Struct({
  id: AccountId,
  name: Schema.String,
  issuer: Issuer,
  default_version: Version,
  created_at: Schema.Date
})

// An issuer changes a few times a year, and is read for every batch of numbers.
const cacheTime = Duration.seconds(1)
const cacheSize = 10_000

export class Accounts extends Context.Service<
  Accounts,
  {
    /** Dies when there is no such account: ids come from keys and rows, never from a request. */
    readonly get: (id: AccountId) => Effect.Effect<StoredAccount>
    readonly insert: (account: StoredAccount) => Effect.Effect<void>
    readonly exist: Effect.Effect<boolean>
  }
>()("folio/store/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const find = SqlSchema.findOne({
        Request: AccountId,
        Result: Row,
        execute: (id) => sql`select id, name, issuer, default_version, created_at from accounts where id = ${id}`
      })
      const cache = yield* Cache.make({
        lookup: (id: AccountId) => Effect.orDie(find(id)),
        capacity: cacheSize,
        timeToLive: cacheTime
      })

      const insert = (account: StoredAccount) =>
        sql`insert into accounts ${sql.insert({ ...account, issuer: JSON.stringify(account.issuer) })}`.pipe(
          Effect.orDie,
          Effect.asVoid
        )

      const exist = SqlSchema.findOneOption({
        Request: Schema.Void,
        Result: Schema.Struct({ id: AccountId }),
        execute: () => sql`select id from accounts limit 1`
      })(undefined).pipe(Effect.map(Option.isSome), Effect.orDie)

      return Accounts.of({ get: (id) => Cache.get(cache, id), insert, exist })
    })
  )
}

/** The account as the holder of a key of `mode` sees it. */
export const accountView = (account: StoredAccount, mode: KeyMode): Account => ({
  id: account.id,
  object: "account",
  name: account.name,
  authority_environment: mode === "live" ? "produccion" : "habilitacion",
  key_mode: mode,
  ...account.issuer,
  default_version: account.default_version,
  certificate: null,
  created_at: timestamp(account.created_at.getTime())
})
