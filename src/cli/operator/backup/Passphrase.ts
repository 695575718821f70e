import { Config, Effect, Redacted } from "effect"
import { Prompt } from "effect/cli"
import * as Fs from "node:fs"
import { BackupError } from "../../../operations/backup/BackupFile.ts"
import { reasonOf } from "../../../runtime/postgres/PostgresBinaries.ts"
import { read } from "../../../runtime/Setting.ts"

const lengthMin = 12

/**
 * The passphrase from `file`, from `FOLIO_BACKUP_PASSPHRASE`, or from a prompt at the terminal; undefined without any.
 * Never an argument, which other users of the machine can read. `isNew`: the person types it twice, and it must not be
 * short.
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
      message: `The passphrase must have at least ${lengthMin} characters, because an attacker with the file has unlimited attempts. To make one: openssl rand -base64 24`
    })
  }
  if (given === undefined && Redacted.value(yield* prompted("The same passphrase again")) !== Redacted.value(found)) {
    return yield* new BackupError({ message: "The two passphrases differ. Try again." })
  }
  return found
})

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
        message: `The passphrase cannot be read from ${file} (${reasonOf(cause)}). Choose a file that this user can read.`
      })
  })
