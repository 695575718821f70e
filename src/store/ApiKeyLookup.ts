import { Cache, Clock, Effect, Equal, Exit, Hash, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccountId, ApiKeyId } from "../../schemas/Id.ts"
import { Version } from "../../schemas/Version.ts"
import type { Principal } from "../api/Authorization.ts"
import { apiKeyHash, apiKeyMode } from "../domain/ApiKeyFormat.ts"
import { AuditLog } from "./AuditLog.ts"
import * as Batcher from "./Batcher.ts"

/** In SQL, of a row of `api_keys`. */
export const isUsable = "revoked_at is null and (expires_at is null or expires_at > now())"

// A key that has ended must stop working within a second on every node.
const cacheMs = 900
const cacheSize = 10_000

// A key that was bad stays so: nobody can guess one that is made meanwhile, and none that has ended begins again.
const badCacheMs = 5_000

// However many keys are guessed, so many statements a second look for them.
const turn = "50 millis"
const lookupsMax = 1_000

// last_used_at is written at most as often, by each process.
const usedEverySeconds = 300

const decodeFound = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      key_hash: Schema.String,
      api_key_id: ApiKeyId,
      account_id: AccountId,
      livemode: Schema.Boolean,
      default_version: Version,
      usable: Schema.Boolean,
      unnoted: Schema.Boolean
    })
  )
)

/** A question about a key. Two about the same key are the same one, whoever asks. */
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

/** Where a key was sent from, and whether that is where others were guessed a moment ago. */
export interface Asker {
  readonly request_id?: string
  readonly ip?: string
  readonly isSuspect?: boolean
}

/** Whose key it is, if it is a good one: see `ApiKeys.authenticate`. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const audit = yield* AuditLog
  const scope = yield* Effect.scope
  const usable = sql.literal(isUsable)

  const findAll = Effect.fnUntraced(function* (hashes: ReadonlyArray<string>) {
    const rows = yield* sql`
      select k.key_hash, k.id as api_key_id, k.account_id, k.livemode, m.default_version, ${usable} as usable,
        coalesce(k.last_used_at < now() - ${usedEverySeconds} * interval '1 second', true) as unnoted
      from api_keys k join account_modes m on m.account_id = k.account_id and m.livemode = k.livemode
      where k.key_hash = any(${hashes}::text[])`.pipe(Effect.flatMap(decodeFound))
    const found = new Map(rows.map((row) => [row.key_hash, row]))
    return hashes.map((hash) => Option.fromUndefinedOr(found.get(hash)))
  })
  // A statement that fails says nothing about any one key: it fails for all of them, and is not repeated one by one.
  const together = (hashes: ReadonlyArray<string>) =>
    Effect.map(Effect.exit(findAll(hashes)), (exit) =>
      hashes.map((_, index) => Exit.map(exit, (found) => found[index] ?? Option.none()))
    )
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
      Effect.catchCause((cause) => Effect.logWarning("The use of a key could not be noted", cause))
    )

  // Those that were good when they were last looked up. A flood from their address does not put them in a line with it.
  const proven = new Set<string>()
  const prove = (hash: string, isGood: boolean) => {
    proven.delete(hash)
    if (isGood) proven.add(hash)
    if (proven.size > cacheSize) for (const oldest of [...proven].slice(0, cacheSize / 2)) proven.delete(oldest)
  }

  // What was found is as old as the question: a slow answer is kept for less.
  const lookup = Effect.fnUntraced(function* ({ hash, isSuspect }: Asked) {
    const askedAt = yield* Clock.currentTimeMillis
    const find = isSuspect && !proven.has(hash) ? findInTurn : findAtOnce
    const found = yield* Effect.orDie(Effect.flatten(find(hash)))
    const isGood = Option.isSome(found) && found.value.usable
    prove(hash, isGood)
    // Nobody waits for the note.
    if (isGood && found.value.unnoted) yield* Effect.forkIn(noteUse(found.value.api_key_id), scope)
    return { found, goodForMs: askedAt + (isGood ? cacheMs : badCacheMs) - (yield* Clock.currentTimeMillis) }
  })
  const cache = yield* Cache.makeWith(lookup, {
    capacity: cacheSize,
    timeToLive: (exit) => (Exit.isSuccess(exit) ? Math.max(0, exit.value.goodForMs) : 0)
  })

  const authenticate = Effect.fnUntraced(function* (key: string, { isSuspect = false, ...from }: Asker = {}) {
    if (apiKeyMode(key) === null) return Option.none<Principal>()
    const { found } = yield* Cache.get(cache, new Asked(apiKeyHash(key), isSuspect))
    if (Option.isNone(found)) return Option.none<Principal>()
    const { account_id, api_key_id, default_version, livemode } = found.value
    const principal: Principal = { api_key_id, account_id, livemode, default_version }
    if (found.value.usable) return Option.some(principal)
    yield* Effect.forkIn(audit.refused(principal, { ...from, api_key_id }, "invalid_api_key"), scope)
    return Option.none<Principal>()
  })

  /** One that is being made: what was known of it before is not so any more. */
  const forget = (key: string) => Cache.invalidate(cache, new Asked(apiKeyHash(key), false))
  return { authenticate, forget }
})
