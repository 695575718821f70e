import { Effect, Exit, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Inspection from "./Inspection.ts"
import * as Query from "../../database/Query.ts"
import { type SecretKey, Secrets } from "../../database/Secrets.ts"

const plain = "canary"

const find = Query.firstIn(Schema.Struct({ sealed: Schema.String }), (sql) => sql`select sealed from key_canary`)

/** Whether this database contains encrypted secrets, which a new key could not decrypt. */
export const isAnythingSealed = Effect.gen(function* () {
  return Option.isSome(yield* find) || (yield* Inspection.storedSecrets).length > 0
})

const opens = ({ sealed }: { readonly sealed: string }) =>
  Effect.flatMap(Secrets, (secrets) => Effect.exit(secrets.open(sealed, Inspection.canaryContext))).pipe(
    Effect.map(Exit.isSuccess)
  )

/**
 * Whether the key of `Secrets` opens the secrets of this database. A database without a canary accepts the key, unless
 * the database has secrets and the key opens none of them. The first accepted key encrypts the canary and becomes the
 * database's key.
 */
export const isKeyOfDatabase = Effect.gen(function* () {
  const secrets = yield* Secrets
  const sql = yield* SqlClient.SqlClient
  const found = yield* find
  if (Option.isSome(found)) return yield* opens(found.value)
  const { looked, unopened } = yield* Inspection.checkedSecrets
  if (looked > 0 && looked === unopened) return false
  const sealed = yield* secrets.seal(plain, Inspection.canaryContext)
  yield* Effect.orDie(sql`insert into key_canary ${sql.insert({ sealed })} on conflict do nothing`)
  // Another process with another key may have inserted the canary first.
  const stands = yield* find
  return Option.isSome(stands) && (yield* opens(stands.value))
})

/**
 * Whether `key` decrypts the secrets in the database. While there are no secrets, the first tried key becomes the
 * database's.
 *
 * @internal
 */
export const isOfDatabase = (key: typeof SecretKey.Service) => Effect.provide(isKeyOfDatabase, Secrets.layerOf(key))

/**
 * Encrypts the canary with the current key of `Secrets`, if the previous key encrypted it. Other keys then open this
 * database no longer.
 */
export const moveCanary = Effect.gen(function* () {
  const secrets = yield* Secrets
  const sql = yield* SqlClient.SqlClient
  const found = yield* find
  if (Option.isNone(found)) return
  const { sealed: before } = found.value
  if ((yield* secrets.keyOf(before, Inspection.canaryContext)) === "current") return
  const sealed = yield* secrets.seal(plain, Inspection.canaryContext)
  yield* Effect.orDie(sql`update key_canary set sealed = ${sealed} where one and sealed = ${before}`)
})
