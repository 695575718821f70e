import { Effect } from "effect"
import type { Rows } from "../../support/database/Books.ts"

/**
 * Tables that grow with every invoice. Folio keeps invoices for good, keys for 24 hours and the request log for 7 days.
 */
const natural: ReadonlyArray<string> = [
  "invoices",
  "invoice_documents",
  "transitions",
  "events",
  "deliveries",
  "attempts",
  "idempotency_keys",
  "marks",
  "requests"
]

export interface TableSize {
  readonly rows: number
  readonly bytes: number
}
export type TableSizes = ReadonlyMap<string, TableSize>

/** Rows and bytes of every table, indexes included. */
export const tableSizes = Effect.fnUntraced(function* (rows: Rows) {
  const tables = yield* rows<{ name: string; bytes: number }>(
    `select relname as name, pg_total_relation_size(c.oid)::float8 as bytes
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where relkind = 'r' and nspname = 'public' order by relname`
  )
  const sizes = new Map<string, TableSize>()
  for (const { bytes, name } of tables) {
    const [counted] = yield* rows<{ count: number }>(`select count(*)::int as count from "${name}"`)
    sizes.set(name, { rows: counted?.count ?? 0, bytes })
  }
  return sizes as TableSizes
})

// Dead rows wait for the next vacuum: a table with frequent updates may have some.
const rowsRoom = 20
const bytesRoom = 1024 * 1024

/** Tables that grew but must not grow with the number of invoices. */
export const grown = (before: TableSizes, after: TableSizes): ReadonlyArray<string> =>
  [...after].flatMap(([name, { bytes, rows }]) => {
    const then = before.get(name) ?? { rows: 0, bytes: 0 }
    if (natural.includes(name) || (rows <= then.rows + rowsRoom && bytes <= 2 * then.bytes + bytesRoom)) return []
    return [`${name}: ${then.rows} to ${rows} rows, ${then.bytes} to ${bytes} bytes`]
  })

const kilobytes = (bytes: number) => `${Math.round(bytes / 1024)}`.padStart(8)

/** Growth of the tables; per invoice for tables that grow with every invoice. */
export const showGrowth = (before: TableSizes, after: TableSizes): string => {
  const made = (after.get("invoices")?.rows ?? 0) - (before.get("invoices")?.rows ?? 0)
  return [...after]
    .map(([name, now]) => {
      const then = before.get(name) ?? { rows: 0, bytes: 0 }
      const each = natural.includes(name)
        ? `${((now.rows - then.rows) / made).toFixed(2)} rows, ${((now.bytes - then.bytes) / made).toFixed(0)} bytes an invoice`
        : "bounded"
      return `  ${name.padEnd(24)} rows ${`${then.rows}`.padStart(8)} to ${`${now.rows}`.padStart(8)}   kB ${kilobytes(then.bytes)} to ${kilobytes(now.bytes)}   ${each}`
    })
    .join("\n")
}

/** Owner of each shard, by the lock that it holds. */
const shardOwners = (rows: Rows) =>
  Effect.map(
    rows<{ shard: string; owner: string }>(
      `select concat_ws(':', classid, objid, objsubid) as shard, pid::text as owner from pg_locks
       where locktype = 'advisory' and granted`
    ),
    (list) => new Map(list.map(({ owner, shard }) => [shard, owner]))
  )

/** Polls the owners of the shards. `moves` counts the shards that were seen with a new owner. */
export const watchShards = Effect.fnUntraced(function* (rows: Rows) {
  let known = yield* shardOwners(rows)
  const seen = { shards: known.size, moves: 0 }
  const look = Effect.map(shardOwners(rows), (now) => {
    for (const [shard, owner] of now) if ((known.get(shard) ?? owner) !== owner) seen.moves += 1
    known = new Map([...known, ...now])
    seen.shards = now.size
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep("2 seconds"), Effect.ignore(look))))
  return seen
})
