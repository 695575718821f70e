import { Clock, Context, Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { AccountMode, type KeyMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import { ApiKey } from "../../../schemas/ApiKey.ts"
import { type AccountId, ApiKeyId } from "../../../schemas/Id.ts"
import type { Capability } from "../../../schemas/PortalSession.ts"
import { apiKeyHash } from "../rules/ApiKeyFormat.ts"
import { localKeyPrefix } from "../rules/LocalApiKey.ts"
import * as AccountView from "../../database/AccountView.ts"
import * as ApiKeyLookup from "./ApiKeyLookup.ts"
import { isUsable } from "./ApiKeyLookup.ts"
import { AuditLog, operator } from "./AuditLog.ts"
import * as LiveMode from "./LiveMode.ts"
import { columnsOf, ofAccount, ofKey } from "../../database/Keys.ts"
import * as Pages from "../../database/Pages.ts"
import * as Query from "../../database/Query.ts"
import { viewOf } from "../../database/View.ts"

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

/** A key to store. The database contains only the hash and the last four characters of the key. */
export interface NewApiKey {
  readonly id: ApiKeyId
  readonly account_id: AccountId
  readonly mode: KeyMode
  readonly key: string
  readonly name?: string | null
  /** Capabilities of the key. If null or omitted, the key has all capabilities. */
  readonly capabilities?: ReadonlyArray<Capability> | null
  readonly created_at: Date
}

export const usableKeysMax = 100

/** The error for a request whose API key ends before Folio completes the request. */
export const endedKey = new ApiError({
  code: "invalid_api_key",
  message: "This API key was revoked or has expired since the request began. Use another key of the account."
})

export const keyLimitReached = new ApiError({
  code: "api_key_limit_reached",
  message: `An account has at most ${usableKeysMax} usable keys in each mode. A rolled key is usable until it expires. Revoke a key that you no longer use, or roll it with expires_in 0.`
})
export const lastKey = new ApiError({
  code: "last_api_key",
  message:
    "This is the last key of its mode that does not expire. Without it, no client can reach the account. Roll the key, or create another key first."
})
export const inactiveKey = (id: string) =>
  new ApiError({
    code: "api_key_inactive",
    message: `The API key ${JSON.stringify(id)} was revoked or has expired, so you cannot roll it. Create a new key.`
  })
/** The error for a roll in a portal session that shares no capability with the key. */
export const nothingInCommon = new ApiError({
  code: "capability_missing",
  message: "This session has none of the key's capabilities. Roll the key in a session that has them."
})
/** The capabilities that both lists contain, for the successor of a rolled key. Null means all capabilities. */
export const common = (one: ReadonlyArray<Capability> | null, other: ReadonlyArray<Capability> | null) =>
  one === null || other === null ? (one ?? other) : one.filter((capability) => other.includes(capability))
export const missingKey = (id: string) => ApiError.missing("API key", id)

export class ApiKeys extends Context.Service<ApiKeys>()("folio/accounts/store/ApiKeys", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { authenticate, forget } = yield* ApiKeyLookup.make
    const columns = columnsOf(sql, Row)
    const usable = sql.literal(isUsable)
    // These readers also return revoked and expired keys.
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
    /** Finds the account and the mode of a key by its id. An operator's command has only the id. */
    const locate = Query.first(
      ApiKeyRef,
      (id: string) => sql`select account_id, livemode, id from api_keys where id = ${id}`
    )

    /** Inserts a key unless the account already has `usableKeysMax` usable keys. The caller has locked the account. */
    const insertWithin = Effect.fnUntraced(function* (key: NewApiKey) {
      const full = yield* Query.isAny(sql`
        select 1 as found from api_keys
        where account_id = ${key.account_id} and livemode = ${key.mode === "live"} and ${usable}
        having count(*) >= ${usableKeysMax}`)
      return full ? yield* keyLimitReached : yield* insert(key)
    })

    /**
     * Fails with `invalid_api_key` if the requesting key has ended. The caller has locked the account, so no
     * transaction revokes the key meanwhile.
     */
    const checkAsker = Effect.fnUntraced(function* (by: ApiKeyId | undefined) {
      if (by === undefined) return
      const isGood = yield* Query.isAny(sql`select 1 as found from api_keys where id = ${by} and ${usable}`)
      if (!isGood) return yield* endedKey
    })

    /**
     * Creates a key in the caller's transaction. Fails with `api_key_limit_reached`. Fails with `invalid_api_key` if
     * the requesting key `by` has ended, because a revoked key must not create a successor.
     */
    const create = Effect.fn("ApiKeys.create")(function* (key: NewApiKey, by?: ApiKeyId) {
      yield* LiveMode.checkNewKey(sql, key.mode)
      yield* AccountView.lock(sql, key)
      yield* checkAsker(by)
      return yield* insertWithin(key)
    })

    const isThere = (id: string) => Query.isAny(sql`select 1 as found from api_keys where id = ${id}`)
    /**
     * Inserts a key unless a key with this id exists, even if that key has ended. Several processes may call it
     * concurrently. Does not check the limit of keys. Fails with `resource_missing` if the account does not exist, and
     * with `account_not_live`.
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
     * Expires `old` within `expiresInSeconds`. Stores `next` with the name of `old` and the capabilities that both keys
     * have. Runs in the caller's transaction. Until it expires, `old` counts toward the limit. Fails as `create` does,
     * and with `resource_missing`, `api_key_inactive` and `capability_missing`.
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
     * Revokes a key in the caller's transaction. If the key is revoked already, nothing changes. Fails with
     * `resource_missing`. Fails with `last_api_key` unless `evenTheLast` is true.
     */
    const revoke = Effect.fn("ApiKeys.revoke")(function* (key: ApiKeyRef, options?: { readonly evenTheLast: boolean }) {
      yield* AccountView.lock(sql, key)
      const row = Option.getOrUndefined(yield* read(key))
      if (row === undefined) return yield* missingKey(key.id)
      // A restricted key lacks capabilities, and no client has the key of `LocalApi`: neither can replace the last key.
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

/** The key as the API shows it, without the secret. */
export const apiKeyView: (row: StoredApiKey) => ApiKey = viewOf(ApiKey)
