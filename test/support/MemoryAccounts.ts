import { Effect, Layer, Option, Result } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import type { ApiError } from "../../schemas/ApiError.ts"
import type { ApiKeyId } from "../../schemas/Id.ts"
import type { Principal } from "../../src/api/Authorization.ts"
import { apiKeyHash, apiKeyMode } from "../../src/domain/ApiKeyFormat.ts"
import { Accounts, issuerChangedTooOften, issuersPerDayMax, type StoredAccount } from "../../src/store/Accounts.ts"
import {
  type ApiKeyRef,
  ApiKeys,
  inactiveKey,
  invalidKey,
  keyLimitReached,
  lastKey,
  missingKey,
  type NewApiKey,
  usableKeysMax
} from "../../src/store/ApiKeys.ts"
import { AuditLog } from "../../src/store/AuditLog.ts"
import { type ApiKeyRow, isOf, MemoryTables, pageOf, rowOf, type Tables } from "./MemoryTables.ts"

/* The part of the memory store that knows accounts, their keys, and what was done with them. */

const keyOf = ({ account_id, livemode }: AccountMode) => `${account_id}|${livemode}`

const existing = ({ accounts }: Tables, of: AccountMode) => {
  const account = accounts.get(keyOf(of))
  if (account === undefined) throw new Error(`no account ${keyOf(of)}`)
  return account
}

const write = ({ accounts, issuers, issuerTimes }: Tables, account: StoredAccount, now: number) => {
  const version = `${keyOf(account)}|${account.issuer_version}`
  accounts.set(keyOf(account), account)
  if (account.issuer !== null && !issuers.has(version)) issuerTimes.set(version, now)
  if (account.issuer !== null) issuers.set(version, account.issuer)
  return account
}

export const accountsLayer = Layer.effect(
  Accounts,
  Effect.map(MemoryTables, ({ call }) =>
    Accounts.of({
      get: (of) => call("Accounts.get", (tables) => existing(tables, of)),
      read: (of) => call("Accounts.read", (tables) => existing(tables, of)),
      issuer: (of, version) =>
        call("Accounts.issuer", ({ issuers }) => {
          const issuer = issuers.get(`${keyOf(of)}|${version}`)
          if (issuer === undefined) throw new Error(`no issuer ${version} of ${keyOf(of)}`)
          return issuer
        }),
      insert: ({ id, issuer, live, ...account }) =>
        call("Accounts.insert", (tables, now) => {
          write(tables, { ...account, account_id: id, livemode: false, issuer, issuer_version: 1 }, now)
          const known = live ? { issuer, issuer_version: 1 } : { issuer: null, issuer_version: 0 }
          write(tables, { ...account, account_id: id, livemode: true, ...known }, now)
        }),
      update: (of, change) =>
        Effect.gen(function* () {
          const before = yield* call("Accounts.update", (tables) => existing(tables, of))
          const changed = yield* change(before)
          const isSame = JSON.stringify(changed.issuer) === JSON.stringify(before.issuer)
          const after = { ...changed, issuer_version: before.issuer_version + (isSame ? 0 : 1) }
          const written = yield* call("Accounts.update", (tables, now) => {
            const oldest =
              tables.issuerTimes.get(`${keyOf(of)}|${after.issuer_version - issuersPerDayMax}`) ?? -Infinity
            const wait = oldest + 86_400_000 - now
            if (!isSame && wait > 0) return Result.fail(issuerChangedTooOften(Math.ceil(wait / 1000)))
            return Result.succeed(write(tables, after, now))
          })
          return yield* Effect.fromResult(written)
        }),
      forget: () => Effect.void,
      list: call("Accounts.list", ({ accounts }) => [...accounts.values()]),
      exist: call("Accounts.exist", ({ accounts }) => accounts.size > 0)
    })
  )
)

export const isUsable = (row: ApiKeyRow, now: number) =>
  row.revoked_at === null && (row.expires_at === null || row.expires_at.getTime() > now)

const usableOf = ({ apiKeys }: Tables, of: AccountMode, now: number) =>
  [...apiKeys.values()].filter((row) => isOf(row, of) && isUsable(row, now))

const rowFor = ({ account_id, created_at, id, key, mode, name = null }: NewApiKey): ApiKeyRow => ({
  account_id,
  livemode: mode === "live",
  id,
  name,
  hash: apiKeyHash(key),
  last_four: key.slice(-4),
  created_at,
  last_used_at: null,
  expires_at: null,
  revoked_at: null
})

const put = ({ apiKeys }: Tables, row: ApiKeyRow) => {
  apiKeys.set(row.id, row)
  return row
}

