/** Directories, queries, and a second Folio process to kill, for the tests of EmbeddedPostgres. */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Schedule } from "effect"
import { execFileSync, spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import type { EmbeddedPostgresConnection } from "../../../src/runtime/postgres/EmbeddedPostgres.ts"
import type * as Binaries from "../../../src/runtime/postgres/PostgresBinaries.ts"
import { dataPlace } from "../../support/processes/DataPlace.ts"

export const CHECKOUT = Path.resolve(import.meta.dirname, "../../..")

export const until = (condition: () => boolean) =>
  Effect.sync(condition).pipe(
    Effect.repeat({ until: (holds: boolean) => holds, schedule: Schedule.spaced("5 millis") }),
    // Only a hang takes this long: another Folio loads its sources one by one.
    Effect.timeout("90 seconds")
  )

/**
 * The pid of the PostgreSQL in the directory; 0 without a pid file.
 * An existence check before the read would not do: a stopping server removes its file.
 */
export const postmasterOf = (dataDir: string) => {
  try {
    return Number(Fs.readFileSync(Path.join(dataDir, "postgres/postmaster.pid"), "utf8").split("\n")[0])
  } catch (error) {
    // ENOTDIR: a test has replaced the directory with a file.
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return 0
    throw error
  }
}

export const isAlive = (pid: number) => {
  try {
    return process.platform === "linux" ? Fs.readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "" : process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The path of a new data directory, below a directory with the given owner and mode. */
export const dataDirectory = (owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }, mode = 0o755) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const parent = Fs.mkdtempSync(Path.join(dataPlace(), "folio-test-"))
      Fs.chownSync(parent, owner.uid, owner.gid)
      Fs.chmodSync(parent, mode)
      return Path.join(parent, "data")
    }),
    (dataDir) =>
      Effect.sync(() => {
        // Only a failed test leaves a server.
        const left = postmasterOf(dataDir)
        if (left > 0 && isAlive(left)) process.kill(left, "SIGQUIT")
        Fs.rmSync(Path.dirname(dataDir), { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
      })
  )

/** A copy of an unused data directory, with the owners of its files. */
export const copyOf = Effect.fnUntraced(function* (from: string) {
  const dataDir = yield* dataDirectory()
  yield* Effect.sync(() => execFileSync("cp", ["-a", from, dataDir]))
  return dataDir
})

export const query = (
  connection: Omit<EmbeddedPostgresConnection, "database"> & { readonly database: string },
  sql: string
) =>
  PgConnection.make({ ...connection, ssl: false }).pipe(
    Effect.flatMap((session) => session.queryValues(sql)),
    Effect.scoped
  )

const PROGRAM = `
import { Effect, Redacted } from "effect"
import { start } from "./src/runtime/postgres/EmbeddedPostgres.ts"
const said = (word, value) => Effect.sync(() => process.stdout.write("\\n" + word + " " + JSON.stringify(value) + "\\n"))
start({ dataDir: process.argv[1] }).pipe(
  Effect.tap((connection) => said("STARTED", { ...connection, password: Redacted.value(connection.password) })),
  Effect.andThen(Effect.never),
  Effect.catch((error) => said("FAILED", error.message)),
  Effect.scoped,
  Effect.runFork
)`

/** Another Folio: a node process, killed with -9 at the latest when the scope closes. */
export const otherProcess = (dataDir: string, account: Binaries.Account = undefined) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, ["--input-type=module", "-e", PROGRAM, dataDir], {
        ...account,
        cwd: CHECKOUT,
        stdio: ["ignore", "pipe", "inherit"]
      })
      let output = ""
      child.stdout.on("data", (chunk: Buffer) => {
        output += chunk.toString()
      })
      const said = (word: string) => new RegExp(`^${word} (.*)\\n`, "m").exec(output)?.[1]
      const kill = Effect.suspend(() => {
        child.kill("SIGKILL")
        return until(() => child.exitCode !== null || child.signalCode !== null)
      })
      return {
        pid: child.pid ?? 0,
        kill,
        hears: (word: "STARTED" | "FAILED") =>
          until(() => said(word) !== undefined).pipe(Effect.map(() => JSON.parse(said(word) ?? "")))
      }
    }),
    (other) => Effect.ignore(other.kill)
  )
