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
 * Locks the data directory for this process until the scope closes. Fails with `EmbeddedPostgresError` when another process has the
 * lock or the directory cannot be used. The kernel holds the lock, so the lock ends with the process, however the process ends, and
 * works between containers that share the directory. SQLite is the only access to such a lock that Node has on every platform.
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
      if (code === SQLITE_NOT_A_DATABASE) return refusal(`${lockFile} is damaged. Remove it: it is made anew.`)
      if (code !== SQLITE_BUSY) {
        const why = `Cannot keep data in DATA_DIR ${directory}: ${reasonOf(cause)}`
        return refusal(`${why}. Name a directory this user may write to.`)
      }
      const owner = Fs.existsSync(pidFile) ? `pid ${Fs.readFileSync(pidFile, "utf8").trim()}` : "pid unknown"
      const why = `Another Folio (${owner}) is already running with DATA_DIR ${directory}`
      return refusal(`${why}. Stop it, or give this one a DATA_DIR of its own.`)
    }
  })
  yield* Effect.acquireRelease(acquire, (database) =>
    Effect.sync(() => {
      Fs.rmSync(pidFile, { force: true })
      database.close()
    })
  )
})
