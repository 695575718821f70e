import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { passphrase } from "./Passphrase.ts"
import { previousKeyFile } from "../../../operations/backup/KeyOfBackup.ts"
import { restore as restoreFile, verify } from "../../../operations/backup/Restoring.ts"
import { json, say } from "../Answers.ts"
import { ReportedFailure } from "../../../service/Run.ts"
import { edge } from "../Surroundings.ts"
import { passphraseFile } from "./BackupCommand.ts"
import { toggle } from "../../user/Flags.ts"

type Verified = Effect.Success<ReturnType<typeof verify>>

const total = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((sum, count) => sum + count, 0)

const keyWords = (opens: boolean | undefined) => {
  if (opens === undefined) return "key    Not checked: the backup has no encrypted secrets, or no key was given"
  return opens
    ? "ok     The key decrypts the secrets"
    : "WRONG  The key does not decrypt the secrets: set FOLIO_KEY to the service's key"
}

const authenticWords = (isAuthentic: boolean | null, isTrusted: boolean) => {
  if (isAuthentic === true) return "ok     The file was not altered since the backup"
  return isTrusted
    ? "note   Not checked for changes, because of --unauthenticated"
    : "WRONG  Not checked for changes: set FOLIO_KEY to the service's key, or add --unauthenticated if you trust the place where the file was stored"
}

const report = (
  file: string,
  isTrusted: boolean,
  { counts, header, isAuthentic, isRestored, opens, promises }: Verified
) => [
  `${file} is complete: ${total(counts)} rows as of ${header.taken_at}, of release ${header.release}, migration ${header.migration}.`,
  ...(isRestored
    ? ["The check restored it into a temporary directory, and removed the directory:"]
    : ["The check did not restore it: this machine has no bundled PostgreSQL."]),
  ...promises.map(({ broken, promise }) =>
    broken.length === 0 ? `ok     ${promise}` : `WRONG  ${promise}: ${broken.join("; ")}`
  ),
  keyWords(opens),
  authenticWords(isAuthentic, isTrusted)
]

const look = Effect.fnUntraced(function* (
  file: string,
  asJson: boolean,
  passphraseIn: string | undefined,
  isTrusted: boolean
) {
  const found = yield* verify(file, passphrase(passphraseIn, false), isTrusted)
  const { counts, header, isAuthentic, isRestored, opens, promises } = found
  const isUnchecked = isAuthentic === null && !isTrusted
  const wrong =
    promises.filter(({ broken }) => broken.length > 0).length + (opens === false ? 1 : 0) + (isUnchecked ? 1 : 0)
  const { canary: _canary, tables: _tables, transaction: _transaction, ...facts } = header
  yield* say(
    asJson,
    {
      ok: wrong === 0,
      ...facts,
      restored: isRestored,
      key_opens: opens ?? null,
      authentic: isAuthentic,
      tables: Object.fromEntries(counts),
      promises
    },
    report(file, isTrusted, found)
  )
  if (wrong > 0) return yield* new ReportedFailure({ message: `${wrong} checks failed` })
})

export const restore = Command.make(
  "restore",
  {
    json,
    file: Argument.String("file").pipe(Argument.withDescription("A file from folio backup")),
    verify: toggle("verify", "Only verify the backup, in a temporary directory"),
    unauthenticated: toggle(
      "unauthenticated",
      "Accept a file without an authentication code, or with the code of another key: the file may have been altered"
    ),
    passphrase_file: passphraseFile
  },
  Effect.fn(function* (flags) {
    const passphraseIn = Option.getOrUndefined(flags.passphrase_file)
    if (flags.verify) return yield* look(flags.file, flags.json, passphraseIn, flags.unauthenticated)
    const { counts, header, paths } = yield* restoreFile(
      flags.file,
      passphrase(passphraseIn, false),
      flags.unauthenticated
    )
    const { migration, release, taken_at } = header
    yield* say(
      flags.json,
      {
        file: flags.file,
        release,
        migration,
        taken_at,
        keys: paths,
        tables: counts === undefined ? null : Object.fromEntries(counts)
      },
      [
        counts === undefined
          ? "An earlier restore of this file is complete."
          : `Restored ${total(counts)} rows as of ${taken_at}.`,
        ...paths.map((path) => `Wrote ${path}.`),
        ...(paths.some((path) => path.endsWith(previousKeyFile))
          ? [
              "The backup was taken during a change of the key. Set FOLIO_KEY_PREVIOUS_FILE to the file with the second key, and run folio rekey after the start."
            ]
          : []),
        "Numbering is paused until you confirm the last number of each range: folio resume lists the ranges and how to confirm."
      ]
    )
  })
).pipe(
  Command.withDescription("Restore a backup into an empty DATA_DIR or database; --verify: only check it"),
  Command.provide(edge)
)
