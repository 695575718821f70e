/**
 * A cluster is one PostgreSQL data directory. This module creates clusters and recognizes their postmasters.
 *
 * On Linux, PostgreSQL always gets the path of the cluster as `/proc/self/cwd`: the cluster becomes the child process's
 * working directory before the child gives up root. So a cluster below a root-only directory works like any other,
 * without moving a file or changing a mode.
 */
import { Effect, Schedule } from "effect"
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { type Account, EmbeddedPostgresError, reasonOf, run } from "./PostgresBinaries.ts"

/** The path of an existing or future cluster, with the user and the programs that run it. */
export interface ClusterPath {
  /** An absolute path. Its parent is Folio's data directory, which `account` need not be able to enter. */
  readonly path: string
  readonly account: Account
  /** The folder of PostgreSQL's programs. */
  readonly native: string
}

export interface Cluster extends ClusterPath {
  /** The setting that identifies the cluster in the command line of its postmaster. */
  readonly mark: string
}

/** The name by which a child process refers to `path` when `path` is its working directory. */
export const selfPath = (path: string) => (process.platform === "linux" ? "/proc/self/cwd" : path)

const unfinishedIn = (parent: string) =>
  Fs.readdirSync(parent)
    .filter((name) => name.startsWith("postgres.new-"))
    .map((name) => Path.join(parent, name))

/**
 * Removes the remains of a killed `initialize` from the data directory: part of a cluster, and a copy of the password.
 * Retries, because the killed process's initdb may still be writing, and `rmSync` of Node 24 may then stop half way
 * without an error.
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
 * Creates the cluster with the superuser `postgres`. The cluster gets its name only when complete. A kill at any moment
 * leaves a `postgres.new-*` folder, which `removeUnfinished` removes.
 */
export const initialize = Effect.fn("PostgresCluster.initialize")(function* (at: ClusterPath, password: string) {
  const failure = (cause: unknown) =>
    new EmbeddedPostgresError({
      message: `PostgreSQL could not create ${at.path}: ${reasonOf(cause)}. To use your own server, set DATABASE_URL.`
    })
  const staging = yield* Effect.try({
    try: () => stage(Path.dirname(at.path), at.account, password),
    catch: failure
  })
  const cwd = Path.join(staging, "cluster")
  const fixed = "--username postgres --auth scram-sha-256 --encoding UTF8 --locale C --set huge_pages=off".split(" ")
  const options = ["--pgdata", selfPath(cwd), "--pwfile", `${selfPath(cwd)}/../password`, ...fixed]
  const initdb = yield* run(Path.join(at.native, "bin", "initdb"), options, { cwd, account: at.account })
  if (initdb.code !== 0) {
    return yield* failure(/^.*(error|FATAL): .*$/m.exec(initdb.output)?.[0] ?? initdb.output)
  }
  yield* Effect.try({ try: () => publish(staging, at.path), catch: failure })
})

/**
 * Opens a cluster from `initialize`. The mark is its inode, which survives a rename of the data directory but not a
 * copy.
 */
export const open = (at: ClusterPath): Cluster => ({ ...at, mark: `folio.cluster=${Fs.statSync(at.path).ino}` })

/** The contents of `postmaster.pid`, a postmaster's description of itself. */
export interface PidFile {
  readonly pid: number
  readonly port: number
  readonly status: string
  /** The lines of the file that do not change while this postmaster runs. */
  readonly identity: string
}

export const parsePidFile = (content: string): PidFile | undefined => {
  const lines = content.split("\n").map((line) => line.trim())
  const [pid, port] = [Number(lines[0]), Number(lines[3])]
  if (!(pid > 0) || !(port > 0)) return undefined
  return { pid, port, status: lines[7] ?? "", identity: lines.slice(0, 4).join("\n") }
}

/** The pid file of the cluster; undefined if the last postmaster ended cleanly or has only just started. */
export const readPidFile = (cluster: Cluster): PidFile | undefined => {
  try {
    return parsePidFile(Fs.readFileSync(Path.join(cluster.path, "postmaster.pid"), "utf8"))
  } catch {
    return undefined
  }
}

/** The words of a process's command line: one empty word for a zombie, undefined if there is no such process. */
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
 * Whether the process is the postmaster of this cluster, according to its command line. Other signs are unreliable: the
 * pid may belong to another process, `/proc/<pid>/cwd` of another user requires CAP_SYS_PTRACE, and a zombie accepts
 * signal 0.
 */
export const serves = (cluster: Cluster, pid: number): boolean => commandOf(pid)?.includes(cluster.mark) ?? false

/**
 * Removes the pid file of a dead postmaster whose pid now belongs to another process, which happens soon in a
 * container. PostgreSQL would take that process for a running postmaster. PostgreSQL itself detects a free pid.
 */
export const dropStalePidFile = (cluster: Cluster) => {
  const pid = readPidFile(cluster)?.pid
  const command = pid === undefined ? undefined : commandOf(pid)
  if (command === undefined || command.includes(cluster.mark)) return
  // A postmaster without a mark may have been started by hand and may serve this cluster.
  const marked = command.some((word) => word.startsWith("folio.cluster="))
  if (!marked && Path.basename(command[0] ?? "") === "postgres") return
  Fs.rmSync(Path.join(cluster.path, "postmaster.pid"), { force: true })
}
