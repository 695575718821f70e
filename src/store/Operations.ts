import { Clock, Effect, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { AccountMode, Issuer, KeyMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import type { AccountId } from "../../schemas/Id.ts"
import { currentVersion } from "../../schemas/Version.ts"
import { makeApiKey } from "../domain/ApiKeyFormat.ts"
import { issuerViolations } from "../domain/PartyRules.ts"
import { Accounts } from "./Accounts.ts"
import { ApiKeys, missingKey, type NewApiKey } from "./ApiKeys.ts"
import * as AccountView from "./AccountView.ts"
import { AuditLog, operator } from "./AuditLog.ts"
import { Ids } from "./Ids.ts"
import * as LiveMode from "./LiveMode.ts"
import { Resolutions } from "./Resolutions.ts"
import { testRange } from "./SandboxAccount.ts"

/* What an operator does by hand. Each is one transaction, with its entry in the audit log. */

const modeOf = (livemode: boolean): KeyMode => (livemode ? "live" : "test")

const newKey = Effect.fnUntraced(function* (account_id: AccountId, mode: KeyMode, name: string | null) {
  const ids = yield* Ids
  const random = yield* SecureRandom.SecureRandom
  const key = makeApiKey(mode, yield* random.randomBytes(32))
  const created_at = new Date(yield* Clock.currentTimeMillis)
  return { id: yield* ids.apiKey, account_id, mode, key, name, created_at } satisfies NewApiKey
})

/**
 * Makes an account with a first key; one for tests has the range of the authority's test environment. A live one has its issuer in
 * test mode as well, and never the other way round.
 */
export const createAccount = Effect.fn("createAccount")(function* (name: string, issuer: Issuer, mode: KeyMode) {
  const [first, ...rest] = issuerViolations(issuer)
  if (first !== undefined) return yield* ApiError.fromViolations([first, ...rest])
  const accounts = yield* Accounts
  const audit = yield* AuditLog
  const ids = yield* Ids
  const keys = yield* ApiKeys
  const resolutions = yield* Resolutions
  const sql = yield* SqlClient.SqlClient
  yield* LiveMode.checkNewKey(sql, mode)
  const id = yield* ids.account
  const of = { account_id: id, livemode: mode === "live" }
  const key = yield* newKey(id, mode, null)
  const { created_at } = key
  const create = Effect.gen(function* () {
    yield* accounts.insert({ id, name, issuer, default_version: currentVersion, created_at, live: of.livemode })
    yield* keys.insert(key)
    if (mode === "test") yield* resolutions.insert({ ...of, id: yield* ids.resolution, ...testRange, created_at })
    yield* audit.record(of, operator, "account.created", id)
    yield* audit.record(of, operator, "api_key.created", key.id)
  })
  yield* Effect.orDie(sql.withTransaction(create))
  return { account: yield* accounts.read(of), key: key.key, api_key_id: key.id }
})

const issuerKnown = new ApiError({
  code: "parameter_conflict",
  message: "The live mode has its issuer already: change it with PATCH /v1/account and a live key."
})

const copyIssuer = Effect.fnUntraced(function* (of: AccountMode, issuer: Issuer | null) {
  const accounts = yield* Accounts
  const audit = yield* AuditLog
  yield* accounts.update(of, (before) =>
    before.issuer === null ? Effect.succeed({ ...before, issuer }) : Effect.fail(issuerKnown)
  )
  yield* audit.record(of, operator, "account.updated", of.account_id, { changed: ["issuer"], copied_from: "test" })
})

/** `copyIssuer`: the first live key of an account may give its live mode the issuer of its tests. */
export const createKey = Effect.fn("createKey")(function* (
  of: AccountMode,
  name: string | null,
  options: { readonly copyIssuer: boolean }
) {
  const accounts = yield* Accounts
  const audit = yield* AuditLog
  const keys = yield* ApiKeys
  const sql = yield* SqlClient.SqlClient
  const tests = (yield* accounts.list).find(({ account_id, livemode }) => account_id === of.account_id && !livemode)
  if (tests === undefined) return yield* ApiError.missing("account", of.account_id)
  const key = yield* newKey(of.account_id, modeOf(of.livemode), name)
  const row = yield* AccountView.within(
    sql,
    of
  )(
    Effect.gen(function* () {
      if (options.copyIssuer) yield* copyIssuer(of, tests.issuer)
      const made = yield* keys.create(key)
      yield* audit.record(of, operator, "api_key.created", made.id)
      return made
    })
  )
  return { row, key: key.key, has_issuer: (yield* accounts.read(of)).issuer !== null }
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
  const next = yield* newKey(old.account_id, modeOf(old.livemode), null)
  const row = yield* AccountView.within(
    sql,
    old
  )(
    Effect.tap(keys.roll(old, expiresInSeconds, next), (made) =>
      audit.record(old, operator, "api_key.rolled", old.id, { expires_in: expiresInSeconds, next: made.id })
    )
  )
  return { row, key: next.key }
})

/** The last key as well: an operator can make another one. */
export const revokeKey = Effect.fn("revokeKey")(function* (id: string) {
  const audit = yield* AuditLog
  const keys = yield* ApiKeys
  const sql = yield* SqlClient.SqlClient
  const key = yield* located(id)
  yield* AccountView.within(
    sql,
    key
  )(Effect.andThen(keys.revoke(key, { evenTheLast: true }), audit.record(key, operator, "api_key.revoked", key.id)))
  return Option.getOrThrow(yield* keys.find(key, id))
})
