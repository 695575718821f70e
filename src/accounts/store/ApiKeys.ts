import { Clock, Context, Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { AccountMode, type KeyMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import { ApiKey, type ApiKeyRequest, type KeyCapability } from "../../../schemas/ApiKey.ts"
import { type AccountId, ApiKeyId } from "../../../schemas/Id.ts"
import { apiKeyHash, localKeyPrefix } from "../rules/ApiKeyFormat.ts"
import { allRights, granted, inherited, isComplete, type KeyRights } from "../rules/KeyRights.ts"
import * as AccountView from "../../database/AccountView.ts"
import * as ApiKeyLookup from "./ApiKeyLookup.ts"
import { AuditLog, operator } from "./AuditLog.ts"
import * as LiveMode from "./LiveMode.ts"
import { columnsOf, isUsableApiKey, ofAccount, ofKey } from "../../database/Keys.ts"
import * as Pages from "../../database/Pages.ts"
import * as Query from "../../database/Query.ts"
import { viewOf } from "../../database/View.ts"

const Row = Schema.Struct({
  ...AccountMode.fields,
  ...Struct.omit(ApiKey.fields, ["object"]),
  created_at: Schema.Date,
  last_used_at: Schema.NullOr(Schema.Date),
  expires_at: Schema.NullOr(Schema.Date),
  /** The end that the key got when it was created. `expires_at` is earlier if the key was rolled. */
  granted_until: Schema.NullOr(Schema.Date),
  revoked_at: Schema.NullOr(Schema.Date)
})
export type StoredApiKey = typeof Row.Type

const ApiKeyRef = Schema.Struct({ ...AccountMode.fields, id: ApiKeyId })
export type ApiKeyRef = typeof ApiKeyRef.Type

/** A key to store. The database contains only the hash and the last four characters of the key. */
export interface NewApiKey extends Partial<KeyRights> {
  readonly id: ApiKeyId
  readonly account_id: AccountId
  readonly mode: KeyMode
  readonly key: string
  readonly name?: string | null
  readonly created_at: Date
}

/** The API key of a request that makes a key, and the capabilities of the request, which may be a portal session's. */
export interface KeyMaker {
  readonly id: ApiKeyId
  readonly capabilities: ReadonlyArray<KeyCapability> | null
}

/** The name and the rights in a request for a new key. */
export const asked = ({ expires_at, ...request }: ApiKeyRequest): Partial<KeyRights> & { readonly name?: string } =>
  expires_at === undefined ? request : { ...request, expires_at: new Date(expires_at) }

const Maker = Schema.Struct({
  allowed_ips: Schema.NullOr(Schema.Array(Schema.String)),
  expires_at: Schema.NullOr(Schema.Date)
})

export const usableKeysMax = 100

/** The error for a request whose API key ends before Folio completes the request. */
export const endedKey = new ApiError({
  code: "invalid_api_key",
  message: "This API key was revoked or has expired since the request began. Use another key of the account."
})

export const keyLimitReached = new ApiError({
  code: "api_key_limit_reached",
  message: `An account has at most ${usableKeysMax} active keys in each mode. A rolled key is active until it expires. Revoke a key that you no longer use, or roll it with expires_in 0.`
})
export const lastKey = new ApiError({
  code: "last_api_key",
  message:
    "This is the last key of its mode that does not expire and has no restrictions. Without it, no client can reach the account. Roll the key with itself, or create another such key first."
})
export const inactiveKey = (id: string) =>
  new ApiError({
    code: "api_key_inactive",
    message: `The API key ${JSON.stringify(id)} was revoked or has expired, so you cannot roll it. Create a new key.`
  })
export const missingKey = (id: string) => ApiError.missing("API key", id)

export class ApiKeys extends Context.Service<ApiKeys>()("folio/accounts/store/ApiKeys", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { authenticate, forget } = yield* ApiKeyLookup.make
    const columns = columnsOf(sql, Row)
    const usable = sql.literal(isUsableApiKey)
    // A platform's key has a row in each of its accounts, which is not a key of the account.
    const own = sql`platform_key is null`
    // These readers also return revoked and expired keys.
    const { find, list } = Pages.readers(sql, {
      service: "ApiKeys",
      table: "api_keys",
      columns,
      row: Row,
      among: own
    })

    const audit = yield* AuditLog
    const insertRow = Query.one(
      Row,
      ({
        account_id,
        allowed_ips = null,
        capabilities = null,
        created_at,
        expires_at = null,
        id,
        key,
        mode,
        name = null
      }: NewApiKey) =>
        sql`insert into api_keys ${sql.insert({
          id,
          account_id,
          livemode: mode === "live",
          name,
          capabilities,
          allowed_ips,
          expires_at,
          granted_until: expires_at,
          key_hash: apiKeyHash(key),
          last_four: key.slice(-4),
          created_at
        })} returning ${columns}`
    )
    const insert = Effect.fn("ApiKeys.insert")((key: NewApiKey) => Effect.tap(insertRow(key), forget(key.key)))

    /** Stores a key without checking the account's other keys. */
    const add = (key: NewApiKey) => Effect.asVoid(insert(key))

    /** Ends the rows of a platform's key in the platform's accounts when the key ends. */
    const endActing = (key: ApiKeyRef, end: Statement.Fragment) =>
      AccountView.asService(sql)(
        Effect.orDie(sql`update api_keys set ${end} where platform_key = ${key.id} and ${usable}`)
      )

    const read = Query.first(
      Schema.Struct({ ...Row.fields, usable: Schema.Boolean }),
      (key: ApiKeyRef) => sql`select ${columns}, ${usable} as usable from api_keys where ${ofKey(sql, key)} and ${own}`
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
        where account_id = ${key.account_id} and livemode = ${key.mode === "live"} and ${own} and ${usable}
        having count(*) >= ${usableKeysMax}`)
      return full ? yield* keyLimitReached : yield* insert(key)
    })

    const findMaker = Query.first(
      Maker,
      (id: ApiKeyId) => sql`select allowed_ips, expires_at from api_keys where id = ${id} and ${usable}`
    )
    /**
     * The rights of the request that makes a key: all for an operator. Fails with `invalid_api_key` if the requesting
     * key has ended. The caller has locked the account, so no transaction revokes the key meanwhile.
     */
    const rightsOf = Effect.fnUntraced(function* (by: KeyMaker | undefined) {
      if (by === undefined) return allRights
      const maker = Option.getOrUndefined(yield* findMaker(by.id))
      return maker === undefined ? yield* endedKey : { ...maker, capabilities: by.capabilities }
    })

    /** Whether the account has another key without restrictions and without an end. */
    const hasOther = (key: ApiKeyRef) =>
      Query.isAny(sql`
        select 1 as found from api_keys where ${ofAccount(sql, key)}
          and id <> ${key.id} and ${own} and not starts_with(id, ${localKeyPrefix}) and revoked_at is null and expires_at is null
          and capabilities is null and allowed_ips is null limit 1`)

    /**
     * Creates a key in the caller's transaction, with at most the rights of the request `by`. Fails with
     * `api_key_limit_reached`, and with the errors of `granted`. Fails with `invalid_api_key` if the requesting key has
     * ended, because a revoked key must not create a successor.
     */
    const create = Effect.fn("ApiKeys.create")(function* (key: NewApiKey, by?: KeyMaker) {
      yield* LiveMode.checkNewKey(sql, key.mode)
      yield* AccountView.lock(sql, key)
      const rights = yield* Effect.fromResult(granted(yield* rightsOf(by), key, key.created_at))
      return yield* insertWithin({ ...key, ...rights })
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
     * Expires `old` within `expiresInSeconds`. Stores `next` with the name and the rights of `old`, as far as the
     * request `by` has them. Runs in the caller's transaction. Until it expires, `old` counts toward the limit. Fails
     * as `create` does, with `resource_missing`, `api_key_inactive` and `last_api_key`, and with the errors of
     * `inherited`.
     */
    const roll = Effect.fn("ApiKeys.roll")(function* (
      old: ApiKeyRef,
      expiresInSeconds: number,
      next: Omit<NewApiKey, "name" | keyof KeyRights>,
      by?: KeyMaker
    ) {
      yield* LiveMode.checkNewKey(sql, old.livemode ? "live" : "test")
      yield* AccountView.lock(sql, old)
      const maker = yield* rightsOf(by)
      const row = Option.getOrUndefined(yield* read(old))
      if (row === undefined) return yield* missingKey(old.id)
      if (!row.usable) return yield* inactiveKey(old.id)
      const rights = yield* Effect.fromResult(inherited({ ...row, expires_at: row.granted_until }, maker))
      if (isLasting(row) && !isComplete(rights) && !(yield* hasOther(old))) return yield* lastKey
      const end = sql`
        expires_at = least(coalesce(expires_at, 'infinity'), now() + ${expiresInSeconds} * interval '1 second')`
      yield* Effect.orDie(sql`update api_keys set ${end} where ${ofKey(sql, old)}`)
      yield* endActing(old, end)
      return yield* insertWithin({ ...next, name: row.name, ...rights })
    })

    /**
     * Revokes a key in the caller's transaction. If the key is revoked already, nothing changes. Fails with
     * `resource_missing`. Fails with `last_api_key` unless `evenTheLast` is true.
     */
    const revoke = Effect.fn("ApiKeys.revoke")(function* (key: ApiKeyRef, options?: { readonly evenTheLast: boolean }) {
      yield* AccountView.lock(sql, key)
      const row = Option.getOrUndefined(yield* read(key))
      if (row === undefined) return yield* missingKey(key.id)
      const isNeeded = row.usable && isLasting(row) && options?.evenTheLast !== true && !(yield* hasOther(key))
      if (isNeeded) return yield* lastKey
      yield* Effect.orDie(sql`update api_keys set revoked_at = now() where ${ofKey(sql, key)} and revoked_at is null`)
      yield* endActing(key, sql`revoked_at = now()`)
    }, Effect.asVoid)

    return { authenticate, insert: add, find, locate, list, create, ensure, roll, revoke }
  })
}) {
  static readonly layer = Layer.effect(ApiKeys, ApiKeys.make)
}

/**
 * Whether a usable key keeps its account reachable. A restricted key lacks rights, a key with an end expires, and no
 * client has the key of `LocalApi`.
 */
export const isLasting = ({ allowed_ips, capabilities, expires_at, id }: StoredApiKey): boolean =>
  capabilities === null && allowed_ips === null && expires_at === null && !id.startsWith(localKeyPrefix)

/** The key as the API shows it, without the secret. */
export const apiKeyView: (row: StoredApiKey) => ApiKey = viewOf(ApiKey)
