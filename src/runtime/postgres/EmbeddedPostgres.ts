/**
 * An embedded PostgreSQL server for one Folio process, without network, privileges or installed software.
 *
 * The data directory contains `postgres/` (the cluster), `postgres.log`, `postgres.password` (the superuser's, used in
 * this file only), `folio.password` (the application role's), `folio.lock` (the lock of the running process) and
 * `folio.pid` (its pid).
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Clock, type Duration, Effect, Redacted, Schedule } from "effect"
import { AuthenticationError, type SqlError } from "effect/sql/SqlError"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { lock } from "../process/DataDirLock.ts"
import { freePort } from "../server/Listeners.ts"
import * as Binaries from "./PostgresBinaries.ts"
import { EmbeddedPostgresError } from "./PostgresBinaries.ts"
import * as Cluster from "./PostgresCluster.ts"
import * as Roles from "./PostgresRoles.ts"
import * as Server from "./PostgresServer.ts"
import { isUnfinished } from "./UnfinishedRestore.ts"

export { EmbeddedPostgresError }

/** The owner of the database: not a superuser, and subject to row level security. */
const ROLE = "folio"
const DATABASE = "folio"
/** The connection parameters of the application's database. They do not change while the server's scope is open. */
const connection = (port: number, password: string) => ({
  host: "127.0.0.1",
  port,
  database: DATABASE,
  username: ROLE,
  password: Redacted.make(password)
})
export type EmbeddedPostgresConnection = ReturnType<typeof connection>

/** The backends of a killed postmaster first complete their statement, which may take 10 s. */
const START_WITHIN = "15 seconds"

/** A schedule of delays that start at 50 ms and double up to `longest`. */
const backOff = (longest: Duration.Input) => Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced(longest)])

const attempt = <A>(message: string, body: () => A): Effect.Effect<A, EmbeddedPostgresError> =>
  Effect.try({
    try: body,
    catch: (cause) => new EmbeddedPostgresError({ message: `${message}: ${Binaries.reasonOf(cause)}` })
  })

/** Returns the password in `file`. Creates a missing file with a new password, on disk before PostgreSQL stores it. */
const passwordIn = (file: string, advice: string): Effect.Effect<string, EmbeddedPostgresError> =>
  attempt(`Cannot keep a password in ${file}`, () => {
    if (!Fs.existsSync(file)) {
      const unfinished = `${file}.new`
      Fs.rmSync(unfinished, { force: true })
      Fs.writeFileSync(unfinished, randomBytes(24).toString("hex"), { mode: 0o600, flush: true })
      Fs.renameSync(unfinished, file)
    }
    const secret = Fs.readFileSync(file, "utf8").trim()
    if (!/^[0-9a-f]{48}$/.test(secret)) throw new Error(`it should hold 48 hex digits, and does not. ${advice}`)
    return secret
  })

