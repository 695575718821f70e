import { Effect, Predicate } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { makeDirectory } from "./DataFiles.ts"
import { EmbeddedPostgresError, reasonOf } from "../postgres/PostgresBinaries.ts"

const SQLITE_BUSY = 5
const SQLITE_NOT_A_DATABASE = 26

const refusal = (message: string) => new EmbeddedPostgresError({ message })

/**
 * Locks the data directory for this process until the scope closes. Fails with `EmbeddedPostgresError` if another
 * process has the lock, or if the directory is unusable. The kernel holds the lock: it ends with the process in any
 * case, and works between containers that share the directory. SQLite is Node's only access to such a lock on every
 * platform.
 */
export const lock = Effect.fn("DataDirLock.lock")(function* (directory: string) {
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
      if (code === SQLITE_NOT_A_DATABASE) return refusal(`${lockFile} is damaged. Remove it: Folio creates it again.`)
      if (code !== SQLITE_BUSY) {
        const why = `Cannot keep data in DATA_DIR ${directory}: ${reasonOf(cause)}`
        return refusal(`${why}. Choose a directory that this user can write to.`)
      }
      const owner = Fs.existsSync(pidFile) ? `pid ${Fs.readFileSync(pidFile, "utf8").trim()}` : "pid unknown"
      const why = `Another Folio (${owner}) is already running with DATA_DIR ${directory}`
      return refusal(`${why}. Stop it, or give this process its own DATA_DIR.`)
    }
  })
  yield* Effect.acquireRelease(acquire, (database) =>
    Effect.sync(() => {
      Fs.rmSync(pidFile, { force: true })
      database.close()
    })
  )
})
