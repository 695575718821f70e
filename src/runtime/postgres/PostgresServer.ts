/** Starts, awaits and stops the postmaster of a cluster. */
import { Context, Deferred, Effect, Option, Schedule, Schema } from "effect"
import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { EmbeddedPostgresError, environment, reasonOf } from "./PostgresBinaries.ts"
import { type Cluster, dropStalePidFile, type PidFile, readPidFile, selfPath, serves } from "./PostgresCluster.ts"

export interface Server {
  readonly pid: number
  readonly port: number
  readonly isAlive: () => boolean
  /** Succeeds within a second after the process has ended. */
  readonly ended: Effect.Effect<void>
}

/** The server cannot start now but may soon: its predecessor still runs, or the port is in use. */
export class ServerBusy extends Schema.TaggedError<ServerBusy>()("ServerBusy", { message: Schema.String }) {}

const LOG_BYTES_MAX = 1024 * 1024
/** A start after a crash replays up to `max_wal_size` (1 GB) of log. */
const READY_WITHIN = "120 seconds"
const PASSES = /lock file|pre-existing shared memory|could not create any TCP/

/** The server's maximum number of connections: more than a process of the service and parallel commands use. */
export class ConnectionsMax extends Context.Reference<number>("folio/runtime/postgres/PostgresServer/ConnectionsMax", {
  defaultValue: () => 50
}) {}

/**
 * The settings are on the command line, not in postgresql.conf, so that they follow the version of Folio and not the
 * version of the data.
 */
const SETTINGS = [
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "shared_buffers=128MB",
  "fsync=on",
  "synchronous_commit=on",
  // In a container that shows huge pages but may not use them, SIGBUS would kill the server.
  "huge_pages=off",
  // JIT and parallel workers do not help short statements on few cores, and parallel workers need more /dev/shm than
  // Docker provides.
  "jit=off",
  "max_parallel_workers_per_gather=0",
  "timezone=UTC",
  "log_timezone=UTC",
  // Folio reports failed statements. The server does not log them, because their text may contain customer data.
  "log_min_messages=log",
  "log_error_verbosity=terse",
  "log_checkpoints=off",
  "cluster_name=folio"
]

const gone = (isAlive: () => boolean, every: "20 millis" | "1 second"): Effect.Effect<void> =>
  Effect.sync(isAlive).pipe(
    Effect.repeat({ while: (alive: boolean) => alive, schedule: Schedule.spaced(every) }),
    Effect.asVoid
  )

/** A postmaster that is not a child of this process, so that its end is detected by polling. */
export const existing = (cluster: Cluster, { pid, port }: PidFile): Server => {
  const isAlive = () => serves(cluster, pid)
  return { pid, port, isAlive, ended: gone(isAlive, "1 second") }
}

/** Waits until the server accepts connections: `ended` if the process ends first, `late` after `READY_WITHIN`. */
export const whenReady = (cluster: Cluster, server: Server): Effect.Effect<"ready" | "ended" | "late"> =>
  Effect.sync(() => readPidFile(cluster)).pipe(
    Effect.repeat({
      until: (file) => file?.pid === server.pid && file.status === "ready",
      schedule: Schedule.spaced("5 millis")
    }),
    Effect.as("ready" as const),
    Effect.raceFirst(Effect.as(server.ended, "ended" as const)),
    Effect.timeoutOrElse({ duration: READY_WITHIN, orElse: () => Effect.succeed("late" as const) })
  )

/**
 * Stops the server with a fast shutdown, and after 10 s with an immediate shutdown, which needs a recovery at the next
 * start.
 */
export const stop = Effect.fn("PostgresServer.stop")(function* ({ pid, isAlive }: Server): Effect.fn.Return<void> {
  for (const signal of ["SIGINT", "SIGQUIT"] as const) {
    // The process may end between the check and the signal.
    yield* Effect.try(() => isAlive() && process.kill(pid, signal)).pipe(Effect.ignore)
    const ended = yield* Effect.interruptible(gone(isAlive, "20 millis")).pipe(Effect.timeoutOption("10 seconds"))
    if (Option.isSome(ended)) return
  }
  yield* Effect.logWarning(`PostgreSQL (pid ${pid}) did not stop; the next start adopts it`)
})

const openLog = (path: string) => {
  if (Fs.existsSync(path) && Fs.statSync(path).size > LOG_BYTES_MAX) Fs.renameSync(path, `${path}.1`)
  const descriptor = Fs.openSync(path, "a", 0o600)
  return { descriptor, start: Fs.fstatSync(descriptor).size }
}

const spawnPostmaster = (cluster: Cluster, port: number, connectionsMax: number, log: number): Server => {
  const settings = [...SETTINGS, `max_connections=${connectionsMax}`, cluster.mark]
  const args = ["-D", selfPath(cluster.path), "-p", `${port}`, ...settings.flatMap((setting) => ["-c", setting])]
  const ended = Deferred.makeUnsafe<void>()
  const child = spawn(Path.join(cluster.native, "bin", "postgres"), args, {
    ...cluster.account,
    cwd: cluster.path,
    env: environment,
    // Its own session, so that Ctrl-C does not reach the server: Folio completes its work before it stops the server.
    detached: true,
    stdio: ["ignore", log, log]
  })
  child.once("exit", () => Deferred.doneUnsafe(ended, Effect.void))
  child.once("error", () => Deferred.doneUnsafe(ended, Effect.void))
  const isAlive = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null
  return { pid: child.pid ?? 0, port, isAlive, ended: Deferred.await(ended) }
}

/**
 * Starts the postmaster and waits until the server accepts connections. `onSpawn` receives the server immediately: from
 * then on, the caller must stop the server, whatever the outcome of this effect.
 */
export const launch = Effect.fn("PostgresServer.launch")(function* (
  cluster: Cluster,
  port: number,
  onSpawn: (server: Server) => void
): Effect.fn.Return<Server, EmbeddedPostgresError | ServerBusy> {
  const logPath = `${cluster.path}.log`
  const failure = (cause: unknown) =>
    new EmbeddedPostgresError({
      message: `PostgreSQL in ${cluster.path} does not start: ${reasonOf(cause).replaceAll(selfPath(cluster.path), cluster.path)}. See ${logPath}; restore a damaged directory from a backup.`
    })
  const connectionsMax = yield* ConnectionsMax
  const { server, start } = yield* Effect.try({
    try: () => {
      dropStalePidFile(cluster)
      const log = openLog(logPath)
      const spawned = spawnPostmaster(cluster, port, connectionsMax, log.descriptor)
      onSpawn(spawned)
      Fs.closeSync(log.descriptor)
      return { server: spawned, start: log.start }
    },
    catch: failure
  })
  const outcome = yield* whenReady(cluster, server)
  if (outcome === "ready") return server
  if (outcome === "late") {
    yield* stop(server)
    return yield* failure(`it was not ready after ${READY_WITHIN}`)
  }
  const logged = yield* Effect.try({
    try: () => Fs.readFileSync(logPath).subarray(start).toString().trim(),
    catch: failure
  })
  const reason = /(?:FATAL|PANIC): (.*)/.exec(logged)?.[1] ?? logged
  return yield* PASSES.test(logged) ? new ServerBusy({ message: reason.trim() }) : failure(reason)
})