/** The ids of a user of this machine; undefined if there is no such user. */
const userOf = (name: string) => {
  const [, uid, gid] =
    new RegExp(`^${name}:[^:]*:(-?\\d+):(-?\\d+):`, "m").exec(Fs.readFileSync("/etc/passwd", "utf8")) ?? []
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

/** The system user that programs without an own user share. */
const sharedUser = "nobody"

/** Whether a root process's server runs as that shared system user, whose other processes can read its files. */
export const isSharedUser = (dataDir: string): boolean => {
  const path = Path.join(Path.resolve(dataDir), "postgres")
  return process.getuid?.() === 0 && Fs.existsSync(path) && Fs.statSync(path).uid === userOf(sharedUser)?.uid
}

/** The advice to give the server its own user. */
export const ownUserAdvice = (dataDir: string) =>
  `Stop the service, then run: useradd --system folio && chown -R folio ${Path.join(Path.resolve(dataDir), "postgres")}`

/**
 * The user that PostgreSQL runs as. PostgreSQL does not run as root, so a root process runs it as the owner of the
 * cluster. Without a cluster, this is the user `folio`, or the shared user if there is no `folio`.
 */
const accountFor = (path: string): Effect.Effect<Binaries.Account, EmbeddedPostgresError> =>
  attempt("Cannot choose a user for PostgreSQL", () => {
    const self = process.getuid?.()
    const owner = Fs.existsSync(path) ? Fs.statSync(path) : undefined
    if (self !== 0) {
      if (owner === undefined || owner.uid === self) return undefined
      throw new Error(`${path} belongs to user id ${owner.uid}. Start Folio as that user or as root`)
    }
    if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
    const user = userOf("folio") ?? userOf(sharedUser)
    if (user === undefined)
      throw new Error(`There is no user ${sharedUser} in /etc/passwd. Start Folio as a user other than root`)
    if (owner !== undefined)
      throw new Error(`${path} belongs to root. Give it to another user: chown -R ${sharedUser} ${path}`)
    return user
  })

const anyPort = Effect.mapError(
  freePort("127.0.0.1", 0),
  (cause) =>
    new EmbeddedPostgresError({ message: `Cannot listen on 127.0.0.1 for PostgreSQL: ${Binaries.reasonOf(cause)}` })
)

/**
 * Runs `use` in a session as `postgres`. A wrong password is final; any other failure is a `ServerBusy`, worth a retry.
 */
const asSuperuser = <A>(
  cluster: Cluster.Cluster,
  port: number,
  secret: string,
  use: (session: PgConnection.PgConnection) => Effect.Effect<A, SqlError>
) =>
  PgConnection.make({
    host: "127.0.0.1",
    port,
    ssl: false,
    database: "postgres",
    username: "postgres",
    password: Redacted.make(secret),
    applicationName: "folio start"
  }).pipe(
    Effect.flatMap(use),
    Effect.scoped,
    Effect.mapError((error) =>
      error.reason instanceof AuthenticationError
        ? new EmbeddedPostgresError({
            message: `PostgreSQL in ${cluster.path} rejects the password in ${cluster.path}.password. Restore that file.`
          })
        : new Server.ServerBusy({ message: `it does not respond: ${Binaries.reasonOf(error.reason.cause)}` })
    )
  )

/** Adopts the running postmaster of a killed Folio process, once it has proved that it serves this cluster. */
const adopt = Effect.fn("EmbeddedPostgres.adopt")(function* (
  cluster: Cluster.Cluster,
  pidFile: Cluster.PidFile,
  secret: string
) {
  const { pid, port } = pidFile
  const busy = (why: string) => new Server.ServerBusy({ message: `an earlier Folio's (pid ${pid}) ${why}` })
  if (pidFile.status === "stopping") return yield* busy("is still shutting down")
  const server = Server.existing(cluster, pidFile)
  if ((yield* Server.whenReady(cluster, server)) !== "ready") return yield* busy("does not become ready")
  const rows = yield* asSuperuser(cluster, port, secret, (session) =>
    session.queryValues("select pg_read_file('postmaster.pid'), current_setting('max_connections')::integer")
  )
  if (Cluster.parsePidFile(String(rows[0]?.[0]))?.identity !== pidFile.identity) {
    return yield* busy(`is not the server on port ${port}`)
  }
  if (Number(rows[0]?.[1]) < (yield* Server.ConnectionsMax)) {
    // The server was started for fewer processes.
    yield* Server.stop(server)
    return yield* busy("has too few connections, and was stopped")
  }
  yield* Effect.logInfo(`Adopted the PostgreSQL (pid ${pid}) that an earlier Folio left running`)
  return server
})

/** Whether `dataDir` contains the cluster of a database. */
export const exists = (dataDir: string) => Fs.existsSync(Path.join(Path.resolve(dataDir), "postgres"))

/**
 * The connection to the server that another process runs, or left running, on `dataDir`; undefined if there is none.
 */
export const running = (dataDir: string): EmbeddedPostgresConnection | undefined => {
  const path = Path.join(Path.resolve(dataDir), "postgres")
  const secretFile = Path.join(path, "..", "folio.password")
  if (!Fs.existsSync(path) || !Fs.existsSync(secretFile) || isUnfinished(dataDir)) return undefined
  const cluster = Cluster.open({ path, account: undefined, native: "" })
  const pidFile = Cluster.readPidFile(cluster)
  if (pidFile?.status !== "ready" || !Cluster.serves(cluster, pidFile.pid)) return undefined
  return connection(pidFile.port, Fs.readFileSync(secretFile, "utf8").trim())
}

/**
 * Creates the role and the database. Each statement may be repeated, so the next start completes an interrupted
 * creation. The password is hex digits and needs no quoting.
 */
const prepareDatabase = (rolePassword: string) =>
  Effect.fn("EmbeddedPostgres.prepareDatabase")(function* (session: PgConnection.PgConnection) {
    yield* session.query(`do $$ begin
      if not exists (select from pg_roles where rolname = '${ROLE}') then create role ${ROLE}; end if;
      alter role ${ROLE} with login nosuperuser nobypassrls nocreatedb nocreaterole noreplication
        password '${rolePassword}';
      -- An earlier release kept the limits of sessions here.
      alter role ${ROLE} reset all;
    end $$`)
    yield* session.query(Roles.make(`'${ROLE}'`))
    const { rowCount } = yield* session.query(`select from pg_database where datname = '${DATABASE}'`)
    if (rowCount > 0) return
    yield* session.query(`create database ${DATABASE} owner ${ROLE} template template0 encoding 'UTF8' locale 'C'`)
  })

/** Restarts the postmaster whenever it dies; never returns. */
const keepRunning = Effect.fnUntraced(function* (
  first: Server.Server,
  launch: (port: number) => Effect.Effect<Server.Server, EmbeddedPostgresError | Server.ServerBusy>
): Effect.fn.Return<never> {
  let server = first
  while (true) {
    const since = yield* Clock.currentTimeMillis
    yield* server.ended
    yield* Effect.logWarning(`PostgreSQL (pid ${server.pid}) ended by itself; restarting it`)
    // Pause, so that a postmaster that keeps ending does not keep a core busy.
    if ((yield* Clock.currentTimeMillis) - since < 1000) yield* Effect.sleep("1 second")
    server = yield* launch(first.port).pipe(
      Effect.tapError((error) => Effect.logWarning(error.message)),
      Effect.retry(backOff("5 seconds")),
      Effect.orDie
    )
    yield* Effect.logInfo(`PostgreSQL runs again (pid ${server.pid})`)
  }
})

/**
 * Starts PostgreSQL 18 with its data in `dataDir` (created if missing), or adopts the server that a killed process left
 * running there. Then creates the role and the database. Closing the scope stops the server. If the server dies
 * earlier, it is restarted on the same port.
 *
 * Fails with `EmbeddedPostgresError` if no binaries are bundled for this machine, the directory is unusable, or another
 * Folio uses it.
 */
export const start = Effect.fn("EmbeddedPostgres.start")(function* (options: {
  readonly dataDir: string
  /** The caller restores a backup there, and holds the lock of the directory. */
  readonly restores?: boolean
}) {
  const directory = Path.resolve(options.dataDir)
  const path = Path.join(directory, "postgres")
  if (options.restores !== true) yield* lock(directory)
  if (options.restores !== true && isUnfinished(directory)) {
    const message = `A restore into DATA_DIR ${directory} was not finished. Run it again (folio restore FILE), or remove that directory.`
    return yield* new EmbeddedPostgresError({ message })
  }
  const account = yield* accountFor(path)
  const native = yield* Binaries.find().pipe(
    Effect.flatMap((found) => Binaries.usable(found, account, Binaries.storesFor(directory, account)))
  )
  const superuserPassword = yield* passwordIn(
    Path.join(directory, "postgres.password"),
    Fs.existsSync(path) ? "Restore it from its backup: PostgreSQL knows it already." : "Remove it: another is made."
  )
  const rolePassword = yield* passwordIn(Path.join(directory, "folio.password"), "Remove it: another is made.")
  const place = { path, account, native }
  yield* Cluster.removeUnfinished(directory)
  if (!Fs.existsSync(path)) yield* Cluster.initialize(place, superuserPassword)
  const cluster = Cluster.open(place)
  if (isSharedUser(directory)) {
    yield* Effect.logWarning(
      `PostgreSQL runs as a shared system user, and that user's other processes can read the database. ${ownUserAdvice(directory)}`
    )
  }

  let current: Server.Server | undefined
  yield* Effect.addFinalizer(() => (current === undefined ? Effect.void : Server.stop(current)))
  const launch = (port: number) =>
    Server.launch(cluster, port, (server) => {
      current = server
    })

  const first = yield* Effect.suspend(() => {
    const pidFile = Cluster.readPidFile(cluster)
    return pidFile !== undefined && Cluster.serves(cluster, pidFile.pid)
      ? Effect.tap(adopt(cluster, pidFile, superuserPassword), (server) => Effect.sync(() => (current = server)))
      : Effect.flatMap(anyPort, launch)
  }).pipe(
    Effect.retry({
      while: (error) => error instanceof Server.ServerBusy,
      schedule: backOff("250 millis").pipe(Schedule.upTo({ duration: START_WITHIN }))
    }),
    Effect.tap(({ port }) => asSuperuser(cluster, port, superuserPassword, prepareDatabase(rolePassword))),
    Effect.catchTag("ServerBusy", ({ message }) => {
      const pidFile = `${path}/postmaster.pid`
      const advice =
        Fs.existsSync(pidFile) && Cluster.readPidFile(cluster) === undefined
          ? `If no PostgreSQL runs there, remove what is left of ${pidFile}`
          : `If an old one still runs there, stop it: kill -INT $(head -1 ${pidFile})`
      return new EmbeddedPostgresError({ message: `PostgreSQL in ${path} does not start: ${message}. ${advice}` })
    })
  )
  yield* Effect.forkScoped(keepRunning(first, launch))
  return connection(first.port, rolePassword)
})
