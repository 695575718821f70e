/** Takes a backup of a database. The service may be running. */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { createHash } from "node:crypto"
import { tablesUpTo } from "../../runtime/postgres/Migrations.ts"
import { schemaRelease } from "../../database/SchemaRelease.ts"
import { type Address, unusable, where } from "../../runtime/postgres/PostgresAddress.ts"
import * as Roles from "../../runtime/postgres/PostgresRoles.ts"
import { BackupError, type BackupKey, type FrameKind, write } from "./BackupFile.ts"
import { Header, headsIn, isKept, quoted, Sequences, TableEnd, TableHead } from "./Tables.ts"
import { keyOfCanary } from "./KeyOfBackup.ts"

/**
 * The settings of a session that reads or writes all rows: no time limit, whatever the login or the database has set,
 * and every type in the one form that is read back exactly.
 */
export const sessionParameters = {
  statement_timeout: "0",
  transaction_timeout: "0",
  idle_in_transaction_session_timeout: "0",
  idle_session_timeout: "0",
  lock_timeout: "3s",
  timezone: "UTC",
  datestyle: "ISO, YMD",
  intervalstyle: "postgres",
  extra_float_digits: "1",
  bytea_output: "hex"
} as const

/** The largest message of the server: PostgreSQL's own limit of a value. */
export const messageMax = 1 << 30

// The number of rows per fetch, and the target size in bytes. Documents have 5 kB, and occasionally a few MB, possibly
// many of them after many small ones.
const fetchMax = 1_000
const largeFetchMax = 100
const bytesAimed = 2 * 1024 * 1024

const fetchMaxOf = ({ bytes, columns }: TableHead) =>
  bytes.length > 0 || columns.some(({ type }) => type === "jsonb") ? largeFetchMax : fetchMax

const noValue = Buffer.from([0xff, 0xff, 0xff, 0xff])

const framed = (row: ReadonlyArray<unknown>): Buffer =>
  Buffer.concat(
    row.flatMap((value) => {
      if (!(value instanceof Uint8Array)) return [noValue]
      const length = Buffer.alloc(4)
      length.writeInt32BE(value.length)
      return [length, value]
    })
  )

/** Rows in portions of about `bytesAimed`, or of one larger row. */
const portionsOf = (rows: ReadonlyArray<ReadonlyArray<unknown>>): ReadonlyArray<Buffer> => {
  const portions: Array<Array<Buffer>> = []
  let size = bytesAimed
  for (const row of rows) {
    const content = framed(row)
    size += content.length
    if (size > bytesAimed) {
      portions.push([])
      size = content.length
    }
    portions.at(-1)?.push(content)
  }
  return portions.map((portion) => Buffer.concat(portion))
}

type Put = (kind: FrameKind, content: Uint8Array) => Effect.Effect<void, BackupError>

const toJson = <S extends Schema.Codec<unknown, unknown>>(schema: S) => {
  const encode = Schema.encodeEffect(Schema.fromJsonString(schema))
  return (value: S["Type"]) => Effect.map(Effect.orDie(encode(value)), (text) => Buffer.from(text))
}
const headerJson = toJson(Header)
const headJson = toJson(TableHead)
const endJson = toJson(TableEnd)
const sequencesJson = toJson(Sequences)

/** Writes the rows of a table, as the session's transaction sees them. Returns their number. */
const writeTable = Effect.fnUntraced(function* (session: PgConnection.PgConnection, head: TableHead, put: Put) {
  yield* put("table", yield* headJson(head))
  const row = `convert_to(row(${head.columns.map(({ name }) => quoted(name)).join(", ")})::text, 'UTF8')`
  const columns = [row, ...head.bytes.map(quoted)].join(", ")
  yield* session.query(`declare rows no scroll cursor for select ${columns} from ${quoted(head.table)}`, [], false)
  const sum = createHash("sha256")
  let count = 0
  let next = 100
  for (;;) {
    const rows = yield* session.queryValues(`fetch forward ${next} from rows`, [], false)
    if (rows.length === 0) break
    count += rows.length
    let size = 0
    for (const content of portionsOf(rows)) {
      sum.update(content)
      size += content.length
      yield* put("rows", content)
    }
    const fitting = Math.floor(bytesAimed / (size / rows.length))
    next = Math.max(1, Math.min(fetchMaxOf(head), next * 2, fitting))
  }
  yield* session.query("close rows", [], false)
  yield* put("end", yield* endJson({ table: head.table, rows: count, sha256: sum.digest("hex") }))
  return count
})

const facts = `
  select current_setting('server_version'), now()::text,
    pg_snapshot_xmax(pg_current_snapshot())::text,
    (select max(migration_id)::integer from effect_sql_migrations)`

const optional = `
  select to_regproc('transaction_base') is not null, to_regclass('key_canary') is not null`

