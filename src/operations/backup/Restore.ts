/** Restores a backup into an empty database. */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Result, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { createHash, type Hash } from "node:crypto"
import { migrate, migrateTo, tablesUpTo } from "../../runtime/postgres/Migrations.ts"
import { schemaRelease } from "../../database/SchemaRelease.ts"
import * as Roles from "../../runtime/postgres/PostgresRoles.ts"
import { standStill } from "../store/Holds.ts"
import { BackupError, type BackupKey, damaged, type Frame, read } from "./BackupFile.ts"
import { Header, headsIn, isKept, quoted, Sequences, TableEnd, TableHead } from "./Tables.ts"

interface Made {
  readonly table: string
  readonly name: string
  readonly definition: string
}

// A NOT VALID constraint would reject the restored rows that break it, so it is dropped meanwhile, as references are.
const constraints = `
  select conrelid::regclass::text as table, conname::text as name, pg_get_constraintdef(oid) as definition from pg_constraint
  where connamespace = current_schema()::regnamespace and conrelid <> 0 and (contype = 'f' or contype = 'c' and not convalidated)
  order by oid`

const indexes = `
  select i.indrelid::regclass::text as table, c.relname::text as name, pg_get_indexdef(i.indexrelid) as definition
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where c.relnamespace = current_schema()::regnamespace and not exists (select from pg_constraint where conindid = i.indexrelid)
  order by i.indexrelid`

const tables = `
  select c.oid::regclass::text as name, c.relforcerowsecurity as forces from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' order by c.oid`

/**
 * Runs `load` on the tables of the current schema without their triggers, references, indexes and row level security
 * for the owner, and then restores all of them. This checks references and unique indexes for all rows together. Runs
 * in the caller's transaction.
 */
export const bare = Effect.fnUntraced(function* <A, E, R>(sql: SqlClient.SqlClient, load: Effect.Effect<A, E, R>) {
  const all = yield* sql.unsafe<{ name: string; forces: boolean }>(tables)
  const dropped = yield* sql.unsafe<Made>(constraints)
  const unindexed = yield* sql.unsafe<Made>(indexes)
  const run = (statements: ReadonlyArray<string>) =>
    Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })

  yield* run(all.map(({ name }) => `alter table ${name} disable trigger user, no force row level security`))
  yield* run(dropped.map(({ name, table }) => `alter table ${table} drop constraint ${quoted(name)}`))
  yield* run(unindexed.map(({ name }) => `drop index ${quoted(name)}`))
  const result = yield* load
  yield* run(unindexed.map(({ definition }) => definition))
  yield* run(
    dropped.map(({ definition, name, table }) => `alter table ${table} add constraint ${quoted(name)} ${definition}`)
  )
  yield* run(
    all.map(
      ({ forces, name }) => `alter table ${name} enable trigger user${forces ? ", force row level security" : ""}`
    )
  )
  return result
})

const decoderOf = <S extends Schema.Codec<unknown, unknown>>(schema: S, file: string) => {
  const decode = Schema.decodeEffect(Schema.fromJsonString(schema))
  return ({ content }: Frame) =>
    Effect.mapError(decode(content.toString()), () => damaged(file, "a part of it cannot be read"))
}

/** The header of a backup and its encrypted keys, if any, which are at its beginning. */
export const readHeader = Effect.fnUntraced(function* (file: string) {
  const [first, second] = yield* Stream.runCollect(Stream.take(read(file), 2))
  if (first?.kind !== "header") return yield* damaged(file, "its beginning is missing")
  const header = yield* decoderOf(Header, file)(first)
  if (header.migration > schemaRelease) {
    return yield* new BackupError({
      message: `${file} is of another release (${header.release}, migration ${header.migration}; this is ${schemaRelease}). Restore it with that release.`
    })
  }
  const ours = new Set(tablesUpTo(header.migration).filter(isKept))
  const foreign = header.tables.find((table) => !ours.has(table))
  if (foreign !== undefined) {
    return yield* damaged(file, `${JSON.stringify(foreign)} is no table of migration ${header.migration}`)
  }
  return { header, sealedKeys: second?.kind === "keys" ? second.content : undefined }
})

/** The rows of a frame, column by column: the texts, and the bytes of each bytea column. */
const columnsOf = (content: Buffer, width: number): ReadonlyArray<ReadonlyArray<Uint8Array | null>> | undefined => {
  const columns: ReadonlyArray<Array<Uint8Array | null>> = Array.from({ length: width }, () => [])
  let at = 0
  while (at < content.length) {
    for (const column of columns) {
      if (at + 4 > content.length) return undefined
      const length = content.readInt32BE(at)
      at += 4
      if (length < -1 || at + length > content.length) return undefined
      column.push(length === -1 ? null : content.subarray(at, at + length))
      at += Math.max(length, 0)
    }
  }
  return columns
}

interface OpenTable {
  readonly head: TableHead
  readonly insert: string
  readonly sum: Hash
  rows: number
}

// An array of rows is parsed once; a text would be parsed again for each column.
const insertInto = ({ bytes, columns, table }: TableHead) => {
  const names = [...columns.map(({ name }) => name), ...bytes].map(quoted).join(", ")
  const rows = `unnest(array(select convert_from(line, 'UTF8')::pg_temp.restored from unnest($1::bytea[]) with ordinality as l (line, n) order by n))`
  const all = [rows, ...bytes.map((_, index) => `unnest($${index + 2}::bytea[])`)]
  return `insert into ${quoted(table)} (${names}) overriding system value select * from rows from (${all.join(", ")})`
}

