import { Cache, Clock, Effect, Equal, Exit, Hash, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccountMode, AccountStatus } from "../../../schemas/Account.ts"
import { KeyCapability } from "../../../schemas/ApiKey.ts"
import { ApiKeyId } from "../../../schemas/Id.ts"
import { networksOf } from "../../../schemas/Network.ts"
import { Version } from "../../../schemas/Version.ts"
import type { Principal } from "../../api/Authorization.ts"
import { apiKeyHash, apiKeyMode } from "../rules/ApiKeyFormat.ts"
import { AuditLog } from "./AuditLog.ts"
import * as Batcher from "../../database/Batcher.ts"
import { isUsableApiKey } from "../../database/Keys.ts"
import * as Query from "../../database/Query.ts"

// A key that has ended must stop working within a second in every process.
export const keyCacheMs = 900
const cacheSize = 10_000

// A bad key is cached for longer, because no client can guess a key before Folio creates it, and an ended key never
// works again.
const badCacheMs = 5_000

// Suspect lookups wait this long to share one statement. This limits the statements per second, however many keys a
// client guesses.
const turn = "50 millis"
const lookupsMax = 1_000

// The shortest time between two writes of a key's `last_used_at`.
const usedEverySeconds = 300

const Found = Schema.Struct({
  ...AccountMode.fields,
  key_hash: Schema.String,
  api_key_id: ApiKeyId,
  default_version: Version,
  capabilities: Schema.NullOr(Schema.Array(KeyCapability)),
  allowed_ips: Schema.NullOr(Schema.Array(Schema.String)),
  account_status: AccountStatus,
  is_platform: Schema.Boolean,
  usable: Schema.Boolean,
  revoked: Schema.Boolean,
  rolled: Schema.Boolean,
  unnoted: Schema.Boolean
})

/** The principal of a key's requests, with the networks of `allowed_ips`, and with the platform of a platform's key. */
export const principalOf = ({
  allowed_ips,
  capabilities,
  is_platform,
  ...row
}: Pick<
  typeof Found.Type,
  "allowed_ips" | "capabilities" | "is_platform" | Exclude<keyof Principal, "networks" | "platform">
>): Principal => ({
  api_key_id: row.api_key_id,
  account_id: row.account_id,
  livemode: row.livemode,
  default_version: row.default_version,
  account_status: row.account_status,
  ...(is_platform ? { platform: row.account_id } : {}),
  ...(capabilities === null ? {} : { capabilities }),
  ...(allowed_ips === null ? {} : { networks: networksOf(allowed_ips) })
})

/** Why a key no longer works: a client revoked it, it reached its end, or the transition period of a roll is over. */
export type KeyEnd = "revoked" | "expired" | "rolled"

/** The cache key of a lookup. Two lookups of the same API key are equal, whether or not the sender is suspect. */
class Asked implements Equal.Equal {
  readonly hash: string
  readonly isSuspect: boolean
  constructor(hash: string, isSuspect: boolean) {
    this.hash = hash
    this.isSuspect = isSuspect
  }
  [Equal.symbol](that: unknown) {
    return that instanceof Asked && that.hash === this.hash
  }
  [Hash.symbol]() {
    return Hash.string(this.hash)
  }
}

/**
 * The origin of a request. `isSuspect`: the address has just used up its rate limit for requests without a valid key.
 */
export interface Asker {
  readonly request_id?: string
  readonly ip?: string
  readonly isSuspect?: boolean
  /** Called for a key that was revoked or has expired, with the principal of the key. */
  readonly onEnded?: (principal: Principal, how: KeyEnd) => void
}

