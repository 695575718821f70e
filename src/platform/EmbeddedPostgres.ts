/**
 * A PostgreSQL of our own for one process of Folio, without network, privileges or anything installed.
 *
 * In the data directory: `postgres/` (the cluster), `postgres.log`, `postgres.password` (superuser, for this file alone),
 * `folio.password` (the application's role), `folio.lock` and `folio.pid` (who is running).
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Clock, type Duration, Effect, Redacted, Schedule, type Scope } from "effect"
import { AuthenticationError, type SqlError } from "effect/sql/SqlError"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Net from "node:net"
import * as Path from "node:path"
import { lock } from "./DataDirLock.ts"
import * as Binaries from "./PostgresBinaries.ts"
import { EmbeddedPostgresError } from "./PostgresBinaries.ts"
import * as Cluster from "./PostgresCluster.ts"
import * as Roles from "./PostgresRoles.ts"
import * as Server from "./PostgresServer.ts"

export { EmbeddedPostgresError }

/** How the application reaches its database; the same for as long as the scope is open. */
export interface EmbeddedPostgresConnection {
  readonly host: "127.0.0.1"
  readonly port: number
  readonly database: "folio"
  /** Owner of the database; neither superuser nor beyond row level security. */
  readonly username: string
  readonly password: Redacted.Redacted<string>
}

const ROLE = "folio"
const DATABASE = "folio"
/** Backends outlive a killed postmaster by their running statement, which is given 10 s. */
const START_WITHIN = "15 seconds"

/** 50 ms, doubled up to `longest`. */
const backOff = (longest: Duration.Input) => Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced(longest)])

const attempt = <A>(message: string, body: () => A): Effect.Effect<A, EmbeddedPostgresError> =>
  Effect.try({
    try: body,
    catch: (cause) => new EmbeddedPostgresError({ message: `${message}: ${Binaries.reasonOf(cause)}` })
  })

/** The password in the file; a new one at the first start. It is on disk before PostgreSQL learns of it. */
const password = (file: string, advice: string): Effect.Effect<string, EmbeddedPostgresError> =>
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

/** PostgreSQL refuses to run as root, so root runs it as the owner of the cluster: `nobody`, unless it was made by another. */
const accountFor = (path: string): Effect.Effect<Binaries.Account, EmbeddedPostgresError> =>
  attempt("Cannot choose a user for PostgreSQL", () => {
    const self = process.getuid?.()
    const owner = Fs.existsSync(path) ? Fs.statSync(path) : undefined
    if (self !== 0) {
      if (owner === undefined || owner.uid === self) return undefined
      throw new Error(`${path} belongs to user id ${owner.uid}. Start Folio as that user or as root`)
    }
    if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
    const nobody = /^nobody:[^:]*:(-?\d+):(-?\d+):/m.exec(Fs.readFileSync("/etc/passwd", "utf8"))
    if (nobody === null) throw new Error("there is no nobody in /etc/passwd. Start Folio as a user other than root")
    if (owner !== undefined) throw new Error(`${path} belongs to root. Give it to another: chown -R nobody ${path}`)
    return { uid: Number(nobody[1]), gid: Number(nobody[2]) }
  })

const freePort: Effect.Effect<number, EmbeddedPostgresError> = Effect.callback((resume) => {
  const server = Net.createServer()
  server.once("error", (cause) =>
    resume(
      new EmbeddedPostgresError({ message: `Cannot listen on 127.0.0.1 for PostgreSQL: ${Binaries.reasonOf(cause)}` })
    )
  )
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})

/** A session as `postgres`. Its failures are worth another attempt, but for a wrong password. */
const asSuperuser = <A>(
  cluster: Cluster.Cluster,
  port: number,
  secret: string,
  use: (connection: PgConnection.PgConnection) => Effect.Effect<A, SqlError>
): Effect.Effect<A, EmbeddedPostgresError | Server.ServerBusy> =>
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
            message: `PostgreSQL in ${cluster.path} does not take the password in ${cluster.path}.password. Restore that file.`
          })
        : new Server.ServerBusy({ message: `it does not answer: ${Binaries.reasonOf(error.reason.cause)}` })
    )
  )

/** The postmaster a killed process of ours has left running, once it has proved to be the one of this cluster. */
const adopt = Effect.fn("EmbeddedPostgres.adopt")(function* (
  cluster: Cluster.Cluster,
  pidFile: Cluster.PidFile,
  secret: string
): Effect.fn.Return<Server.Server, EmbeddedPostgresError | Server.ServerBusy> {
  const { pid, port } = pidFile
  const busy = (why: string) => new Server.ServerBusy({ message: `an earlier Folio's (pid ${pid}) ${why}` })
  if (pidFile.status === "stopping") return yield* busy("is still shutting down")
  const server = Server.existing(cluster, pidFile)
  if ((yield* Server.whenReady(cluster, server)) !== "ready") return yield* busy("does not become ready")
  const rows = yield* asSuperuser(cluster, port, secret, (connection) =>
    connection.queryValues("select pg_read_file('postmaster.pid')")
  )
  if (Cluster.parsePidFile(String(rows[0]?.[0]))?.identity !== pidFile.identity) {
    return yield* busy(`is not what answers on port ${port}`)
  }
  yield* Effect.logInfo(`Adopted the PostgreSQL (pid ${pid}) that an earlier Folio left running`)
  return server
})

