import { Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { AccountMode } from "../../../schemas/Account.ts"
import { type Key, ofKey } from "../sql/Keys.ts"
import * as Query from "../sql/Query.ts"
import { Secrets } from "../sql/Secrets.ts"

/*
 * Technical keys of ranges, at rest. A row has its key sealed, or in clear while a process of a release that does not open sealed keys may
 * serve the database: a trigger keeps one of the two.
 */

/** The place that the technical key of a range is sealed for (see `Secrets`). */
export const rangePlace = ({ id }: Pick<Key, "id">) => `resolutions|${id}`

/** The place that the technical key of a test set's range is sealed for. */
export const testRangePlace = ({ account_id, id }: Pick<Key, "account_id" | "id">) => `enablements|${account_id}|${id}`

interface Table {
  readonly name: string
  /** The SQL of a row's clear key; empty or null where the row has none. */
  readonly clear: string
  readonly placeOf: (row: Key) => string
}

const tables: ReadonlyArray<Table> = [
  { name: "resolutions", clear: "technical_key", placeOf: rangePlace },
  { name: "enablements", clear: "range ->> 'technical_key'", placeOf: testRangePlace }
]

const batchMax = 100

const Clear = Schema.Struct({ ...AccountMode.fields, id: Schema.String, technical_key: Schema.String })

/** Seals the technical keys that are stored in clear, unless a process that reads clear keys may serve the database. */
export const sealAll = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const secrets = yield* Secrets

  const select = Query.all(
    Clear,
    (table: Statement.Identifier, clear: Statement.Fragment) => sql`
      select account_id, livemode, id, ${clear} as technical_key from ${table}
      where ${clear} <> '' and are_technical_keys_sealed() limit ${batchMax}`
  )
  const sealSome = Effect.fnUntraced(function* ({ clear, name, placeOf }: Table) {
    const [table, key] = [sql(name), sql.literal(clear)]
    const rows = yield* select(table, key)
    for (const row of rows) {
      const sealed = yield* secrets.seal(row.technical_key, placeOf(row))
      // A key that has changed meanwhile is sealed by the process that changed it.
      yield* Effect.orDie(sql`
        update ${table} set technical_key_sealed = ${sealed} where ${ofKey(sql, row)} and ${key} = ${row.technical_key}`)
    }
    return rows.length
  })
  for (const table of tables) yield* Effect.repeat(sealSome(table), { while: (sealed) => sealed === batchMax })
})

/** Seals in the background of a start what an earlier release has stored in clear. */
export const layer = Layer.effectDiscard(
  sealAll.pipe(
    Effect.catchCause((cause) =>
      Effect.logWarning("Technical keys could not be sealed; the next start tries again", cause)
    ),
    Effect.forkScoped
  )
)
