import { Clock, Context, Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { AccountMode, type KeyMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import { ApiKey } from "../../../schemas/ApiKey.ts"
import { type AccountId, ApiKeyId } from "../../../schemas/Id.ts"
import type { Capability } from "../../../schemas/PortalSession.ts"
import { apiKeyHash } from "../../domain/accounts/ApiKeyFormat.ts"
import { localKeyPrefix } from "../../domain/accounts/LocalApiKey.ts"
import * as AccountView from "../sql/AccountView.ts"
import * as ApiKeyLookup from "./ApiKeyLookup.ts"
import { isUsable } from "./ApiKeyLookup.ts"
import { AuditLog, operator } from "./AuditLog.ts"
import * as LiveMode from "./LiveMode.ts"
import { columnsOf, ofAccount, ofKey } from "../sql/Keys.ts"
import * as Pages from "../sql/Pages.ts"
import * as Query from "../sql/Query.ts"
import { viewOf } from "../sql/View.ts"

const Row = Schema.Struct({
  ...AccountMode.fields,
  ...Struct.omit(ApiKey.fields, ["object"]),
  created_at: Schema.Date,
  last_used_at: Schema.NullOr(Schema.Date),
  expires_at: Schema.NullOr(Schema.Date),
  revoked_at: Schema.NullOr(Schema.Date)
})
export type StoredApiKey = typeof Row.Type

const ApiKeyRef = Schema.Struct({ ...AccountMode.fields, id: ApiKeyId })
export type ApiKeyRef = typeof ApiKeyRef.Type

/** A key to be stored. The database holds the key's hash and last four characters, never the key. */
export interface NewApiKey {
  readonly id: ApiKeyId
  readonly account_id: AccountId
  readonly mode: KeyMode
  readonly key: string
  readonly name?: string | null
  /** What the key may do; null or left out for everything. */
  readonly capabilities?: ReadonlyArray<Capability> | null
  readonly created_at: Date
}

export const usableKeysMax = 100

/** The refusal of the requesting key when it ends while its request is under way. */
export const endedKey = new ApiError({
  code: "invalid_api_key",
  message: "This API key was revoked or has expired before the request was done. Send another key of the account."
})

export const keyLimitReached = new ApiError({
  code: "api_key_limit_reached",
  message: `An account has at most ${usableKeysMax} keys that work in each mode, and one that was rolled works until it expires. Revoke one that is no longer used, or roll it with expires_in 0.`
})
export const lastKey = new ApiError({
  code: "last_api_key",
  message:
    "This is the last key of its mode that does not expire: without it the account could no longer be reached. Roll it, or make another key first."
})
export const inactiveKey = (id: string) =>
  new ApiError({
    code: "api_key_inactive",
    message: `The API key ${JSON.stringify(id)} was revoked or has expired, and cannot be rolled. Make a new one.`
  })
/** The refusal of a roll in a session that may do nothing of what the key may. */
export const nothingInCommon = new ApiError({
  code: "capability_missing",
  message: "This session may do nothing that the key may do. Roll the key in a session that has its capabilities."
})
/** What a key may do that follows another: what both that key and the request may. Null stands for everything. */
export const common = (one: ReadonlyArray<Capability> | null, other: ReadonlyArray<Capability> | null) =>
  one === null || other === null ? (one ?? other) : one.filter((capability) => other.includes(capability))
export const missingKey = (id: string) => ApiError.missing("API key", id)

export class ApiKeys extends Context.Service<ApiKeys>()("folio/store/ApiKeys", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { authenticate, forget } = yield* ApiKeyLookup.make
    const columns = columnsOf(sql, Row)
    const usable = sql.literal(isUsable)
    // These readers include revoked and expired keys.
    const { find, list } = Pages.readers(sql, { service: "ApiKeys", table: "api_keys", columns, row: Row })

    const audit = yield* AuditLog
    const insertRow = Query.one(
      Row,
      ({ account_id, capabilities = null, created_at, id, key, mode, name = null }: NewApiKey) =>
        sql`insert into api_keys ${sql.insert({
          id,
          account_id,
          livemode: mode === "live",
          name,
          capabilities,
          key_hash: apiKeyHash(key),
          last_four: key.slice(-4),
          created_at
        })} returning ${columns}`
    )
    const insert = Effect.fn("ApiKeys.insert")((key: NewApiKey) => Effect.tap(insertRow(key), forget(key.key)))

    /** Stores a key without checking the account's other keys. */
    const add = (key: NewApiKey) => Effect.asVoid(insert(key))

    const read = Query.first(
      Schema.Struct({ ...Row.fields, usable: Schema.Boolean }),
      (key: ApiKeyRef) => sql`select ${columns}, ${usable} as usable from api_keys where ${ofKey(sql, key)}`
    )
    /** The account, mode and id of a key, for operators, who name keys by their ids alone. */
    const locate = Query.first(
      ApiKeyRef,
      (id: string) => sql`select account_id, livemode, id from api_keys where id = ${id}`
    )

    /** Inserts a key if the account has room for another key. The caller has locked the account. */
    const insertWithin = Effect.fnUntraced(function* (key: NewApiKey) {
      const full = yield* Query.isAny(sql`
        select 1 as found from api_keys
        where account_id = ${key.account_id} and livemode = ${key.mode === "live"} and ${usable}
        having count(*) >= ${usableKeysMax}`)
      return full ? yield* keyLimitReached : yield* insert(key)
    })

    /**
     * Fails with `invalid_api_key` when the requesting key has ended. The account is locked, so that no key is being
     * revoked.
     */
    const checkAsker = Effect.fnUntraced(function* (by: ApiKeyId | undefined) {
      if (by === undefined) return
      const isGood = yield* Query.isAny(sql`select 1 as found from api_keys where id = ${by} and ${usable}`)
      if (!isGood) return yield* endedKey
    })

    /**
     * Fails with `api_key_limit_reached`, and with `invalid_api_key` when the requesting key `by` has ended: a revoked
     * key leaves no successor. Runs in the caller's transaction, as do `roll` and `revoke`.
     */
    const create = Effect.fn("ApiKeys.create")(function* (key: NewApiKey, by?: ApiKeyId) {
      yield* LiveMode.checkNewKey(sql, key.mode)
      yield* AccountView.lock(sql, key)
      yield* checkAsker(by)
      return yield* insertWithin(key)
    })

    const isThere = (id: string) => Query.isAny(sql`select 1 as found from api_keys where id = ${id}`)
    /**
     * Inserts a key unless there is one with this id, which may have ended. Processes may do so at the same time. Does
     * not look at the limit of keys. Fails with `resource_missing` without such an account, and with
     * `account_not_live`.
     */
    const ensure = Effect.fn("ApiKeys.ensure")(function* (key: Omit<NewApiKey, "created_at">) {
      if (yield* isThere(key.id)) return
      yield* LiveMode.checkNewKey(sql, key.mode)
      const make = Effect.gen(function* () {
        yield* AccountView.lock(sql, key)
        if (yield* isThere(key.id)) return true
        const isAccount = yield* Query.isAny(sql`select 1 as found from accounts where id = ${key.account_id}`)
        if (!isAccount) return false
        yield* insert({ ...key, created_at: new Date(yield* Clock.currentTimeMillis) })
        const account = { account_id: key.account_id, livemode: key.mode === "live" }
        yield* audit.record(account, operator, "api_key.created", key.id)
        return true
      })
      if (!(yield* Effect.orDie(sql.withTransaction(make)))) return yield* ApiError.missing("account", key.account_id)
    }, Effect.asVoid)

    /**
     * Lets `old` expire after `expiresInSeconds` at the latest, and stores `next` under the name of `old`, with the
     * capabilities that both have. Fails as `create` does (`old` counts toward the limit until it expires), and with
     * `resource_missing`, `api_key_inactive` and `capability_missing`.
     */
    const roll = Effect.fn("ApiKeys.roll")(function* (
      old: ApiKeyRef,
      expiresInSeconds: number,
      next: Omit<NewApiKey, "name">,
      by?: ApiKeyId
    ) {
      yield* LiveMode.checkNewKey(sql, old.livemode ? "live" : "test")
      yield* AccountView.lock(sql, old)
      yield* checkAsker(by)
      const row = Option.getOrUndefined(yield* read(old))
      if (row === undefined) return yield* missingKey(old.id)
      if (!row.usable) return yield* inactiveKey(old.id)
      const capabilities = common(row.capabilities, next.capabilities ?? null)
      if (capabilities?.length === 0) return yield* nothingInCommon
      yield* Effect.orDie(sql`
        update api_keys set
          expires_at = least(coalesce(expires_at, 'infinity'), now() + ${expiresInSeconds} * interval '1 second')
        where ${ofKey(sql, old)}`)
      return yield* insertWithin({ ...next, name: row.name, capabilities })
    })

    /**
     * Revokes a key for good; a repetition changes nothing. Fails with `resource_missing` and, unless `evenTheLast` is
     * true, with `last_api_key`.
     */
    const revoke = Effect.fn("ApiKeys.revoke")(function* (key: ApiKeyRef, options?: { readonly evenTheLast: boolean }) {
      yield* AccountView.lock(sql, key)
      const row = Option.getOrUndefined(yield* read(key))
      if (row === undefined) return yield* missingKey(key.id)
      // A restricted key cannot do all that an account needs, and no client has the key of `LocalApi`: neither replaces
      // another key.
      const isNeeded =
        row.usable &&
        row.capabilities === null &&
        !row.id.startsWith(localKeyPrefix) &&
        options?.evenTheLast !== true &&
        !(yield* Query.isAny(sql`
          select 1 as found from api_keys where ${ofAccount(sql, key)}
            and id <> ${key.id} and not starts_with(id, ${localKeyPrefix})
            and revoked_at is null and expires_at is null and capabilities is null limit 1`))
      if (isNeeded) return yield* lastKey
      yield* Effect.orDie(sql`update api_keys set revoked_at = now() where ${ofKey(sql, key)} and revoked_at is null`)
    }, Effect.asVoid)

    return { authenticate, insert: add, find, locate, list, create, ensure, roll, revoke }
  })
}) {
  static readonly layer = Layer.effect(ApiKeys, ApiKeys.make)
}

/** The key as the API shows it, without the secret itself. */
export const apiKeyView: (row: StoredApiKey) => ApiKey = viewOf(ApiKey)
