import { Cache, Context, Duration, Effect, Exit, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { KeyMode } from "../../schemas/Account.ts"
import { AccountId, ApiKeyId } from "../../schemas/Id.ts"
import { Version } from "../../schemas/Version.ts"
import type { Principal } from "../api/Authorization.ts"
import { apiKeyHash, apiKeyMode } from "../domain/ApiKeyFormat.ts"

const Row = Schema.Struct({
  api_key_id: ApiKeyId,
  account_id: AccountId,
  livemode: Schema.Boolean,
  default_version: Version
})

// A revoked key must stop working within a second on every node.
const cacheTime = Duration.millis(900)
const cacheSize = 10_000

export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** None for a key that is mistyped (no look-up), unknown or revoked. */
    readonly authenticate: (key: string) => Effect.Effect<Option.Option<Principal>>
    /** Stores a key's hash and last four characters; the key itself is nowhere. */
    readonly insert: (key: {
      readonly id: ApiKeyId
      readonly account_id: AccountId
      readonly mode: KeyMode
      readonly key: string
      readonly created_at: Date
    }) => Effect.Effect<void>
  }
>()("folio/store/ApiKeys") {
  static readonly layer = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const find = SqlSchema.findOneOption({
        Request: Schema.String,
        Result: Row,
        execute: (hash) => sql`
          select k.id as api_key_id, k.account_id, k.livemode, a.default_version
          from api_keys k join accounts a on a.id = k.account_id
          where k.key_hash = ${hash} and k.revoked_at is null`
      })
      // A key that is not there may be made the next moment: only finds are kept.
      const cache = yield* Cache.makeWith((hash: string) => Effect.orDie(find(hash)), {
        capacity: cacheSize,
        timeToLive: (exit) => (Exit.isSuccess(exit) && Option.isSome(exit.value) ? cacheTime : 0)
      })

      const authenticate = (key: string) =>
        apiKeyMode(key) === null ? Effect.succeedNone : Cache.get(cache, apiKeyHash(key))

      const insert = ({ id, account_id, mode, key, created_at }: Parameters<ApiKeys["Service"]["insert"]>[0]) =>
        sql`insert into api_keys ${sql.insert({
          id,
          account_id,
          livemode: mode === "live",
          key_hash: apiKeyHash(key),
          last_four: key.slice(-4),
          created_at
        })}`.pipe(Effect.orDie, Effect.asVoid)

      return ApiKeys.of({ authenticate, insert })
    })
  )
}
