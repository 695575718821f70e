import { Effect, Option, Redacted, Result } from "effect"
import { apiKeyHash, apiKeyMode } from "../../../src/accounts/rules/ApiKeyFormat.ts"
import { allRights } from "../../../src/accounts/rules/KeyRights.ts"
import { Accounts, isAnotherVersion, type StoredAccount } from "../../../src/accounts/store/Accounts.ts"
import { ApiKeys, missingKey, type NewApiKey } from "../../../src/accounts/store/ApiKeys.ts"
import { principalOf } from "../../../src/accounts/store/ApiKeyLookup.ts"
import { AuditLog } from "../../../src/accounts/store/AuditLog.ts"
import { Certificates, type StoredCertificate } from "../../../src/accounts/store/Certificates.ts"
import { type ApiKeyRow, existing, inMemory, modeKey, rowOf, type Tables } from "./MemoryTables.ts"

/* The part of the memory store for accounts, their keys and certificates, and the audit log. */

const write = ({ accounts, issuers }: Tables, account: StoredAccount) => {
  accounts.set(modeKey(account), account)
  if (account.issuer !== null) issuers.set(`${modeKey(account)}|${account.issuer_version}`, account.issuer)
  return account
}

export const layerAccounts = inMemory(Accounts, ({ call }) => ({
  get: (account) => call("Accounts.get", (tables) => existing(tables.accounts, modeKey(account))),
  read: (account) => call("Accounts.read", (tables) => existing(tables.accounts, modeKey(account))),
  issuer: (account, version) =>
    call("Accounts.issuer", ({ issuers }) => existing(issuers, `${modeKey(account)}|${version}`)),
  insert: ({ created_at, default_version, id, issuer, live, name }) =>
    call("Accounts.insert", (tables) => {
      const made = { name, default_version, created_at, is_platform: false, platform: null }
      const account = {
        ...made,
        status: "active" as const,
        status_reason: null,
        request_log: "masked" as const,
        software: null
      }
      write(tables, { ...account, account_id: id, livemode: false, issuer, issuer_version: 1 })
      const known = live ? { issuer, issuer_version: 1 } : { issuer: null, issuer_version: 0 }
      write(tables, { ...account, account_id: id, livemode: true, ...known })
    }),
  update: (account, change) =>
    Effect.gen(function* () {
      const before = yield* call("Accounts.update", (tables) => existing(tables.accounts, modeKey(account)))
      const changed = yield* change(before)
      const isSame = !isAnotherVersion(before, changed)
      const after = { ...changed, issuer_version: before.issuer_version + (isSame ? 0 : 1) }
      return yield* call("Accounts.update", (tables) => write(tables, after))
    }),
  forget: () => Effect.void,
  logoOf: () => Effect.succeed(null),
  // The ranges of a live account are tested on PostgreSQL.
  liveFacts: (account_id) =>
    call("Accounts.liveFacts", ({ accounts }) => {
      const { issuer, software } = existing(accounts, modeKey({ account_id, livemode: true }))
      const registered = { software_id: null, provider_number: null, software_set_at: null, enablement: null }
      return { ...registered, issuer, software, has_key: true, has_range: true, has_number: true }
    })
}))

export const isUsable = (row: ApiKeyRow, now: number) =>
  row.revoked_at === null && (row.expires_at === null || row.expires_at.getTime() > now)

const rowFor = ({ account_id, created_at, id, key, mode, name = null, ...rights }: NewApiKey): ApiKeyRow => ({
  account_id,
  livemode: mode === "live",
  id,
  name,
  ...allRights,
  ...rights,
  granted_until: rights.expires_at ?? null,
  hash: apiKeyHash(key),
  last_four: key.slice(-4),
  created_at,
  last_used_at: null,
  revoked_at: null
})

const put = ({ apiKeys }: Tables, row: ApiKeyRow) => {
  apiKeys.set(row.id, row)
  return row
}

export const layerApiKeys = inMemory(ApiKeys, ({ attempt, call }) => ({
  authenticate: (key, { isSuspect = false, onEnded } = {}) =>
    apiKeyMode(key) === null
      ? Effect.succeedNone
      : call(isSuspect ? "ApiKeys.authenticate in turn" : "ApiKeys.authenticate", ({ accounts, apiKeys }, now) => {
          const row = [...apiKeys.values()].find((candidate) => candidate.hash === apiKeyHash(key))
          const account = row === undefined ? undefined : accounts.get(modeKey(row))
          if (row === undefined || account === undefined) return Option.none()
          const { default_version, status: account_status } = account
          const principal = principalOf({
            ...row,
            api_key_id: row.id,
            default_version,
            account_status,
            is_platform: false
          })
          if (isUsable(row, now)) return Option.some(principal)
          onEnded?.(principal, row.revoked_at === null ? "expired" : "revoked")
          return Option.none()
        }),
  insert: (key) => call("ApiKeys.insert", (tables) => void put(tables, rowFor(key))),
  // The limits and rights of new keys, and the last key, are tested on PostgreSQL.
  create: (key) => call("ApiKeys.create", (tables) => put(tables, rowFor(key))),
  revoke: (key) =>
    attempt("ApiKeys.revoke", (tables, now) => {
      const row = rowOf(tables.apiKeys, key)
      if (row === undefined) return Result.fail(missingKey(key.id))
      if (row.revoked_at === null) put(tables, { ...row, revoked_at: new Date(now) })
      return Result.void
    })
}))

/** The log's entries, its actors and its chain are tested on PostgreSQL. */
export const layerAuditLog = inMemory(AuditLog, ({ call }) => ({
  record: (_account, _by, action) => call("AuditLog.record", ({ auditLog }) => void auditLog.push(action)),
  refused: () => Effect.void
}))

export const layerCertificates = inMemory(Certificates, ({ call }) => ({
  current: (account) =>
    call("Certificates.current", ({ certificates }, now) => {
      const isValid = ({ not_after, not_before }: StoredCertificate) =>
        not_before.getTime() <= now && now < not_after.getTime()
      const own = [...certificates.values()].filter(({ account_id }) => account_id === account)
      const found = own.findLast(isValid) ?? own.at(-1)
      return Option.fromUndefinedOr(found === undefined ? undefined : { ...found, is_valid: isValid(found) })
    }),
  pem: ({ id }) => call("Certificates.pem", ({ certificates }) => Redacted.make(existing(certificates, id).pem)),
  insert: (certificate, pem) =>
    call("Certificates.insert", ({ certificates }) => {
      certificates.set(certificate.id, { ...certificate, pem: Redacted.value(pem) })
    }),
  forget: () => Effect.void
}))