const end = (tables: Tables, key: ApiKeyRef, now: number, evenTheLast: boolean): Result.Result<void, ApiError> => {
  const row = rowOf(tables.apiKeys, key)
  if (row === undefined) return Result.fail(missingKey(key.id))
  const others = [...tables.apiKeys.values()].filter((other) => other.id !== key.id && isOf(other, key))
  const isLast = !others.some((other) => other.revoked_at === null && other.expires_at === null)
  if (isUsable(row, now) && isLast && !evenTheLast) return Result.fail(lastKey)
  if (row.revoked_at === null) put(tables, { ...row, revoked_at: new Date(now) })
  return Result.void
}

const mayAsk = ({ apiKeys }: Tables, by: ApiKeyId | undefined, now: number) => {
  const row = by === undefined ? undefined : apiKeys.get(by)
  return by === undefined || (row !== undefined && isUsable(row, now))
}

export const apiKeysLayer = Layer.effect(
  ApiKeys,
  Effect.gen(function* () {
    const { call } = yield* MemoryTables
    const audit = yield* AuditLog
    return ApiKeys.of({
      authenticate: (key, { isSuspect = false, ...from } = {}) =>
        apiKeyMode(key) === null
          ? Effect.succeedNone
          : Effect.gen(function* () {
              const found = yield* call(
                isSuspect ? "ApiKeys.authenticate in turn" : "ApiKeys.authenticate",
                ({ accounts, apiKeys }, now) => {
                  const row = [...apiKeys.values()].find((candidate) => candidate.hash === apiKeyHash(key))
                  const account = row === undefined ? undefined : accounts.get(keyOf(row))
                  if (row === undefined || account === undefined) return undefined
                  const { account_id, id, livemode } = row
                  const principal = { api_key_id: id, account_id, livemode, default_version: account.default_version }
                  return { principal, usable: isUsable(row, now) }
                }
              )
              if (found === undefined) return Option.none<Principal>()
              if (found.usable) return Option.some<Principal>(found.principal)
              yield* audit.refused(found.principal, { ...from, ...found.principal }, "invalid_api_key")
              return Option.none<Principal>()
            }),
      insert: (key) => call("ApiKeys.insert", (tables) => void put(tables, rowFor(key))),
      find: (of, id) =>
        call("ApiKeys.find", ({ apiKeys }) => Option.fromUndefinedOr(rowOf(apiKeys, { ...of, id: id as never }))),
      locate: (id) => call("ApiKeys.locate", ({ apiKeys }) => Option.fromUndefinedOr(apiKeys.get(id))),
      list: (of, request) =>
        Effect.flatMap(
          call("ApiKeys.list", ({ apiKeys }) => pageOf(apiKeys, of, request)),
          Effect.fromResult
        ),
      create: (key, by) =>
        call("ApiKeys.create", (tables, now) => {
          if (!mayAsk(tables, by, now)) return Result.fail(invalidKey)
          const row = rowFor(key)
          return usableOf(tables, row, now).length >= usableKeysMax
            ? Result.fail(keyLimitReached)
            : Result.succeed(put(tables, row))
        }).pipe(Effect.flatMap(Effect.fromResult)),
      roll: (old, expiresInSeconds, next, by) =>
        call("ApiKeys.roll", (tables, now) => {
          if (!mayAsk(tables, by, now)) return Result.fail(invalidKey)
          const row = rowOf(tables.apiKeys, old)
          if (row === undefined) return Result.fail(missingKey(old.id))
          if (!isUsable(row, now)) return Result.fail(inactiveKey(old.id))
          const expires = Math.min(row.expires_at?.getTime() ?? Infinity, now + expiresInSeconds * 1000)
          const rolled = { ...row, expires_at: new Date(expires) }
          const others = usableOf(tables, row, now).filter(({ id }) => id !== row.id)
          if (others.length + (isUsable(rolled, now) ? 1 : 0) >= usableKeysMax) return Result.fail(keyLimitReached)
          put(tables, rolled)
          return Result.succeed(put(tables, rowFor({ ...next, name: row.name })))
        }).pipe(Effect.flatMap(Effect.fromResult)),
      revoke: (key, options) =>
        call("ApiKeys.revoke", (tables, now) => end(tables, key, now, options?.evenTheLast ?? false)).pipe(
          Effect.flatMap(Effect.fromResult)
        )
    })
  })
)

export const auditLogLayer = Layer.effect(
  AuditLog,
  Effect.map(MemoryTables, ({ call }) =>
    AuditLog.of({
      record: ({ account_id, livemode }, by, action, object_id) =>
        call("AuditLog.record", ({ auditLog }) => {
          auditLog.push({ account_id, livemode, actor: by.api_key_id, action, object_id })
        }),
      refused: ({ account_id, livemode }, by, code) =>
        call("AuditLog.refused", ({ auditLog }) => {
          auditLog.push({
            account_id,
            livemode,
            actor: by.api_key_id,
            action: `request.refused ${code}`,
            object_id: null
          })
        })
    })
  )
)
