import { Clock, Effect, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, SqlError } from "effect/sql"
import type { AccountMode, Issuer, KeyMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { ApiKeyRequest } from "../../../schemas/ApiKey.ts"
import { type AccountId, platformIdOf } from "../../../schemas/Id.ts"
import { currentVersion } from "../../../schemas/Version.ts"
import { makeApiKey } from "../rules/ApiKeyFormat.ts"
import { Accounts } from "./Accounts.ts"
import { ApiKeys, asked, missingKey, type NewApiKey } from "./ApiKeys.ts"
import * as AccountView from "../../database/AccountView.ts"
import { AuditLog, operator } from "./AuditLog.ts"
import { Ids } from "../../database/Ids.ts"
import * as LiveMode from "./LiveMode.ts"
import { Platforms, type PlatformSettings } from "./Platforms.ts"
import { insertPublic, issuerCheck, newRange } from "./Resolutions.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"

/* The commands of an operator. Each command runs in one transaction together with its entries in the audit log. */

const newKey = Effect.fnUntraced(function* ({ account_id, livemode }: AccountMode) {
  const ids = yield* Ids
  const random = yield* SecureRandom.SecureRandom
  const mode = livemode ? "live" : "test"
  const key = makeApiKey(mode, yield* random.randomBytes(32))
  const created_at = new Date(yield* Clock.currentTimeMillis)
  return { id: yield* ids.apiKey, account_id, mode, key, created_at } satisfies NewApiKey
})

/**
 * Creates an account with a first API key. `name` is the name for people, `issuer` the company that issues the
 * invoices, and `mode` the mode of the key. Returns the account, the API key and its id. The API key cannot be read
 * again.
 *
 * - With a test key, the account gets the numbering range of the profile's sandbox, and no issuer in live mode.
 * - With a live key, the account gets its issuer in both modes.
 *
 * Fails with `ApiError` if the issuer breaks a rule of the national profile, or if live keys are not allowed.
 */
export const createAccount = Effect.fn("createAccount")(function* (name: string, issuer: Issuer, mode: KeyMode) {
  const { rules, sandbox } = yield* NationalProfile
  const [first, ...rest] = rules.issuer(issuer)
  if (first !== undefined) return yield* ApiError.fromViolations([first, ...rest])
  const accounts = yield* Accounts
  const audit = yield* AuditLog
  const ids = yield* Ids
  const keys = yield* ApiKeys
  const sql = yield* SqlClient.SqlClient
  yield* LiveMode.checkNewKey(sql, mode)
  const id = yield* ids.account
  const account = { account_id: id, livemode: mode === "live" }
  const key = yield* newKey(account)
  const { created_at } = key
  const create = Effect.gen(function* () {
    yield* accounts.insert({ id, name, issuer, default_version: currentVersion, created_at, live: account.livemode })
    yield* keys.insert(key)
    if (mode === "test") {
      const range = newRange({ ...account, id: yield* ids.resolution }, sandbox.range, created_at.getTime())
      yield* insertPublic(sql, range)
    }
    yield* audit.record(account, operator, "account.created", id)
    yield* audit.record(account, operator, "api_key.created", key.id)
  })
  yield* Effect.orDie(sql.withTransaction(create))
  return { account: yield* accounts.read(account), key: key.key, api_key_id: key.id }
})

/**
 * Creates a platform with a first API key in test mode. A platform creates its accounts itself, at most `accounts_max`
 * that are not closed; null for no limit. Returns the platform's own account, the API key and its id. The API key
 * cannot be read again.
 */
export const createPlatform = Effect.fn("createPlatform")(function* (name: string, settings: PlatformSettings) {
  const accounts = yield* Accounts
  const audit = yield* AuditLog
  const keys = yield* ApiKeys
  const sql = yield* SqlClient.SqlClient
  const id = yield* (yield* Ids).account
  const account = { account_id: id, livemode: false }
  const key = yield* newKey(account)
  const { created_at } = key
  const create = Effect.gen(function* () {
    yield* accounts.insert({
      id,
      name,
      issuer: null,
      default_version: currentVersion,
      created_at,
      live: false,
      ...settings
    })
    yield* keys.insert(key)
    yield* audit.record(account, operator, "platform.created", platformIdOf(id))
    yield* audit.record(account, operator, "api_key.created", key.id)
  })
  yield* Effect.orDie(sql.withTransaction(create))
  return { account_id: id, key: key.key, api_key_id: key.id }
})

/** Changes the settings of a platform, and returns all of them. Fails with `resource_missing`. */
export const updatePlatform = Effect.fn("updatePlatform")(function* (
  platform: AccountId,
  changes: Partial<PlatformSettings>
) {
  const audit = yield* AuditLog
  const platforms = yield* Platforms
  const sql = yield* SqlClient.SqlClient
  const account = { account_id: platform, livemode: false }
  return yield* platforms
    .update(platform, changes)
    .pipe(
      Effect.tap(
        audit.record(account, operator, "platform.updated", platformIdOf(platform), { changed: Object.keys(changes) })
      ),
      sql.withTransaction,
      Effect.catchIf(SqlError.isSqlError, Effect.die)
    )
})

const issuerKnown = new ApiError({
  code: "parameter_conflict",
  message: "The live mode already has an issuer. Change it with PATCH /v1/account and a live key."
})

const copyIssuer = Effect.fnUntraced(function* (account: AccountMode, issuer: Issuer | null, logo: Uint8Array | null) {
  const accounts = yield* Accounts
  if (issuer?.logo !== undefined && logo !== null) yield* accounts.keepLogo(account, { ...issuer.logo, bytes: logo })
  const audit = yield* AuditLog
  const { numbering } = yield* NationalProfile
  const checkIssuer = issuerCheck(yield* SqlClient.SqlClient, numbering)
  yield* accounts.update(
    account,
    Effect.fnUntraced(function* (before) {
      if (before.issuer !== null) return yield* issuerKnown
      if (issuer !== null) yield* checkIssuer(account, issuer.identification)
      return { ...before, issuer }
    })
  )
  yield* audit.record(account, operator, "account.updated", account.account_id, {
    changed: ["issuer"],
    copied_from: "test"
  })
})

/**
 * Creates a key, with all rights that the request does not restrict. If `copyIssuer` is true, copies the issuer of test
 * mode to live mode. The copy fails with `parameter_conflict` if live mode already has an issuer, and with
 * `resolution_overlap` if another live account of the issuer has some of the account's numbers.
 */
export const createKey = Effect.fn("createKey")(function* (
  account: AccountMode,
  request: ApiKeyRequest,
  options: { readonly copyIssuer: boolean }
) {
  const accounts = yield* Accounts
  const audit = yield* AuditLog
  const keys = yield* ApiKeys
  const sql = yield* SqlClient.SqlClient
  const tests = (yield* accounts.list).find(
    ({ account_id, livemode }) => account_id === account.account_id && !livemode
  )
  if (tests === undefined) return yield* ApiError.missingForOperator("account", account.account_id, "accounts list")
  const key = { ...(yield* newKey(account)), ...asked(request) }
  // This read is outside `AccountView`, which shows only the mode of the new key.
  const logo = tests.issuer === null ? null : yield* accounts.logoOf(tests, tests.issuer)
  const row = yield* Effect.gen(function* () {
    if (options.copyIssuer) yield* copyIssuer(account, tests.issuer, logo)
    const made = yield* keys.create(key)
    yield* audit.record(account, operator, "api_key.created", made.id)
    return made
  }).pipe(AccountView.within(sql, account))
  return { row, key: key.key, has_issuer: (yield* accounts.read(account)).issuer !== null }
})

const located = Effect.fnUntraced(function* (id: string) {
  const keys = yield* ApiKeys
  return yield* Effect.mapError(Effect.flatMap(keys.locate(id), Effect.fromOption), () => missingKey(id))
})

export const rollKey = Effect.fn("rollKey")(function* (id: string, expiresInSeconds: number) {
  const audit = yield* AuditLog
  const keys = yield* ApiKeys
  const sql = yield* SqlClient.SqlClient
  const old = yield* located(id)
  const next = yield* newKey(old)
  const row = yield* keys.roll(old, expiresInSeconds, next).pipe(
    Effect.tap(({ id: made }) =>
      audit.record(old, operator, "api_key.rolled", old.id, { expires_in: expiresInSeconds, next: made })
    ),
    AccountView.within(sql, old)
  )
  return { row, key: next.key }
})

/** Revokes a key, even the last key of its mode, because the operator can create another key. */
export const revokeKey = Effect.fn("revokeKey")(function* (id: string) {
  const audit = yield* AuditLog
  const keys = yield* ApiKeys
  const sql = yield* SqlClient.SqlClient
  const key = yield* located(id)
  yield* keys
    .revoke(key, { evenTheLast: true })
    .pipe(Effect.andThen(audit.record(key, operator, "api_key.revoked", key.id)), AccountView.within(sql, key))
  return Option.getOrThrow(yield* keys.find(key, id))
})
