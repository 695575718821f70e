import { Effect, Predicate, type Scope } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { makeDirectory } from "./Directories.ts"
import { EmbeddedPostgresError, reasonOf } from "./PostgresBinaries.ts"

const SQLITE_BUSY = 5
const SQLITE_NOT_A_DATABASE = 26

/**
 * Makes the data directory ours until the scope closes. The lock is the kernel's, so it ends with the process however that
 * ends, and holds between containers that share the directory; SQLite is the way to it that Node has on every platform.
 */
export const lock = Effect.fn("DataDirLock.lock")(function* (
  directory: string
): Effect.fn.Return<void, EmbeddedPostgresError, Scope.Scope> {
  const pidFile = Path.join(directory, "folio.pid")
  const lockFile = Path.join(directory, "folio.lock")
  const acquire = Effect.try({
    try: () => {
      makeDirectory(directory, 0o700)
      const database = new DatabaseSync(lockFile)
      try {
        database.exec("BEGIN EXCLUSIVE")
        Fs.writeFileSync(pidFile, `${process.pid}\n`)
      } catch (cause) {
        database.close()
        throw cause
      }
      return database
    },
    catch: (cause) => {
      const code = Predicate.hasProperty(cause, "errcode") ? cause.errcode : undefined
      if (code === SQLITE_NOT_A_DATABASE) {
        return new EmbeddedPostgresError({ message: `${lockFile} is damaged. Remove it: it is made anew.` })
      }
      if (code !== SQLITE_BUSY) {
        return new EmbeddedPostgresError({
          message: `Cannot keep data in DATA_DIR ${directory}: ${reasonOf(cause)}. Name a directory this user may write to.`
        })
      }
      const owner = Fs.existsSync(pidFile) ? `pid ${Fs.readFileSync(pidFile, "utf8").trim()}` : "pid unknown"
      return new EmbeddedPostgresError({
        message: `Another Folio (${owner}) is already running with DATA_DIR ${directory}. Stop it, or give this one a DATA_DIR of its own.`
      })
    }
  })
  yield* Effect.acquireRelease(acquire, (database) =>
    Effect.sync(() => {
      Fs.rmSync(pidFile, { force: true })
      database.close()
    })
  )
})
