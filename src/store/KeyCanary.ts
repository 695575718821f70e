import { Effect, Exit, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import * as Inspection from "./Inspection.ts"
import { Secrets } from "./Secrets.ts"

const plain = "canary"

const find = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const one = SqlSchema.findOneOption({
    Request: Schema.Void,
    Result: Schema.Struct({ sealed: Schema.String }),
    execute: () => sql`select sealed from key_canary`
  })
  return yield* Effect.orDie(one(undefined))
})

/** Whether anything in this database is sealed, so that a new key would be the wrong one. */
export const isAnythingSealed = Effect.gen(function* () {
  return Option.isSome(yield* find) || (yield* Inspection.storedSecrets).length > 0
})

const opens = ({ sealed }: { readonly sealed: string }) =>
  Effect.flatMap(Secrets, (secrets) => Effect.exit(secrets.open(sealed, Inspection.canaryPlace))).pipe(
    Effect.map(Exit.isSuccess)
  )

/**
 * Whether the key of `Secrets` is the one that this database is sealed with. A database that has not been asked before is
 * judged by the secrets in it; the first key that passes is its key from then on.
 */
export const isKeyOfDatabase = Effect.gen(function* () {
  const secrets = yield* Secrets
  const sql = yield* SqlClient.SqlClient
  const found = yield* find
  if (Option.isSome(found)) return yield* opens(found.value)
  const { looked, unopened } = yield* Inspection.unopenedSecrets
  if (looked > 0 && looked === unopened) return false
  const sealed = yield* secrets.seal(plain, Inspection.canaryPlace)
  yield* Effect.orDie(sql`insert into key_canary ${sql.insert({ sealed })} on conflict do nothing`)
  // Another process may have been faster, with another key.
  const stands = yield* find
  return Option.isSome(stands) && (yield* opens(stands.value))
})
