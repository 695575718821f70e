import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { AccountMode, type KeyMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import type { ApiKey } from "../../schemas/ApiKey.ts"
import { type AccountId, ApiKeyId } from "../../schemas/Id.ts"
import type { PageRequest } from "../../schemas/Page.ts"
import type { Principal } from "../api/Authorization.ts"
import { apiKeyHash } from "../domain/ApiKeyFormat.ts"
import { timestamp } from "../domain/AuthorityTime.ts"
import * as AccountView from "./AccountView.ts"
import * as ApiKeyLookup from "./ApiKeyLookup.ts"
import { isUsable } from "./ApiKeyLookup.ts"
import * as LiveMode from "./LiveMode.ts"
import * as Pages from "./Pages.ts"

const Row = Schema.Struct({
  ...AccountMode.fields,
  id: ApiKeyId,
  name: Schema.NullOr(Schema.String),
  last_four: Schema.String,
  created_at: Schema.Date,
  last_used_at: Schema.NullOr(Schema.Date),
  expires_at: Schema.NullOr(Schema.Date),
  revoked_at: Schema.NullOr(Schema.Date)
})
export type StoredApiKey = typeof Row.Type

export interface ApiKeyRef extends AccountMode {
  readonly id: ApiKeyId
}

/** A key to be stored: its hash and last four characters; the key itself is nowhere. */
export interface NewApiKey {
  readonly id: ApiKeyId
  readonly account_id: AccountId
  readonly mode: KeyMode
  readonly key: string
  readonly name?: string | null
  readonly created_at: Date
}

export const usableKeysMax = 100

// One text for wrong, mistyped, revoked and missing keys: none can be told from another.
export const invalidKey = new ApiError({
  code: "invalid_api_key",
  message: "This request needs a valid API key. Send it as: Authorization: Bearer sk_test_…"
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
export const missingKey = (id: string) => ApiError.missing("API key", id)

export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /**
     * None for a key that is mistyped (no look-up), unknown, revoked or expired. `from` is noted in the audit log when the key
     * has ended. A key that nobody has used here yet is looked up in its turn, together with others, if it `isSuspect`.
     */
    readonly authenticate: (key: string, from?: ApiKeyLookup.Asker) => Effect.Effect<Option.Option<Principal>>
    /** Stores a key without a look at the others. */
    readonly insert: (key: NewApiKey) => Effect.Effect<void>
    readonly find: (of: AccountMode, id: string) => Effect.Effect<Option.Option<StoredApiKey>>
    /** Whose key it is: for operators, who name keys by their ids alone. */
    readonly locate: (id: string) => Effect.Effect<Option.Option<ApiKeyRef>>
    /** Those that have ended among them. */
    readonly list: (of: AccountMode, page: PageRequest) => Effect.Effect<Pages.Rows<StoredApiKey>, ApiError>
    /**
     * Fails with `api_key_limit_reached`, and with `invalid_api_key` where the key `by` which it is asked for works no more: one that
     * was revoked leaves no successor. Part of the caller's transaction, as are `roll` and `revoke`.
     */
    readonly create: (key: NewApiKey, by?: ApiKeyId) => Effect.Effect<StoredApiKey, ApiError>
    /**
     * Lets `old` expire after so many seconds, and `next` take over its name. Fails as `create` does, as long as the old one works
     * on, and with `resource_missing` and `api_key_inactive`.
     */
    readonly roll: (
      old: ApiKeyRef,
      expiresInSeconds: number,
      next: Omit<NewApiKey, "name">,
      by?: ApiKeyId
    ) => Effect.Effect<StoredApiKey, ApiError>
    /** Ends a key for good, again and again. Fails with `resource_missing` and, unless it is asked not to look, `last_api_key`. */
    readonly revoke: (key: ApiKeyRef, options?: { readonly evenTheLast: boolean }) => Effect.Effect<void, ApiError>
  }
>()("folio/store/ApiKeys") {
  static readonly layer = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { authenticate, forget } = yield* ApiKeyLookup.make
      const columns = sql.literal(Object.keys(Row.fields).join(", "))
      const usable = sql.literal(isUsable)

      const decodeOne = (rows: ReadonlyArray<unknown>) => Schema.decodeUnknownEffect(Row)(rows[0])
      const insert = Effect.fn("ApiKeys.insert")(
        ({ account_id, created_at, id, key, mode, name = null }: NewApiKey) =>
          sql`insert into api_keys ${sql.insert({
            id,
            account_id,
            livemode: mode === "live",
            name,
            key_hash: apiKeyHash(key),
            last_four: key.slice(-4),
            created_at
          })} returning ${columns}`.pipe(Effect.flatMap(decodeOne), Effect.tap(forget(key))),
        Effect.orDie
      )

      const where = (key: AccountMode & { readonly id: string }) =>
        sql`account_id = ${key.account_id} and livemode = ${key.livemode} and id = ${key.id}`
      const read = Effect.fnUntraced(function* (key: AccountMode & { readonly id: string }) {
        const rows = yield* sql`
          select ${columns}, ${usable} as usable from api_keys where ${where(key)}`
        return yield* Schema.decodeUnknownEffect(
          Schema.Array(Schema.Struct({ ...Row.fields, usable: Schema.Boolean }))
        )(rows)
      }, Effect.orDie)
      // The account's row is the lock that lets what was counted hold until the commit.
      const lock = (of: AccountMode) =>
        Effect.orDie(sql`select id from accounts where id = ${of.account_id} for no key update`)
      const isAny = Effect.fnUntraced(function* (rows: Effect.Effect<ReadonlyArray<unknown>, unknown>) {
        return (yield* Effect.orDie(rows)).length > 0
      })

      const locate = SqlSchema.findOneOption({
        Request: Schema.String,
        Result: Schema.Struct({ ...AccountMode.fields, id: ApiKeyId }),
        execute: (id) => sql`select account_id, livemode, id from api_keys where id = ${id}`
      })

      /** One more key, if there is room for it. The account is locked. */
      const insertWithin = Effect.fnUntraced(function* (key: NewApiKey) {
        const full = yield* isAny(sql`
          select 1 as found from api_keys
          where account_id = ${key.account_id} and livemode = ${key.mode === "live"} and ${usable}
          having count(*) >= ${usableKeysMax}`)
        return full ? yield* keyLimitReached : yield* insert(key)
      })

      /** Whether the key that asks works still. The account is locked, so none that is being revoked does. */
      const checkAsker = Effect.fnUntraced(function* (by: ApiKeyId | undefined) {
        if (by === undefined) return
        if (!(yield* isAny(sql`select 1 as found from api_keys where id = ${by} and ${usable}`)))
          return yield* invalidKey
      })

      const create: ApiKeys["Service"]["create"] = Effect.fn("ApiKeys.create")(function* (key, by) {
        yield* LiveMode.checkNewKey(sql, key.mode)
        yield* lock({ account_id: key.account_id, livemode: key.mode === "live" })
        yield* checkAsker(by)
        return yield* insertWithin(key)
      })

      const roll: ApiKeys["Service"]["roll"] = Effect.fn("ApiKeys.roll")(function* (old, expiresInSeconds, next, by) {
        yield* LiveMode.checkNewKey(sql, old.livemode ? "live" : "test")
        yield* lock(old)
        yield* checkAsker(by)
        const [row] = yield* read(old)
        if (row === undefined) return yield* missingKey(old.id)
        if (!row.usable) return yield* inactiveKey(old.id)
        yield* Effect.orDie(sql`
          update api_keys set
            expires_at = least(coalesce(expires_at, 'infinity'), now() + ${expiresInSeconds} * interval '1 second')
          where ${where(old)}`)
        return yield* insertWithin({ ...next, name: row.name })
      })

      const revoke: ApiKeys["Service"]["revoke"] = Effect.fn("ApiKeys.revoke")(function* (key, options) {
        yield* lock(key)
        const [row] = yield* read(key)
        if (row === undefined) return yield* missingKey(key.id)
        const isNeeded =
          row.usable &&
          options?.evenTheLast !== true &&
          !(yield* isAny(sql`
            select 1 as found from api_keys where account_id = ${key.account_id} and livemode = ${key.livemode}
              and id <> ${key.id} and revoked_at is null and expires_at is null limit 1`))
        if (isNeeded) return yield* lastKey
        yield* Effect.orDie(sql`update api_keys set revoked_at = now() where ${where(key)} and revoked_at is null`)
      })

      return ApiKeys.of({
        authenticate,
        insert: (key) => Effect.asVoid(insert(key)),
        find: Effect.fn("ApiKeys.find")((of: AccountMode, id: string) =>
          Effect.map(AccountView.within(sql, of)(read({ ...of, id })), ([row]) => Option.fromUndefinedOr(row))
        ),
        locate: (id) => Effect.orDie(locate(id)),
        list: Pages.make(sql, { table: "api_keys", columns, row: Row }),
        create,
        roll,
        revoke
      })
    })
  )
}

const time = (date: Date | null) => (date === null ? null : timestamp(date.getTime()))

/** The key as the API shows it: without itself. */
export const apiKeyView = (row: StoredApiKey): ApiKey => ({
  id: row.id,
  object: "api_key",
  name: row.name,
  livemode: row.livemode,
  last_four: row.last_four,
  created_at: timestamp(row.created_at.getTime()),
  last_used_at: time(row.last_used_at),
  expires_at: time(row.expires_at),
  revoked_at: time(row.revoked_at)
})
