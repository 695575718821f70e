/**
 * A cluster: one PostgreSQL data directory. How it is made, and how its postmaster is known again.
 *
 * It is always named to PostgreSQL by `/proc/self/cwd`, and the child is given it as its working directory before it gives
 * up root. So a directory below one that only root may enter works like any other, with nothing moved or opened.
 */
import { Effect, Schedule } from "effect"
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { type Account, EmbeddedPostgresError, reasonOf, run } from "./PostgresBinaries.ts"

/** Where a cluster is or will be, and with what it is run. */
export interface Place {
  /** Absolute. Its parent is the data directory of Folio, which `account` need not be able to enter. */
  readonly path: string
  readonly account: Account
  /** The folder of PostgreSQL's programs. */
  readonly native: string
}

export interface Cluster extends Place {
  /** Names the cluster in the command line of its postmaster. */
  readonly mark: string
}

/** The name of `path` for a child that has it as its working directory. */
export const selfPath = (path: string) => (process.platform === "linux" ? "/proc/self/cwd" : path)

const unfinishedIn = (parent: string) =>
  Fs.readdirSync(parent)
    .filter((name) => name.startsWith("postgres.new-"))
    .map((name) => Path.join(parent, name))

/**
 * Removes what a killed `initialize` has left in the data directory: half a cluster, and a copy of the password. Its
 * initdb may still be writing there, and then a removal may also stop half way without an error (`rmSync` of Node 24).
 */
export const removeUnfinished = (parent: string): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: async () => {
      for (const path of unfinishedIn(parent)) await Fs.promises.rm(path, { recursive: true, force: true })
      const [left] = unfinishedIn(parent)
      if (left !== undefined) throw new Error(`${left} is still being written to`)
    },
    catch: (cause) => new EmbeddedPostgresError({ message: `Cannot remove an unfinished cluster: ${reasonOf(cause)}` })
  }).pipe(Effect.retry(Schedule.spaced("50 millis").pipe(Schedule.upTo({ duration: "10 seconds" }))))

const stage = (parent: string, account: Account, password: string): string => {
  const staging = Path.join(parent, `postgres.new-${randomBytes(6).toString("hex")}`)
  Fs.mkdirSync(Path.join(staging, "cluster"), { recursive: true, mode: 0o700 })
  Fs.writeFileSync(Path.join(staging, "password"), password, { mode: 0o600 })
  for (const name of account === undefined ? [] : ["", "cluster", "password"]) {
    Fs.chownSync(Path.join(staging, name), account?.uid ?? 0, account?.gid ?? 0)
  }
  return staging
}

const publish = (staging: string, path: string) => {
  Fs.renameSync(Path.join(staging, "cluster"), path)
  const parent = Fs.openSync(Path.dirname(path), "r")
  Fs.fsyncSync(parent)
  Fs.closeSync(parent)
  Fs.rmSync(staging, { recursive: true, force: true })
}

/**
 * Creates the cluster with the superuser `postgres`. It appears under its name only when it is complete: a kill at any
 * moment leaves a `postgres.new-*` behind, for `removeUnfinished`.
 */
export const initialize = Effect.fn("PostgresCluster.initialize")(function* (
  place: Place,
  password: string
): Effect.fn.Return<void, EmbeddedPostgresError> {
  const failure = (cause: unknown) =>
    new EmbeddedPostgresError({
      message: `PostgreSQL could not create ${place.path}: ${reasonOf(cause)}. Set DATABASE_URL to use a server of your own.`
    })
  const staging = yield* Effect.try({
    try: () => stage(Path.dirname(place.path), place.account, password),
    catch: failure
  })
  const cwd = Path.join(staging, "cluster")
  const options = [
    ["--pgdata", selfPath(cwd)],
    ["--pwfile", `${selfPath(cwd)}/../password`],
    ["--username", "postgres"],
    ["--auth", "scram-sha-256"],
    ["--encoding", "UTF8"],
    ["--locale", "C"],
    ["--set", "huge_pages=off"]
  ]
  const initdb = yield* run(Path.join(place.native, "bin", "initdb"), options.flat(), { cwd, account: place.account })
  if (initdb.code !== 0) {
    return yield* failure(/^.*(error|FATAL): .*$/m.exec(initdb.output)?.[0] ?? initdb.output)
  }
  yield* Effect.try({ try: () => publish(staging, place.path), catch: failure })
})

/** The cluster at a place where `initialize` has been. The inode outlives a renamed data directory, but not a copied one. */
export const open = (place: Place): Cluster => ({ ...place, mark: `folio.cluster=${Fs.statSync(place.path).ino}` })

/** What a postmaster writes about itself into the cluster. */
export interface PidFile {
  readonly pid: number
  readonly port: number
  readonly status: string
  /** What stays the same for as long as this postmaster lives. */
  readonly identity: string
}

export const parsePidFile = (content: string): PidFile | undefined => {
  const lines = content.split("\n").map((line) => line.trim())
  const [pid, port] = [Number(lines[0]), Number(lines[3])]
  if (!(pid > 0) || !(port > 0)) return undefined
  return { pid, port, status: lines[7] ?? "", identity: lines.slice(0, 4).join("\n") }
}

/** Nothing when the last postmaster ended in order, or has only just begun. */
export const readPidFile = (cluster: Cluster): PidFile | undefined => {
  try {
    return parsePidFile(Fs.readFileSync(Path.join(cluster.path, "postmaster.pid"), "utf8"))
  } catch {
    return undefined
  }
}

/** The words of its command line: one empty word for a zombie, nothing when there is no such process. */
const commandOf = (pid: number): ReadonlyArray<string> | undefined => {
  try {
    return process.platform === "linux"
      ? Fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split(/[\0\s]/)
      : execFileSync("ps", ["-o", "command=", "-p", `${pid}`], { encoding: "utf8", stdio: "pipe" }).split(/\s/)
  } catch {
    return undefined
  }
}

/**
 * Whether the process is the postmaster of this very cluster. Its command line tells: a pid may be another process by now,
 * `/proc/<pid>/cwd` of another user asks for CAP_SYS_PTRACE, and a zombie takes a signal 0.
 */
export const serves = (cluster: Cluster, pid: number): boolean => commandOf(pid)?.includes(cluster.mark) ?? false

/**
 * Removes the file of a dead postmaster whose pid has been given to another process (in a container it is soon), because
 * PostgreSQL would take that one for its predecessor. It sees by itself that a pid is free.
 */
export const dropStalePidFile = (cluster: Cluster) => {
  const pid = readPidFile(cluster)?.pid
  const command = pid === undefined ? undefined : commandOf(pid)
  if (command === undefined || command.includes(cluster.mark)) return
  // A postmaster without any mark may serve this cluster, started by hand.
  const marked = command.some((word) => word.startsWith("folio.cluster="))
  if (!marked && Path.basename(command[0] ?? "") === "postgres") return
  Fs.rmSync(Path.join(cluster.path, "postmaster.pid"), { force: true })
}
