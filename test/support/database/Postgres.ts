import { PgClient } from "@effect/sql-pg"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Config, ConfigProvider, Context, Effect, Exit, Layer, Redacted, References, Schedule, Scope } from "effect"
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { inject } from "vitest"
import type { TestProject } from "vitest/node"
import * as EmbeddedPostgres from "../../../src/runtime/postgres/EmbeddedPostgres.ts"
import * as Postgres from "../../../src/runtime/postgres/Postgres.ts"
import { ConnectionsMax } from "../../../src/runtime/postgres/PostgresServer.ts"
import * as AllSettings from "../../../src/service/AllSettings.ts"
import { Settings } from "../../../src/runtime/process/Settings.ts"
import { dataPlace, memory } from "../processes/DataPlace.ts"
import { needsDatabase } from "../processes/Programs.ts"

/** The server of this run: its superuser, who owns the databases, and the migrated database that they are copies of. */
interface TestServer {
  readonly isInMemory: boolean
  readonly admin: string
  readonly owner: string
  readonly template: string
}

declare module "vitest" {
  interface ProvidedContext {
    readonly postgres: TestServer
  }
}

export const urlOf = (server: string, database: string) => {
  const url = new URL(server)
  url.pathname = database
  return url.href
}

/** Runs a statement in a new session, at the server and as the role in the URL. */
export const queryAs = (url: string, statement: string) =>
  PgConnection.make({ url: Redacted.make(url), ssl: false }).pipe(
    Effect.flatMap((session) => session.query(statement)),
    Effect.scoped
  )

/** The settings from these variables, except the port, which is any free one. No test has a data directory here. */
export const layerSettings = (env: Record<string, string>) =>
  Settings.layerChanged({ listen: { host: "127.0.0.1", port: 0 } }).pipe(
    Layer.provideMerge(Layer.fresh(AllSettings.layer("0.1.0"))),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { DATA_DIR: "/dev/null", ...env } })))
  )

const asAdmin = (url: string) => urlOf(inject("postgres").admin, new URL(url).pathname)

/** Runs a statement in a new session, in the database at `url` but as the superuser, who sees every row. */
export const query = (url: string, statement: string) => queryAs(asAdmin(url), statement)

/** A pool of the superuser in the database at `url`, with which a test reads and changes rows. */
export const layerAdmin = (url: string) => PgClient.layer({ url: Redacted.make(asAdmin(url)), ssl: false })

/** A pool like the service's, on a database with all tables. */
export const connect = (url: string) => Layer.provide(Postgres.layer, layerSettings({ DATABASE_URL: url }))

const create = (server: TestServer, name: string, template: string) => {
  const owner = new URL(server.owner).username
  // In memory, copying a database's files takes a third of the time of logging their pages; on a disk, the copy waits
  // for the disk.
  const strategy = server.isInMemory ? "strategy file_copy" : ""
  // A template cannot be copied while a session is connected to it, even another copy that is just ending.
  return queryAs(server.admin, `create database ${name} owner ${owner} template ${template} ${strategy}`).pipe(
    Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 100 })
  )
}

const drop = (server: TestServer, name: string) => queryAs(server.admin, `drop database if exists ${name} with (force)`)

const copyOf = Effect.fnUntraced(function* (template: string, options = "") {
  const server = inject("postgres")
  const name = `folio_${randomBytes(6).toString("hex")}`
  yield* Effect.acquireRelease(Effect.orDie(create(server, name, `${template} ${options}`)), () =>
    Effect.ignore(drop(server, name))
  )
  return urlOf(server.owner, name)
})

/** The URL of a new database, migrated and empty; dropped when the scope closes. */
export const freshDatabase = Effect.suspend(() => copyOf(inject("postgres").template))

/** A database without a table, in an encoding that has only ASCII characters. */
export const asciiDatabase = copyOf("template0", "encoding 'SQL_ASCII'")

/** The same, without a table. */
export const bareDatabase = copyOf("template0")

/** Shows logs only on request: most tests provoke their log lines. */
export const quiet = Layer.effect(
  References.MinimumLogLevel,
  Config.LogLevel("TEST_LOG_LEVEL").pipe(Config.withDefault("None"), Effect.orDie)
)

/** The location of a test's database. */
export class TestDatabase extends Context.Service<TestDatabase, { readonly url: string }>()("test/TestDatabase") {
  /** A fresh database, and a pool of the superuser on it. */
  static readonly layer = Layer.unwrap(
    Effect.map(freshDatabase, (url) => Layer.mergeAll(layerAdmin(url), Layer.succeed(TestDatabase, { url }), quiet))
  )
}

/** A server of its own in `dataDir`: the URLs of its superuser, and of the owner of the database `folio`. */
export const embedded = Effect.fnUntraced(function* (dataDir: string) {
  // Each worker of the tests runs several services in parallel on this server.
  const connection = yield* Effect.provideService(EmbeddedPostgres.start({ dataDir }), ConnectionsMax, 250)
  const password = Fs.readFileSync(Path.join(dataDir, "postgres.password"), "utf8").trim()
  const at = `127.0.0.1:${connection.port}`
  return {
    admin: `postgres://postgres:${password}@${at}/postgres`,
    owner: `postgres://${connection.username}:${Redacted.value(connection.password)}@${at}/folio`
  }
})

const directoryIn = (parent: string) =>
  Effect.acquireRelease(
    Effect.sync(() => Fs.mkdtempSync(Path.join(parent, "folio-tests-"))),
    (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
  )

/** A new directory, until the scope closes. */
export const dataDirectory = Effect.suspend(() => directoryIn(dataPlace()))

/** Makes a server with all tables and no rows, and stops it: `serviceProcess` copies its directory. */
const laidOut = Effect.gen(function* () {
  const dataDir = yield* dataDirectory
  yield* Effect.scoped(Effect.flatMap(embedded(dataDir), ({ owner }) => Layer.build(connect(owner))))
  process.env["FOLIO_TEST_CLUSTER"] = dataDir
  const own = yield* dataDirectory
  execFileSync("cp", ["-a", `${dataDir}/.`, own])
  return own
})

/** The server in `TEST_DATABASE_URL`, whose role must be a superuser; else an embedded one. */
const testServer = Effect.gen(function* () {
  const given = process.env["TEST_DATABASE_URL"]
  const dataDir = given === undefined ? yield* laidOut : null
  const urls = dataDir === null ? { admin: given!, owner: given! } : yield* embedded(dataDir)
  const isInMemory = dataDir?.startsWith(memory) === true
  const server: TestServer = { ...urls, isInMemory, template: `folio_template_${randomBytes(4).toString("hex")}` }
  const { template } = server
  yield* Effect.acquireRelease(create(server, template, given === undefined ? "folio" : "template1"), () =>
    Effect.ignore(drop(server, template))
  )
  yield* Effect.scoped(Layer.build(connect(urlOf(server.owner, template))))
  return server
})

/** Vitest's global set-up: one server for all files, stopped after the last of them. */
export default async (project: TestProject) => {
  if (!needsDatabase(project)) return
  const scope = Scope.makeUnsafe()
  project.provide("postgres", await Effect.runPromise(Scope.provide(testServer, scope)))
  return () => Effect.runPromise(Scope.close(scope, Exit.void))
}
