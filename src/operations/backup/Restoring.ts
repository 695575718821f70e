/** The work of `folio restore`: into an empty database, or into a temporary one for verification. */
import { Effect, Option, type Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as EmbeddedPostgres from "../../runtime/postgres/EmbeddedPostgres.ts"
import * as Binaries from "../../runtime/postgres/PostgresBinaries.ts"
import * as Roles from "../../runtime/postgres/PostgresRoles.ts"
import { BackupError } from "./BackupFile.ts"
import type { Header } from "./Tables.ts"
import { keyFor, keyOfCanary, writeKeys } from "./KeyOfBackup.ts"
import { type Keys, open } from "./BackupKeys.ts"
import { inDatabase, intoEmpty } from "./BackupTarget.ts"
import { looked } from "./Promises.ts"
import { readAll, readHeader, restoreInto } from "./Restore.ts"
import { existingSecretKey } from "../../runtime/process/SealingKey.ts"

type Ask<E, R> = Effect.Effect<Redacted.Redacted<string> | undefined, E, R>

const keysIn = Effect.fnUntraced(function* <E, R>(sealed: Uint8Array | undefined, ask: Ask<E, R>) {
  const passphrase = sealed === undefined ? undefined : yield* ask
  return sealed === undefined || passphrase === undefined ? undefined : yield* open(sealed, passphrase)
})

/** Whether an earlier, killed restore has restored this file. */
const isRestored = (header: Header) => (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const [has] = yield* sql<{ yes: boolean }>`select to_regclass('restores') is not null as yes`
    if (has?.yes !== true) return false
    return yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql.unsafe(`set local role ${Roles.service}`)
        const rows = yield* sql`select from restores where taken_at = ${header.taken_at}::text::timestamptz`
        return rows.length > 0
      })
    )
  })

/**
 * Restores a backup into the empty database of the settings. `ask` gives the passphrase of the backup's keys, if any.
 * Returns a summary and the written key files.
 */
export const restore = Effect.fn("Restoring.restore")(function* <E, R>(
  file: string,
  ask: Ask<E, R>,
  isTrusted: boolean
) {
  const { header, sealedKeys } = yield* readHeader(file)
  const isOpen = (yield* existingSecretKey)._tag === "Key"
  const keys: Keys | undefined = yield* keysIn(isOpen ? undefined : sealedKeys, ask)
  const key = yield* keyFor(header.canary, keys)
  let paths: ReadonlyArray<string> = []
  const write = Effect.gen(function* () {
    if (keys !== undefined) paths = yield* writeKeys(keys, key?.isNew === true)
  })
  const counts = yield* intoEmpty(isRestored(header), (finish) =>
    restoreInto(file, header, isTrusted ? undefined : key?.key, write, finish)
  ).pipe(Effect.onError(() => Effect.sync(() => paths.forEach((path) => Fs.rmSync(path, { force: true })))))
  return { header, counts, paths }
})

const scratch = Effect.acquireRelease(
  Effect.try({
    try: () => Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-verify-")),
    catch: (cause) =>
      new BackupError({
        message: `There is no space to verify the backup in ${Os.tmpdir()} (${String(cause)}). Set TMPDIR to another directory.`
      })
  }),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
)

/**
 * The key of a backup, if known, and whether it opens the secrets; `opens` is undefined if nothing is encrypted or no
 * key is known.
 */
const keyLook = Effect.fnUntraced(function* (header: Header, keys: Keys | undefined) {
  if (keys !== undefined) {
    const found = Result.getOrUndefined(yield* Effect.result(keyFor(header.canary, keys)))
    return { key: found?.key, opens: header.canary === null ? undefined : found !== undefined }
  }
  const found = yield* existingSecretKey
  if (found._tag !== "Key") return { key: undefined, opens: undefined }
  const key = Option.getOrUndefined(yield* keyOfCanary(header.canary, [found.key, found.previous]))
  return { key, opens: header.canary === null ? undefined : key !== undefined }
})

const nothing = {
  begin: () => Effect.succeed(""),
  rows: () => Effect.void,
  end: Effect.void,
  sequences: () => Effect.void
}

/**
 * Reads a complete backup, restores it into a temporary directory if there is a bundled PostgreSQL, and checks the
 * service's guarantees there. Removes everything afterwards. `isRestored` is false without a bundled PostgreSQL.
 */
export const verify = Effect.fn("Restoring.verify")(function* <E, R>(file: string, ask: Ask<E, R>, isTrusted: boolean) {
  const { header, sealedKeys } = yield* readHeader(file)
  const look = yield* keyLook(header, yield* keysIn(sealedKeys, ask))
  const { opens } = look
  const key = isTrusted ? undefined : look.key
  const isAuthentic = key === undefined ? null : true
  if ((yield* Effect.result(Binaries.find()))._tag === "Failure") {
    const counts = yield* readAll(file, header, key, nothing)
    return { header, opens, isAuthentic, counts, isRestored: false, promises: [] }
  }
  const dataDir = yield* scratch
  const address = yield* EmbeddedPostgres.start({ dataDir })
  const restored = yield* inDatabase(
    address,
    { isMarked: false, isDone: () => Effect.succeed(false) },
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const counts = yield* restoreInto(file, header, key, Effect.void, Effect.void)
      const promises = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql.unsafe(`set local role ${Roles.service}`)
          yield* sql.unsafe("set local row_security = on")
          return yield* looked(sql)
        })
      )
      return { counts, promises }
    })
  )
  return {
    header,
    opens,
    isAuthentic,
    counts: restored?.counts ?? new Map<string, number>(),
    isRestored: true,
    promises: restored?.promises ?? []
  }
}, Effect.scoped)
