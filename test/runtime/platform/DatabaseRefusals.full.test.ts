import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import * as Net from "node:net"
import { inject } from "vitest"
import * as Postgres from "../../../src/runtime/postgres/Postgres.ts"
import { inspect } from "../../../src/runtime/postgres/PostgresInspection.ts"
import { schemaRelease } from "../../../src/database/SchemaRelease.ts"
import {
  bareDatabase,
  asciiDatabase,
  dataDirectory,
  freshDatabase,
  query,
  queryAs,
  layerSettings,
  urlOf
} from "../../support/database/Postgres.ts"
import { refusalOf } from "../../support/processes/Refusing.ts"
import { it } from "../../support/Tests.ts"

/** A server that answers each connection with `greet`; returns its address. */
const server = (greet: (socket: Net.Socket) => void) =>
  Effect.acquireRelease(
    Effect.callback<Net.Server>((resume) => {
      const made = Net.createServer((socket) => {
        socket.on("error", () => {})
        socket.once("data", () => greet(socket))
      })
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) => Effect.sync(() => made.close())
  ).pipe(Effect.map((made) => `127.0.0.1:${(made.address() as Net.AddressInfo).port}`))

const at = (host: string) => `postgres://shop:canarysecret@${host}/shop`

/** An error with which PostgreSQL rejects a connection. */
const fatal = (code: string, message: string) => {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(fields.length + 4)
  return Buffer.concat([Buffer.from("E"), length, fields])
}

/** The first message of a session without its settings, as a pooler with `ignore_startup_parameters` forwards it. */
const withoutSettings = (startup: Buffer) => {
  const words = startup.toString("utf8", 8).split("\0")
  const kept: Array<string> = []
  for (let index = 0; index + 1 < words.length; index += 2) {
    if (["user", "database", "application_name"].includes(words[index]!)) kept.push(words[index]!, words[index + 1]!)
  }
  const text = Buffer.from(`${kept.join("\0")}\0\0`)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(text.length + 8)
  head.writeUInt32BE(3 << 16, 4)
  return Buffer.concat([head, text])
}

/** A pooler in front of the database server, which accepts the settings of a session and ignores them. */
const pooler = (url: string) =>
  Effect.acquireRelease(
    Effect.callback<Net.Server>((resume) => {
      const made = Net.createServer((client) => {
        const behind = Net.connect(Number(new URL(url).port), "127.0.0.1")
        for (const socket of [client, behind]) socket.on("error", () => socket.destroy())
        client.once("data", (startup: Buffer) => {
          behind.write(withoutSettings(startup))
          client.pipe(behind)
        })
        behind.pipe(client)
      })
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) => Effect.sync(() => made.close())
  ).pipe(Effect.map((made) => Object.assign(new URL(url), { port: (made.address() as Net.AddressInfo).port }).href))

/** A login without any rights, dropped afterwards with all that it owns. */
const login = Effect.acquireRelease(
  Effect.gen(function* () {
    const name = `weak_${randomBytes(6).toString("hex")}`
    yield* queryAs(inject("postgres").admin, `create role ${name} login password 'canarysecret'`)
    return name
  }).pipe(Effect.orDie),
  (name) => Effect.ignore(queryAs(inject("postgres").admin, `drop role ${name}`))
)

const as = (url: string, name: string, password = "canarysecret") => {
  const changed = new URL(url)
  changed.username = name
  changed.password = password
  return changed.href
}

/** The message of a start with the database at this address, in this process. */
const told = Effect.fnUntraced(function* (DATABASE_URL: string) {
  const starting = Layer.build(Layer.provide(Postgres.layerService, layerSettings({ DATABASE_URL })))
  const message = yield* Effect.match(Effect.scoped(starting), {
    onFailure: (error) => error.message,
    onSuccess: () => "It was served."
  })
  assert.notMatch(message, /\n|Failed to connect|canary(secret|wrong)/)
  return message
})

describe("A start with an unusable database", () => {
  it.live("fails with one line that names the access which the server does not grant", function* () {
    const DATA_DIR = yield* dataDirectory
    const name = yield* login
    const url = yield* bareDatabase
    const { host } = new URL(url)
    const wrong = yield* refusalOf({ DATA_DIR, DATABASE_URL: as(url, name, "canarywrong") })
    assert.include(wrong, `The database at ${host} cannot be used (password authentication failed for user "${name}")`)
    assert.include(wrong, "Check user name and password in DATABASE_URL")
    assert.notInclude(wrong, "canarywrong")

    const missing = yield* told(as(urlOf(url, "nothing_here"), name))
    assert.include(missing, `Create the database: create database nothing_here owner ${name}`)

    const roles = yield* told(as(url, name))
    assert.match(roles, /Folio has no right to create its roles .* grant folio_service, folio_account to weak_\w+ with/)
    yield* query(url, `grant folio_service, folio_account to ${name} with inherit false, set true`)
    const right = yield* told(as(url, name))
    assert.match(right, /\(permission denied for schema public\).*alter database folio_\w+ owner to weak_\w+\.$/)

    yield* query(url, `alter role ${name} set default_transaction_read_only = on`)
    yield* query(url, `grant create on schema public to ${name}`)
    assert.match(yield* told(as(url, name)), /The server is read-only: .* Set DATABASE_URL to the primary\.$/)
    yield* query(url, `drop owned by ${name}`)
  })

  it.live("fails with one line if another program answers, or if the server rejects or does not answer", function* () {
    const tls = fatal("28000", 'no pg_hba.conf entry for host "10.0.0.1", user "shop", database "shop", no encryption')
    assert.match(
      yield* told(at(yield* server((socket) => socket.end(tls)))),
      /add \?sslmode=require to DATABASE_URL\.$/
    )
    const starting = fatal("57P03", "the database system is starting up")
    assert.match(
      yield* told(at(yield* server((socket) => socket.end(starting)))),
      /start Folio again when it is ready\.$/
    )
    const http = "HTTP/1.1 400 Bad Request\r\n\r\n"
    assert.match(
      yield* told(at(yield* server((socket) => socket.end(http)))),
      /The program at this address is not PostgreSQL/
    )
    assert.match(yield* told(at(yield* server(() => {}))), /timed out.*Check DATABASE_URL and that the server runs/)
    const plain = yield* server((socket) => socket.write("N"))
    assert.match(yield* told(`${at(plain)}?sslmode=require`), /does not support TLS/)
    assert.match(yield* told(at("127.0.0.1:1")), /ECONNREFUSED.*Check DATABASE_URL and that the server runs/)
    assert.match(yield* told(at("nowhere.invalid")), /cannot resolve the host in DATABASE_URL/)
    assert.match(yield* told(`${at("127.0.0.1:1")}?sslmode=perhaps`), /sslmode.*perhaps/)
  })

  it.live("fails with one line for a connection pooler, because it keeps no lock", function* () {
    const url = yield* freshDatabase
    const refused = fatal("08P01", "unsupported startup parameter: idle_session_timeout")
    const direct = /is the address of a connection pooler, such as PgBouncer\. .* use the address of the server itself/
    assert.match(yield* told(at(yield* server((socket) => socket.end(refused)))), direct)
    assert.match(yield* told(yield* pooler(url)), direct)
    const locks = yield* query(
      url,
      "select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())"
    )
    assert.lengthOf(locks.rows, 0)
    assert.strictEqual(yield* told(url), "It was served.")
  })

  it.live("fails with one line for a database that cannot store every character", function* () {
    const url = yield* asciiDatabase
    assert.match(
      yield* told(url),
      /has the encoding SQL_ASCII\. Folio needs UTF8\. Create another: create database \w+_utf8 encoding 'UTF8'/
    )
    const { findings } = yield* inspect({ url: Redacted.make(url) })
    assert.deepInclude(
      findings.find(({ check }) => check === "encoding"),
      { state: "wrong", message: "The encoding of the database is SQL_ASCII" }
    )
  })

  it.live("fails with one line for unknown parameters", function* () {
    assert.strictEqual(
      yield* told(`${at("127.0.0.1:1")}?sslmod=require&channel_binding=require`),
      "DATABASE_URL has unknown parameters: sslmod, channel_binding. Correct or remove them; the known parameters are sslmode, host, port, user, password, dbname, connect_timeout, application_name, options."
    )
  })

  it.live("fails with one line for tables of another line of migrations", function* () {
    const url = yield* freshDatabase
    yield* query(url, "update effect_sql_migrations set name = 'baseline'")
    assert.match(
      yield* told(url),
      /^The tables at .* were made by a version of Folio from before its first release\. Use an empty database, or .*\.$/
    )
  })

  it.live("fails with one line for tables of a later release", function* () {
    const url = yield* freshDatabase
    yield* query(url, "insert into effect_sql_migrations (migration_id, name) values (9999, 'later')")
    yield* query(url, "update oldest_release set release = 9000")
    assert.match(
      yield* told(url),
      /^The tables at .* are at migration 9999, .* They need a release that knows migration 9000: use a later one\.$/
    )
    yield* query(url, `update oldest_release set release = ${schemaRelease}`)
    assert.strictEqual(yield* told(url), "It was served.", "tables that a later release has only added to")
  })

  it.live.each(["hello", "http://127.0.0.1/shop", "postgres://a:%zz@127.0.0.1/shop"])(
    "fails with one line for an address in another form: %s",
    (DATABASE_URL) =>
      Effect.map(told(DATABASE_URL), (message) => assert.match(message, /^DATABASE_URL must be of the form/))
  )
})