/** Makes `authenticate` and `forget`, which share a cache of looked-up keys. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const audit = yield* AuditLog
  const scope = yield* Effect.scope
  const usable = sql.literal(isUsableApiKey)

  const findRows = Query.all(
    Found,
    (hashes: ReadonlyArray<string>) => sql`
      select k.key_hash, k.id as api_key_id, k.account_id, k.livemode, m.default_version, k.capabilities, k.allowed_ips,
        a.status as account_status, a.is_platform, ${usable} as usable, k.revoked_at is not null as revoked,
        k.expires_at is distinct from k.granted_until as rolled,
        coalesce(k.last_used_at < now() - ${usedEverySeconds} * interval '1 second', true) as unnoted
      from api_keys k join accounts a on a.id = k.account_id
      join account_modes m on m.account_id = k.account_id and m.livemode = k.livemode
      where k.key_hash = any(${hashes}::text[])`
  )
  // If the statement fails, each lookup of the batch fails with it. No key is looked up alone, because the failure is
  // not the failure of one key.
  const together = (hashes: ReadonlyArray<string>) =>
    Effect.map(Effect.exit(findRows(hashes)), (exit) => {
      const found = Exit.map(exit, (rows) => new Map(rows.map((row) => [row.key_hash, row])))
      return hashes.map((hash) => Exit.map(found, (rows) => Option.fromUndefinedOr(rows.get(hash))))
    })
  const findAtOnce = yield* Batcher.make({ name: "api_keys", max: lookupsMax, run: together })
  const findInTurn = yield* Batcher.make({
    name: "suspect_api_keys",
    max: lookupsMax,
    run: (hashes: ReadonlyArray<string>) => Effect.andThen(Effect.sleep(turn), together(hashes))
  })
  const noteUse = (id: ApiKeyId) =>
    sql`
      update api_keys set last_used_at = now() where id = ${id}
        and coalesce(last_used_at < now() - ${usedEverySeconds} * interval '1 second', true)`.pipe(
      Effect.catchCause((cause) => Effect.logWarning("Could not store the last use of an API key", cause))
    )

  // The hashes of keys that were good at their last lookup. A flood of bad keys from the same address does not delay
  // these keys.
  const proven = new Set<string>()
  const prove = (hash: string, isGood: boolean) => {
    proven.delete(hash)
    if (isGood) proven.add(hash)
    if (proven.size > cacheSize) for (const oldest of [...proven].slice(0, cacheSize / 2)) proven.delete(oldest)
  }

  // The cache time counts from the start of the lookup, so the result of a slow lookup is cached for a shorter time.
  const lookup = Effect.fnUntraced(function* ({ hash, isSuspect }: Asked) {
    const askedAt = yield* Clock.currentTimeMillis
    const find = isSuspect && !proven.has(hash) ? findInTurn : findAtOnce
    const found = yield* Effect.flatten(find(hash))
    const isGood = Option.isSome(found) && found.value.usable
    prove(hash, isGood)
    // The write runs in the background, so that the request does not wait for it.
    if (isGood && found.value.unnoted) yield* Effect.forkIn(noteUse(found.value.api_key_id), scope)
    const principal = Option.map(found, principalOf)
    return {
      found,
      principal,
      goodForMs: askedAt + (isGood ? keyCacheMs : badCacheMs) - (yield* Clock.currentTimeMillis)
    }
  })
  const cache = yield* Cache.makeWith(lookup, {
    capacity: cacheSize,
    timeToLive: (exit) => (Exit.isSuccess(exit) ? Math.max(0, exit.value.goodForMs) : 0)
  })

  /**
   * The principal of a usable key. None for a mistyped key (without a lookup), and for an unknown, revoked or expired
   * key. The audit log records the use of a revoked or expired key together with `from`. If `isSuspect` is true, a key
   * that is not in `proven` waits for a shared batch of lookups.
   */
  const authenticate = Effect.fnUntraced(function* (key: string, { isSuspect = false, onEnded, ...from }: Asker = {}) {
    if (apiKeyMode(key) === null) return Option.none<Principal>()
    const { found, principal } = yield* Cache.get(cache, new Asked(apiKeyHash(key), isSuspect))
    if (Option.isNone(found) || Option.isNone(principal) || found.value.usable) return principal
    onEnded?.(principal.value, found.value.revoked ? "revoked" : found.value.rolled ? "rolled" : "expired")
    const { api_key_id } = principal.value
    yield* Effect.forkIn(audit.refused(principal.value, { ...from, api_key_id }, "invalid_api_key"), scope)
    return Option.none<Principal>()
  })

  /** Drops a new key from the cache, because an earlier lookup may have cached the key as unknown. */
  const forget = (key: string) => Cache.invalidate(cache, new Asked(apiKeyHash(key), false))
  return { authenticate, forget }
})
