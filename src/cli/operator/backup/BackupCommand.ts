import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { version } from "../../../runtime/Version.ts"
import { take } from "../../../operations/backup/Backup.ts"
import { BackupError } from "../../../operations/backup/BackupFile.ts"
import { keysHere } from "../../../operations/backup/KeyOfBackup.ts"
import { seal } from "../../../operations/backup/BackupKeys.ts"
import { passphrase } from "./Passphrase.ts"
import * as Postgres from "../../../runtime/postgres/Postgres.ts"
import { existingSecretKey } from "../../../runtime/process/SealingKey.ts"
import { json, say } from "../Answers.ts"
import { edge } from "../Surroundings.ts"
import { toggle } from "../../user/Flags.ts"

export const passphraseFile = Flag.optional(
  Flag.String("passphrase-file").pipe(
    Flag.withDescription(
      "File with the keys' passphrase; if omitted, FOLIO_BACKUP_PASSPHRASE or a prompt at the terminal"
    )
  )
)

const noPassphrase = new BackupError({
  message:
    "The keys need a passphrase. Set FOLIO_BACKUP_PASSPHRASE, give a file with --passphrase-file, or run the command at a terminal."
})

const sealedKeys = Effect.fnUntraced(function* (file: Option.Option<string>) {
  const keys = yield* keysHere
  const given = yield* passphrase(Option.getOrUndefined(file), true)
  return given === undefined ? yield* noPassphrase : yield* seal(keys, given)
})

/** Formats a number of bytes for people. */
export const sizeOf = (bytes: number): string => {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} kB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`
}

export const backup = Command.make(
  "backup",
  {
    json,
    file: Argument.String("file").pipe(Argument.withDescription("File to write; must not exist")),
    with_key: toggle("with-key", "Include the keys of DATA_DIR or FOLIO_KEY, encrypted with a passphrase"),
    passphrase_file: passphraseFile
  },
  Effect.fn(function* (flags) {
    const keys = flags.with_key ? yield* sealedKeys(flags.passphrase_file) : undefined
    const address = yield* Postgres.existingAddress
    const found = yield* existingSecretKey
    const { header, isAuthenticated, rows, size } = yield* take(address, flags.file, {
      release: version,
      sealedKeys: keys,
      keys: found._tag === "Key" ? [found.key, found.previous] : []
    })
    const { has_keys, migration, release, taken_at } = header
    yield* say(
      flags.json,
      { file: flags.file, bytes: size, rows, release, migration, taken_at, has_keys, authenticated: isAuthenticated },
      [
        `Wrote ${flags.file}: ${rows} rows as of ${taken_at}, ${sizeOf(size)}.`,
        has_keys
          ? "It includes the keys, encrypted with the passphrase."
          : "It does not include the key that encrypts secrets: keep FOLIO_KEY, or DATA_DIR/secret-key, in another place.",
        ...(isAuthenticated
          ? []
          : [
              "It has no authentication code, because the database's key is missing: set FOLIO_KEY or DATA_DIR to the service's value."
            ])
      ]
    )
  }, Effect.scoped)
).pipe(
  Command.withDescription("Write a backup of the database to a file; the service may be running"),
  Command.provide(edge)
)
