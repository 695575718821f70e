import { Effect, Redacted, Schema } from "effect"
import { AccountId } from "../../../schemas/Id.ts"
import { localApiKey, localKeyPrefix } from "../../accounts/rules/ApiKeyFormat.ts"
import { revokeKey } from "../../accounts/store/Operations.ts"
import * as Query from "../../database/Query.ts"
import { keyName, type SecretKey, Secrets } from "../../database/Secrets.ts"
import { leaseSeconds } from "../../database/Workers.ts"
import { moveCanary } from "./KeyCanary.ts"
import { replaceSealed, sealedColumns, sealedPage, type SealedValue } from "./SealedValues.ts"

/* The change of the key that encrypts secrets, while the service runs. */

/** The rows that one statement reads. */
const pageMax = 500

// Longer than most locks of the service.
const lockedPause = "100 millis"

/** The change of the key cannot be finished. The message is one line with the fix. */
export class RekeyError extends Schema.TaggedError<RekeyError>()("RekeyError", { message: Schema.String }) {}

/** The number of values of a table that a pass has read, has encrypted with the current key, and could not open. */
export interface TableCount {
  readonly table: string
  readonly read: number
  readonly resealed: number
  readonly lost: number
}

/** Reads all values of a table once, and encrypts those of the previous key with the current one. */
const pass = Effect.fnUntraced(function* (column: (typeof sealedColumns)[number]) {
  const secrets = yield* Secrets
  const count = { read: 0, resealed: 0, locked: 0, lost: 0 }
  const reseal = Effect.fnUntraced(function* (value: SealedValue) {
    count.read += 1
    const key = yield* secrets.keyOf(value.secret, value.place)
    if (key === "current") return
    if (key === undefined) {
      count.lost += 1
      return
    }
    const sealed = yield* secrets.seal(yield* secrets.open(value.secret, value.place), value.place)
    count[(yield* replaceSealed(column, value, sealed)) ? "resealed" : "locked"] += 1
  })
  let after: SealedValue["key"] | undefined
  do {
    const page = yield* sealedPage(column, after, pageMax)
    yield* Effect.forEach(page.values, reseal, { discard: true })
    after = page.last
  } while (after !== undefined)
  return count
})

/**
 * Encrypts all values of a table with the current key. Returns after a pass that found none of the previous key: no
 * value then needs it, unless a process still encrypts with it.
 */
const resealTable = Effect.fnUntraced(function* (column: (typeof sealedColumns)[number]) {
  let resealed = 0
  while (true) {
    const { locked, lost, read, ...found } = yield* pass(column)
    resealed += found.resealed
    if (found.resealed + locked === 0) return { table: column.table, read, resealed, lost }
    if (locked > 0) yield* Effect.sleep(lockedPause)
  }
})

/** Fails while a running process encrypts with another key: its next secret would need the previous key again. */
const checkProcesses = Effect.fnUntraced(function* (key: typeof SecretKey.Service) {
  const others = yield* Query.allIn(
    Schema.Struct({ count: Schema.Int }),
    (sql) => sql`
      select count(*)::integer as count from workers
      where dead_since is null and seen_at >= now() - ${leaseSeconds} * interval '1 second'
        and key_name is distinct from ${keyName(key)}`
  )
  const count = others[0]?.count ?? 0
  if (count === 0) return
  const processes = count === 1 ? "1 process still encrypts" : `${count} processes still encrypt`
  return yield* new RekeyError({
    message: `${processes} secrets with another key. Restart all processes with the new FOLIO_KEY, and with the former key as FOLIO_KEY_PREVIOUS. Then run folio rekey again. A killed process counts for ${leaseSeconds} s.`
  })
})

const LocalKey = Schema.Struct({ id: Schema.String, account_id: AccountId, livemode: Schema.Boolean })

/** Revokes the API keys of `LocalApi` that are derived from another key. Returns their number. */
const revokeLocalKeys = Effect.fnUntraced(function* (key: typeof SecretKey.Service) {
  const rows = yield* Query.allIn(
    LocalKey,
    (sql) => sql`
      select id, account_id, livemode from api_keys
      where id >= ${localKeyPrefix} and id < ${`${localKeyPrefix}g`} and starts_with(id, ${localKeyPrefix}) and revoked_at is null`
  )
  const derived = rows.filter((row) => localApiKey(Redacted.value(key), row).id !== row.id)
  yield* Effect.forEach(derived, ({ id }) => Effect.orDie(revokeKey(id)), { discard: true })
  return derived.length
})

/**
 * Encrypts every stored secret with `key`, the current key of `Secrets`, and then the canary. `report` receives the
 * count of each table. May be killed at any time and run again, also concurrently. Fails with `RekeyError` if a process
 * still encrypts with another key, or if neither key opens a secret and `leaveLost` is false. The previous key then
 * stays the database's.
 */
export const rekey = Effect.fn("Rekey.rekey")(function* <R>(
  key: typeof SecretKey.Service,
  leaveLost: boolean,
  report: (count: TableCount) => Effect.Effect<void, never, R>
) {
  yield* checkProcesses(key)
  const tables = yield* Effect.forEach(sealedColumns, (column) => Effect.tap(resealTable(column), report))
  const lost = tables.filter((table) => table.lost > 0)
  if (lost.length > 0 && !leaveLost) {
    return yield* new RekeyError({
      message: `Neither key decrypts ${lost.map((table) => `${table.lost} of ${table.read} values in ${table.table}`).join(", ")}. Run folio rekey with the key that encrypted them as FOLIO_KEY_PREVIOUS. If that key is lost, add --leave-lost.`
    })
  }
  // A process that has started meanwhile may have encrypted a value that was already read.
  yield* checkProcesses(key)
  const revoked = yield* revokeLocalKeys(key)
  yield* moveCanary
  return { tables, revoked }
})
