import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { keyName, Secrets } from "../../database/Secrets.ts"
import { isOfDatabase } from "../../operations/store/KeyCanary.ts"
import { rekey as rekeyDatabase, RekeyError, type TableCount } from "../../operations/store/Rekey.ts"
import { existingSecretKey } from "../../runtime/process/SealingKey.ts"
import { toggle } from "../user/Flags.ts"
import { json, say } from "./Answers.ts"
import { store } from "./Surroundings.ts"

const twoKeys = new RekeyError({
  message:
    "folio rekey needs two keys: the new one in FOLIO_KEY (or DATA_DIR/secret-key), and the former one in FOLIO_KEY_PREVIOUS. Both must differ."
})

/** Both keys, after a check that the database belongs to one of them. */
const keys = Effect.gen(function* () {
  const found = yield* existingSecretKey
  if (found._tag === "Exposed" || found._tag === "Damaged") {
    return yield* new RekeyError({
      message: `${found.path} cannot be used. It must hold 32 bytes in base64, readable by its owner only (chmod 600).`
    })
  }
  if (found._tag === "None" || found.previous === undefined) return yield* twoKeys
  const { key, previous } = found
  if (keyName(key) === keyName(previous)) return yield* twoKeys
  if (!(yield* isOfDatabase(previous)) && !(yield* isOfDatabase(key))) {
    return yield* new RekeyError({
      message:
        "Neither key decrypts the secrets in the database. Set FOLIO_KEY_PREVIOUS to the key that the service had before the change."
    })
  }
  return { key, previous }
})

const progress = ({ read, resealed, table }: TableCount) =>
  Console.error(`${table}: encrypted ${resealed} of ${read} values with the new key`)

export const rekey = Command.make(
  "rekey",
  {
    json,
    leave_lost: toggle("leave-lost", "Finish although neither key decrypts some values; they stay as they are")
  },
  Effect.fn(function* (flags) {
    const { key, previous } = yield* keys
    const { revoked, tables } = yield* Effect.provide(
      rekeyDatabase(key, flags.leave_lost, progress),
      Secrets.layerOf(key, previous)
    )
    const resealed = tables.reduce((sum, table) => sum + table.resealed, 0)
    yield* say(flags.json, { resealed, revoked_keys: revoked, tables }, [
      `Encrypted ${resealed} values with the new key. No value needs FOLIO_KEY_PREVIOUS any more.`,
      ...(revoked === 0
        ? []
        : [`Revoked ${revoked} API keys of the service's own programs, derived from the former key.`]),
      "Keep FOLIO_KEY_PREVIOUS for seven more days, so that the links to files in past events work, or remove it now if the former key has leaked. Keep the former key as long as the backups from before the change."
    ])
  })
).pipe(
  Command.withDescription("Encrypt all stored secrets with a new FOLIO_KEY, while the service runs"),
  Command.provide(store)
)