const counters = `
  select sequencename::text, last_value::text from pg_sequences where schemaname = current_schema() order by sequencename`

const otherRelease = (address: Address, last: number) =>
  new BackupError({
    message: `The tables at ${where(address)} are at migration ${last}, but this release is at ${schemaRelease}. Take the backup with the release that serves them.`
  })

const noTables = (address: Address) =>
  new BackupError({
    message: `There are no tables to back up at ${where(address)}. Check DATABASE_URL and DATA_DIR.`
  })

/**
 * Records the time of the backup for the doctor. A database that is read-only, or of an earlier release, gets no
 * record.
 */
const record = Effect.fnUntraced(
  function* (address: Address, takenAt: string) {
    const session = yield* PgConnection.make({
      ...address,
      connectTimeout: "5 seconds",
      applicationName: "folio backup",
      startupParameters: { statement_timeout: "10s" }
    })
    yield* session.query(`set role ${Roles.service}`)
    yield* session.query(
      `insert into last_backup (taken_at) values ($1::text::timestamptz)
       on conflict (one) do update set taken_at = greatest(last_backup.taken_at, excluded.taken_at)`,
      [takenAt]
    )
  },
  Effect.scoped,
  Effect.catchCause((cause) =>
    Effect.logWarning("The backup is written, but its time is not recorded for folio doctor", cause)
  )
)

/**
 * Writes a backup of the database at `address` to `file`: all rows of the service in one snapshot. It takes no lock
 * that the service waits for. Writes `sealedKeys` unchanged. The memory use does not grow with the number of rows.
 * Returns a summary.
 */
export const take = Effect.fn("Backup.take")(function* (
  address: Address,
  file: string,
  options: {
    readonly release: string
    readonly sealedKeys: Uint8Array | undefined
    /** The authentication code is of the key that opens the database's canary. */
    readonly keys: ReadonlyArray<BackupKey | undefined>
  }
) {
  const ofServer = Effect.mapError((error: SqlError.SqlError | BackupError) =>
    error instanceof BackupError ? error : unusable(address, error)
  )
  let rows = 0
  let header: Header | undefined
  let isAuthenticated = false
  const copy = Effect.fnUntraced(function* (put: Put) {
    const session = yield* PgConnection.make({
      ...address,
      connectTimeout: "5 seconds",
      keepAlive: "30 seconds",
      applicationName: "folio backup",
      startupParameters: sessionParameters,
      maxMessageSize: messageMax
    })
    yield* session.query("begin transaction isolation level repeatable read, read only")
    const [migrated] = yield* session.queryValues("select to_regclass('effect_sql_migrations') is not null")
    if (migrated?.[0] !== true) return yield* noTables(address)
    const [found = []] = yield* session.queryValues(facts)
    const [server, taken_at, xmax, last] = found
    const migration = Number(last)
    if (migration > schemaRelease) return yield* otherRelease(address, migration)
    // The owner of the tables sees no rows.
    yield* session.query(`set local role ${Roles.service}`)
    // A later migration than the first creates these.
    const [has = []] = yield* session.queryValues(optional)
    const [base] = has[0] === true ? yield* session.queryValues("select transaction_base()::text") : []
    const [canary] = has[1] === true ? yield* session.queryValues("select sealed from key_canary") : []
    const heads = yield* headsIn(session)
    const tables = tablesUpTo(migration).flatMap((name) => {
      const head = isKept(name) ? heads.get(name) : undefined
      return head === undefined ? [] : [head]
    })
    header = {
      release: options.release,
      migration,
      taken_at: String(taken_at),
      server: String(server),
      transaction: String(BigInt(String(xmax)) + BigInt(String(base?.[0] ?? 0))),
      tables: tables.map(({ table }) => table),
      canary: canary === undefined ? null : String(canary[0]),
      has_keys: options.sealedKeys !== undefined
    }
    yield* put("header", yield* headerJson(header))
    if (options.sealedKeys !== undefined) yield* put("keys", options.sealedKeys)
    for (const head of tables) rows += yield* writeTable(session, head, put)
    const sequences = yield* session.queryValues(counters)
    yield* put(
      "sequences",
      yield* sequencesJson(
        sequences.map(([name, value]) => ({ name: String(name), last: value === null ? null : String(value) }))
      )
    )
    yield* session.query("commit")
    const key = yield* keyOfCanary(header.canary, options.keys)
    isAuthenticated = Option.isSome(key)
    return Option.getOrUndefined(key)
  }, Effect.scoped)
  const size = yield* write(file, (put) => ofServer(copy(put)))
  if (header === undefined) return yield* Effect.die("a backup without a header")
  yield* record(address, header.taken_at)
  return { header, rows, size, isAuthenticated }
})
