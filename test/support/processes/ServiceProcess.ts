import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Exit, Pool, Redacted, Result, Schedule, Schema } from "effect"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Net from "node:net"
import * as Path from "node:path"
import type { FaultPoint } from "../../../src/runtime/Fault.ts"
import { type Client, makeClient } from "../apps/Client.ts"
import { until } from "../apps/Until.ts"
import { dataPlace } from "./DataPlace.ts"

const root = Path.resolve(import.meta.dirname, "../../..")

class NotReady extends Schema.TaggedError<NotReady>()("NotReady", { message: Schema.String }) {}

/** A program for processes to run: the packed version, if the set-up of this run has packed it (`Programs.ts`). */
export const programAt = (file: string) => {
  const folder = process.env["FOLIO_TEST_PROGRAMS"]
  return folder === undefined ? file : Path.join(folder, file.replace(/\.ts$/, ".js"))
}

/** The variables that processes inherit from the tests' environment. */
export const inherited = () => ({
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"]
})

/**
 * The fault of a process at the `hit`-th passing of a point: it dies as with kill -9, freezes until SIGCONT, or holds
 * until it is armed again.
 */
export interface ArmedFault {
  readonly point: FaultPoint
  readonly hit: number
  /**
   * `lock and freeze` freezes in a transaction that locks the rows of all ranges. `hold` stops only the work at that
   * point.
   */
  readonly action?: "kill" | "freeze" | "lock and freeze" | "hold"
}

/** For a process that gets its fault later. */
export const never: ArmedFault = { point: "before-create", hit: 0 }

type ProcessSignal = "SIGKILL" | "SIGTERM" | "SIGINT" | "SIGSTOP" | "SIGCONT"

export interface ServiceProcess {
  readonly dataDir: string
  readonly url: string
  /** A client of the sandbox account; available after the service was ready once. */
  readonly client: () => Client
  /**
   * Starts it, always on the same port and data, and waits until it is ready. With `fault` it kills itself at that
   * point.
   */
  readonly start: (fault?: ArmedFault) => Effect.Effect<void, Error>
  /** Gives another fault to a process that was started with one. */
  readonly arm: (fault: ArmedFault) => Effect.Effect<void>
  /** The status of `/health/ready`; 0 without a response. */
  readonly ready: Effect.Effect<number>
  /** Its log so far, over all its starts. */
  readonly log: Effect.Effect<string>
  /** Waits until it has ended, by itself or not. */
  readonly ended: Effect.Effect<{ readonly code: number | null; readonly signal: string | null }, Error>
  readonly signal: (signal: ProcessSignal) => Effect.Effect<void>
  /** The pid of its PostgreSQL; 0 if none runs. */
  readonly postmaster: Effect.Effect<number>
  /** The rows of a statement, in a session that sees all rows. */
  readonly rows: <A>(statement: string) => Effect.Effect<ReadonlyArray<A>, Error>
}

// Below the system's ports for outgoing connections, which could take the port before the process listens on it. Each
// worker has its own ports and uses each only once: a process that is down for a moment finds its port free.
const portsOfWorker = 2_000
const firstPort = 20_000 + (Number(process.env["VITEST_POOL_ID"] ?? 0) % 6) * portsOfWorker
const given = new Set<number>()
const anyPort = () => {
  for (;;) {
    const port = firstPort + Math.floor(Math.random() * portsOfWorker)
    if (given.size === portsOfWorker) given.clear()
    if (given.has(port)) continue
    given.add(port)
    return port
  }
}

export const freePort = Effect.callback<number>((resume) => {
  const server = Net.createServer()
  const listen = () => void server.listen(anyPort(), "127.0.0.1")
  server.on("error", listen)
  server.on("listening", () => {
    const { port } = server.address() as Net.AddressInfo
    server.close(() => resume(Effect.succeed(port)))
  })
  listen()
})

// A zombie takes a signal 0, but has no command line.
const isAlive = (pid: number) =>
  Result.getOrElse(
    Result.try(() =>
      process.platform === "linux" ? Fs.readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "" : process.kill(pid, 0)
    ),
    () => false
  )

const faulty = programAt("test/support/processes/faultyMain.ts")

/**
 * Puts a database with all tables and no rows where a service expects its own: creating one takes longer than the
 * service's start.
 */
const layOut = (dataDir: string) => {
  const cluster = process.env["FOLIO_TEST_CLUSTER"]
  if (cluster === undefined || Fs.existsSync(Path.join(dataDir, "postgres"))) return
  Fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const files = ["postgres", "postgres.password", "folio.password"].map((name) => Path.join(cluster, name))
  execFileSync("cp", ["-a", ...files, dataDir])
}

/**
 * The service as a process of its own with an embedded PostgreSQL, in a new data directory. When the scope closes, all
 * its processes end and all its files are deleted.
 */