/** Whether a database has been made in `dataDir`. */
export const exists = (dataDir: string) => Fs.existsSync(Path.join(Path.resolve(dataDir), "postgres"))

/** The server that another process runs on `dataDir`, or has left running there: undefined when there is none. */
export const running = (dataDir: string): EmbeddedPostgresConnection | undefined => {
  const path = Path.join(Path.resolve(dataDir), "postgres")
  const secretFile = Path.join(path, "..", "folio.password")
  if (!Fs.existsSync(path) || !Fs.existsSync(secretFile)) return undefined
  const cluster = Cluster.open({ path, account: undefined, native: "" })
  const pidFile = Cluster.readPidFile(cluster)
  if (pidFile?.status !== "ready" || !Cluster.serves(cluster, pidFile.pid)) return undefined
  const secret = Redacted.make(Fs.readFileSync(secretFile, "utf8").trim())
  return { host: "127.0.0.1", port: pidFile.port, database: DATABASE, username: ROLE, password: secret }
}

/** Each statement may be repeated, so a kill between two of them is mended by the next start. The password needs no quoting. */
const prepareDatabase = (rolePassword: string) =>
  Effect.fn("EmbeddedPostgres.prepareDatabase")(function* (
    connection: PgConnection.PgConnection
  ): Effect.fn.Return<void, SqlError> {
    yield* connection.query(`do $$ begin
      if not exists (select from pg_roles where rolname = '${ROLE}') then create role ${ROLE}; end if;
      alter role ${ROLE} with login nosuperuser nobypassrls nocreatedb nocreaterole noreplication
        password '${rolePassword}';
      -- An earlier release kept the limits of sessions here.
      alter role ${ROLE} reset all;
    end $$`)
    yield* connection.query(Roles.make(`'${ROLE}'`))
    const { rowCount } = yield* connection.query(`select from pg_database where datname = '${DATABASE}'`)
    if (rowCount > 0) return
    yield* connection.query(`create database ${DATABASE} owner ${ROLE} template template0 encoding 'UTF8' locale 'C'`)
  })

/** Puts another postmaster in the place of one that has died, for ever. */
const keepRunning = Effect.fnUntraced(function* (
  first: Server.Server,
  launch: (port: number) => Effect.Effect<Server.Server, EmbeddedPostgresError | Server.ServerBusy>
): Effect.fn.Return<never> {
  let server = first
  while (true) {
    const since = yield* Clock.currentTimeMillis
    yield* server.ended
    yield* Effect.logWarning(`PostgreSQL (pid ${server.pid}) ended by itself; starting it again`)
    // One that ends at once, again and again, must not keep a core busy.
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
 * Starts PostgreSQL 18 with its data in `dataDir` (made if missing), or adopts the one that a killed process left there,
 * and creates role and database. Closing the scope stops it. If it dies meanwhile it is started again on the same port.
 *
 * Fails with `EmbeddedPostgresError` when no binaries are bundled for this machine, the directory cannot be used, or
 * another Folio is using it.
 */
export const start = Effect.fn("EmbeddedPostgres.start")(function* (options: {
  readonly dataDir: string
}): Effect.fn.Return<EmbeddedPostgresConnection, EmbeddedPostgresError, Scope.Scope> {
  const directory = Path.resolve(options.dataDir)
  const path = Path.join(directory, "postgres")
  yield* lock(directory)
  const account = yield* accountFor(path)
  const native = yield* Binaries.find().pipe(
    Effect.flatMap((found) => Binaries.usable(found, account, Binaries.storesFor(directory, account)))
  )
  const superuserPassword = yield* password(
    Path.join(directory, "postgres.password"),
    Fs.existsSync(path) ? "Restore it from its backup: PostgreSQL knows it already." : "Remove it: another is made."
  )
  const rolePassword = yield* password(Path.join(directory, "folio.password"), "Remove it: another is made.")
  const place = { path, account, native }
  yield* Cluster.removeUnfinished(directory)
  if (!Fs.existsSync(path)) yield* Cluster.initialize(place, superuserPassword)
  const cluster = Cluster.open(place)

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
      : Effect.flatMap(freePort, launch)
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
  return {
    host: "127.0.0.1",
    port: first.port,
    database: DATABASE,
    username: ROLE,
    password: Redacted.make(rolePassword)
  }
})
