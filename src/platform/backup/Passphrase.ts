import { Config, Effect, Redacted } from "effect"
import { Prompt } from "effect/cli"
import * as Fs from "node:fs"
import { read } from "../../settings/Setting.ts"
import { reasonOf } from "../postgres/PostgresBinaries.ts"
import { BackupError } from "./BackupFile.ts"

const lengthMin = 12

const prompted = (message: string) =>
  Effect.mapError(
    Prompt.run(Prompt.Password({ message })),
    () => new BackupError({ message: "No passphrase was given." })
  )

const fromFile = (file: string) =>
  Effect.try({
    try: () => Redacted.make(Fs.readFileSync(file, "utf8").replace(/\r?\n$/, "")),
    catch: (cause) =>
      new BackupError({
        message: `The passphrase cannot be read from ${file} (${reasonOf(cause)}). Name a file that this user may read.`
      })
  })

/**
 * The passphrase in `file`, or else in `FOLIO_BACKUP_PASSPHRASE`, or else what somebody types at the terminal; undefined where nobody can.
 * It is never an argument, which other users of the machine can read. `isNew`: it is typed twice, and must not be short.
 */
export const passphrase = Effect.fnUntraced(function* (file: string | undefined, isNew: boolean) {
  const given =
    file === undefined
      ? yield* read(Config.Redacted("FOLIO_BACKUP_PASSPHRASE").pipe(Config.withDefault(undefined)))
      : yield* fromFile(file)
  if (given === undefined && !process.stdin.isTTY) return undefined
  const found = given ?? (yield* prompted("The passphrase of the backup's keys"))
  if (!isNew) return found
  if (Redacted.value(found).length < lengthMin) {
    return yield* new BackupError({
      message: `The passphrase must have at least ${lengthMin} characters: whoever has the file can try as many as they like. openssl rand -base64 24 makes one.`
    })
  }
  if (given === undefined && Redacted.value(yield* prompted("The same once more")) !== Redacted.value(found)) {
    return yield* new BackupError({ message: "The two passphrases are not the same. Try again." })
  }
  return found
})
