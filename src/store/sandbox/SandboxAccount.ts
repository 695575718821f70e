import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Issuer } from "../../../schemas/Account.ts"
import { currentVersion } from "../../../schemas/Version.ts"
import { Accounts } from "../accounts/Accounts.ts"
import { ApiKeys } from "../accounts/ApiKeys.ts"
import { Ids } from "../sql/Ids.ts"
import { Resolutions } from "../accounts/Resolutions.ts"

/** Who issues in the sandbox. */
export const testIssuer: Issuer = {
  identification: { type: "31", number: "900373115", check_digit: "3" },
  legal_name: "Folio Sandbox S.A.S.",
  organization_type: "1",
  email: "facturas@folio.test",
  address: "Carrera 7 71-21",
  city_code: "11001",
  department_code: "11",
  country_code: "CO",
  tax_responsibilities: ["R-99-PN"]
}

/** The numbering range that the authority's test environment gives to everybody. */
export const testRange = {
  number: "18760000001",
  document_type: "invoice",
  prefix: "SETP",
  from_number: 990_000_000n,
  to_number: 995_000_000n,
  valid_from: "2019-01-19",
  valid_to: "2030-01-19",
  technical_key: "fc8eac422eba16e22ffd8c6f94b3f40a6e38162c",
  is_active: true,
  next_number: 990_000_000n
} as const

/** Makes the first account, with `key` as its test key, in a database without accounts. False when an account already exists. */
export const createSandboxAccount = Effect.fn("createSandboxAccount")(function* (key: string) {
  const accounts = yield* Accounts
  const ids = yield* Ids
  const keys = yield* ApiKeys
  const resolutions = yield* Resolutions
  const sql = yield* SqlClient.SqlClient
  const created_at = new Date(yield* Clock.currentTimeMillis)

  const create = Effect.gen(function* () {
    // The lock keeps two processes that start on one empty database from making two accounts.
    yield* sql`select pg_advisory_xact_lock(hashtext('folio first account'))`
    if (yield* accounts.exist) return false
    const account_id = yield* ids.account
    yield* accounts.insert({
      id: account_id,
      name: testIssuer.legal_name,
      issuer: testIssuer,
      default_version: currentVersion,
      created_at,
      live: false
    })
    yield* keys.insert({ id: yield* ids.apiKey, account_id, mode: "test", key, created_at })
    yield* resolutions.insert({ account_id, livemode: false, id: yield* ids.resolution, ...testRange, created_at })
    return true
  })
  return yield* Effect.orDie(sql.withTransaction(create))
})