/**
 * Checks all frames of a backup in order, and passes the rows of each table to `rows`. Fails with `BackupError` at the
 * first deviation.
 */
export const readAll = Effect.fnUntraced(function* <E, R>(
  file: string,
  header: Header,
  key: BackupKey | undefined,
  use: {
    readonly begin: (head: TableHead) => Effect.Effect<string, E | BackupError, R>
    readonly rows: (
      statement: string,
      columns: ReadonlyArray<ReadonlyArray<Uint8Array | null>>
    ) => Effect.Effect<void, E, R>
    readonly end: Effect.Effect<void, E, R>
    readonly sequences: (last: typeof Sequences.Type) => Effect.Effect<void, E, R>
  }
) {
  const decodeHead = decoderOf(TableHead, file)
  const decodeEnd = decoderOf(TableEnd, file)
  const decodeSequences = decoderOf(Sequences, file)
  const misplaced = damaged(file, "its parts are not in their order")
  const counts = new Map<string, number>()
  let open: OpenTable | undefined
  const steps: Record<Frame["kind"], (frame: Frame) => Effect.Effect<void, E | BackupError, R>> = {
    header: () => Effect.void,
    keys: () => Effect.void,
    table: Effect.fnUntraced(function* (frame) {
      const head = yield* decodeHead(frame)
      if (open !== undefined || head.table !== header.tables[counts.size]) return yield* misplaced
      open = { head, insert: yield* use.begin(head), sum: createHash("sha256"), rows: 0 }
    }),
    rows: Effect.fnUntraced(function* ({ content }) {
      if (open === undefined) return yield* misplaced
      const columns = columnsOf(content, 1 + open.head.bytes.length)
      if (columns === undefined) return yield* damaged(file, `rows of ${open.head.table} cannot be read`)
      open.sum.update(content)
      open.rows += columns[0]?.length ?? 0
      yield* use.rows(open.insert, columns)
    }),
    end: Effect.fnUntraced(function* (frame) {
      const end = yield* decodeEnd(frame)
      if (open === undefined || end.table !== open.head.table) return yield* misplaced
      if (end.rows !== open.rows || end.sha256 !== open.sum.digest("hex")) {
        return yield* damaged(file, `the checksum of the table ${end.table} is wrong`)
      }
      counts.set(end.table, end.rows)
      open = undefined
      yield* use.end
    }),
    sequences: (frame) => Effect.flatMap(decodeSequences(frame), use.sequences),
    last: () => (open === undefined && counts.size === header.tables.length ? Effect.void : Effect.fail(misplaced))
  }
  yield* Stream.runForEach(read(file, key), (frame) => steps[frame.kind](frame))
  return counts
})

const load = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  file: string,
  header: Header,
  key: BackupKey | undefined
) {
  const connection = { queryValues: (statement: string) => sql.unsafe(statement).values }
  const heads = yield* headsIn(connection)
  return yield* readAll(file, header, key, {
    begin: Effect.fnUntraced(function* (head) {
      const { columns, table } = head
      const here = heads.get(table)
      if (here === undefined || JSON.stringify(here) !== JSON.stringify(head)) {
        return yield* new BackupError({
          message: `The table ${table} of ${file} differs from migration ${header.migration}: its schema was changed. Restore it with pg_restore, or undo the change before the backup.`
        })
      }
      const names = columns.map(({ name }) => quoted(name)).join(", ")
      yield* sql.unsafe(
        `create temporary table restored on commit drop as select ${names} from ${quoted(table)} with no data`
      )
      return insertInto(head)
    }),
    rows: (statement, columns) =>
      Effect.asVoid(
        sql.unsafe(
          statement,
          columns.map((column) => Result.getOrThrow(PgTypes.array(column, bytesOid)))
        )
      ),
    end: Effect.asVoid(sql.unsafe("drop table pg_temp.restored")),
    // A backup also lists counters of other tables, for example of a cluster, which do not exist here.
    sequences: (all) =>
      Effect.forEach(
        all.filter(({ last }) => last !== null),
        ({ last, name }) => sql`
          select setval(format('%I.%I', schemaname, sequencename)::regclass, ${last}::text::bigint) from pg_sequences
          where schemaname = current_schema() and sequencename = ${name}`,
        { discard: true }
      )
  })
})

// The type `bytea`.
const bytesOid = 17

const asService =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      yield* sql.unsafe(`set local role ${Roles.service}`)
      // The session rejects statements that rows are hidden from, which is right only for the owner.
      yield* sql.unsafe("set local row_security = on")
      const result = yield* effect
      yield* sql.unsafe("set local row_security = off")
      yield* sql.unsafe("reset role")
      return result
    })

/**
 * Restores a backup into the empty database of `sql`, in one transaction: at the backup's migration, and then migrates
 * it to this release. `check`, as the service, and `finish`, as the owner, run before the commit, and their failure
 * undoes everything. Returns the number of rows of each table.
 */
export const restoreInto = Effect.fn("Restore.restoreInto")(function* <E, R, E2, R2>(
  file: string,
  header: Header,
  key: BackupKey | undefined,
  check: Effect.Effect<void, E, R>,
  finish: Effect.Effect<void, E2, R2>
) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* migrateTo(header.migration)
      const counts = yield* bare(sql, load(sql, file, header, key))
      yield* migrate
      yield* asService(sql)(
        Effect.andThen(standStill({ at: header.taken_at, transaction: BigInt(header.transaction) }), check)
      )
      yield* finish
      return counts
    })
  )
})
