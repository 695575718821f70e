import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { currentVersion } from "../../../../schemas/Version.ts"
import type { Sandbox } from "../../../documents/rules/parties/SandboxIds.ts"
import { Accounts } from "../Accounts.ts"
import { ApiKeys } from "../ApiKeys.ts"
import { Ids } from "../../../database/Ids.ts"
import { newRange, Resolutions } from "../Resolutions.ts"

/**
 * Creates the first account of a database, with the country's sandbox data and `key` as its test key. False if an
 * account already exists.
 */
export const createSandboxAccount = Effect.fn("createSandboxAccount")(function* (
  key: string,
  { issuer, range }: Sandbox
) {
  const accounts = yield* Accounts
  const ids = yield* Ids
  const keys = yield* ApiKeys
  const resolutions = yield* Resolutions
  const sql = yield* SqlClient.SqlClient
  const now = yield* Clock.currentTimeMillis
  const created_at = new Date(now)

  const create = Effect.gen(function* () {
    // The lock prevents a second account if two processes start on one empty database.
    yield* sql`select pg_advisory_xact_lock(hashtext('folio first account'))`
    if (yield* accounts.exist) return false
    const account_id = yield* ids.account
    yield* accounts.insert({
      id: account_id,
      name: issuer.legal_name,
      issuer,
      default_version: currentVersion,
      created_at,
      live: false
    })
    yield* keys.insert({ id: yield* ids.apiKey, account_id, mode: "test", key, created_at })
    yield* resolutions.insert(newRange({ account_id, livemode: false, id: yield* ids.resolution }, range, now))
    return true
  })
  return yield* Effect.orDie(sql.withTransaction(create))
})