export const serviceProcess = Effect.fnUntraced(function* (options: {
  readonly webhookAllow: string
  readonly env?: Readonly<Record<string, string>>
  /** Arguments of node, after its own options; the shipped service if omitted. */
  readonly program?: ReadonlyArray<string>
}) {
  const { program = [programAt("src/main.ts")] } = options
  const port = yield* freePort
  const parent = Fs.mkdtempSync(Path.join(dataPlace(), "folio-service-"))
  const dataDir = Path.join(parent, "data")
  const log = Path.join(parent, "log")
  const external = options.env?.["DATABASE_URL"]
  const read = (name: string) => Fs.readFileSync(Path.join(dataDir, name), "utf8").trim()
  /**
   * The lines of PostgreSQL's pid file; none without one. A check before the read is not enough: a PostgreSQL that ends
   * removes its file.
   */
  const pidFile = () => {
    try {
      return read("postgres/postmaster.pid").split("\n")
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return []
      throw error
    }
  }
  const postmaster = Effect.sync(() => {
    const pid = Number(pidFile()[0] ?? 0)
    return pid > 0 && isAlive(pid) ? pid : 0
  })
  const readLog = () => (Fs.existsSync(log) ? Fs.readFileSync(log, "utf8") : "")
  let child: ChildProcess | undefined

  const ready = Effect.tryPromise((signal) => fetch(`http://127.0.0.1:${port}/health/ready`, { signal })).pipe(
    Effect.timeout("3 seconds"),
    Effect.map((response) => response.status),
    Effect.orElseSucceed(() => 0)
  )

  const signal = (name: ProcessSignal) => Effect.sync(() => void child?.kill(name))
  const exit = () => ({ code: child?.exitCode ?? null, signal: child?.signalCode ?? null })
  const hasEnded = () => exit().code !== null || exit().signal !== null
  // A regular stop takes up to 32 s for responses and actors, and 20 s for PostgreSQL.
  const ended = until(Effect.sync(exit), hasEnded)

  yield* Effect.addFinalizer((outcome) =>
    Effect.gen(function* () {
      // A failure that comes only on a busy machine must be understood from its first run.
      if (Exit.isFailure(outcome))
        Fs.writeSync(2, `The log of the process at port ${port} ends with:\n${readLog().slice(-8_000)}\n`)
      yield* signal("SIGKILL")
      if (child !== undefined) yield* ended
      const left = yield* postmaster
      if (left > 0) process.kill(left, "SIGQUIT")
      yield* until(postmaster, (pid) => pid === 0)
      Fs.rmSync(parent, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    }).pipe(Effect.orDie)
  )

  const notReady = (why: string) => new NotReady({ message: `${why}\n${readLog().slice(-4000)}` })

  const start: ServiceProcess["start"] = Effect.fnUntraced(function* (fault) {
    if (external === undefined) layOut(dataDir)
    const output = Fs.openSync(log, "a")
    child = spawn(process.execPath, fault === undefined ? program : [faulty], {
      cwd: root,
      stdio: ["ignore", output, output, "ipc"],
      env: {
        ...inherited(),
        DATA_DIR: dataDir,
        PORT: String(port),
        WEBHOOK_ALLOW: options.webhookAllow,
        DRAIN_SECONDS: "0",
        RATE_LIMIT: "1000000",
        RATE_LIMIT_BURST: "1000000",
        ...options.env,
        ...(fault === undefined ? {} : { FAULT: JSON.stringify(fault) })
      }
    })
    Fs.closeSync(output)
    const status = yield* until(ready, (seen) => seen === 200 || hasEnded()).pipe(
      Effect.mapError((error) => notReady(error.message))
    )
    // Its fault may have killed it before the test saw that it was ready.
    const hasKilledItself = fault !== undefined && exit().signal === "SIGKILL"
    if (status !== 200 && !hasKilledItself) return yield* notReady("it ended before it was ready")
  })

  const session = Effect.suspend(() =>
    PgConnection.make({
      ssl: false,
      ...(external === undefined
        ? {
            host: "127.0.0.1",
            port: Number(pidFile()[3]),
            database: "folio",
            username: "postgres",
            password: Redacted.make(read("postgres.password"))
          }
        : { url: Redacted.make(external), startupParameters: { role: "folio_service" } })
    })
  )
  // Kept while its server runs: opening a session takes longer than most statements.
  const sessions = yield* Pool.makeWithTTL({ acquire: session, min: 0, max: 1, timeToLive: "1 minute" })
  const rows = <A>(statement: string) =>
    Pool.get(sessions).pipe(
      Effect.flatMap((one) => Effect.tapError(one.query(statement), () => Pool.invalidate(sessions, one))),
      Effect.map((result) => result.rows as ReadonlyArray<A>),
      Effect.scoped,
      // The server may be the one that is just being killed.
      Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 100 })
    )

  const service: ServiceProcess = {
    dataDir,
    url: `http://127.0.0.1:${port}`,
    client: () => makeClient(`http://127.0.0.1:${port}`, read("test-key")),
    start,
    arm: (fault) => Effect.sync(() => void child?.send(fault)),
    ready,
    log: Effect.sync(readLog),
    ended,
    signal,
    postmaster,
    rows
  }
  return service
})
