import { assert } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Input from "../../src/database/Input.ts"
import { onPostgres } from "../support/database/TwoOwners.ts"

const within = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const orNull = <const S extends ReadonlyArray<Schema.Constraint>>(...values: S) => Schema.NullOr(Schema.Union(values))

/** Any value for each type, often one that could be mistaken for null. */
const Row = Schema.Struct({
  text: orNull(Schema.Literals(["", "null", "NULL", '"', "\\", "{}", "-1", "\u0001", "😀"]), Schema.String),
  json: orNull(Schema.Literals(["", "null", 0, false]), Schema.Struct({ name: Schema.String })),
  boolean: Schema.NullOr(Schema.Boolean),
  integer: orNull(Schema.Literals([-1, 0, -(2 ** 31), 2 ** 31 - 1]), within(-(2 ** 31), 2 ** 31 - 1)),
  bigint: Schema.NullOr(Schema.Literals([-1n, 0n, -(2n ** 63n), 2n ** 63n - 1n])),
  float8: orNull(Schema.Literals([-1, 0, 0.5, 5e-324]), Schema.Number),
  bytea: Schema.NullOr(Schema.Array(within(0, 255)).check(Schema.isMaxLength(20))),
  date: Schema.NullOr(Schema.Literals(["-infinity", "infinity", "1970-01-01", "0001-01-01", "9999-12-31"])),
  timestamptz: orNull(Schema.Literals([0, -1]), within(-(2 ** 42), 2 ** 42))
})
const batches = Arbitrary.array(Arbitrary.schema(Row), { minLength: 1, maxLength: 20 }).pipe(
  Arbitrary.map((rows) =>
    rows.map(({ bytea, text, timestamptz, ...row }) => ({
      ...row,
      // PostgreSQL stores neither U+0000 nor half of a character.
      text: text === null ? null : text.replaceAll("\0", "").toWellFormed(),
      bytea: bytea === null ? null : Uint8Array.from(bytea),
      timestamptz: timestamptz === null ? null : new Date(timestamptz)
    }))
  )
)
type Sent = Record<keyof typeof Row.fields, unknown>
const types = Object.keys(Row.fields) as ReadonlyArray<keyof Sent>
const input = Input.make<Sent>(
  Object.fromEntries(types.map((type) => [`a_${type}`, [type, (row: Sent) => row[type]] as const]))
)

onPostgres("A batch of nullable values of each type arrives unchanged", function* () {
  const sql = yield* SqlClient.SqlClient
  const nothing = Object.fromEntries(types.map((type) => [type, null])) as Sent
  const some = yield* Arbitrary.sampleEffect(batches, { count: 100, seed: "input" })
  for (const batch of [[nothing], [nothing, nothing], ...some]) {
    const rows = yield* sql`select * from ${input(sql, batch)} order by ord`
    assert.deepStrictEqual(
      rows,
      batch.map((row, index) => ({
        ...Object.fromEntries(types.map((type) => [`a_${type}`, row[type]])),
        a_json: row.json === null ? null : JSON.stringify(row.json),
        ord: BigInt(index + 1)
      }))
    )
  }
})

onPostgres("A statement is planned once, for any number of items in a batch", function* () {
  const sql = yield* SqlClient.SqlClient
  const ids = Input.make<string>({ id: ["text", (id) => id] })
  const plans = sql`
    select generic_plans::integer as generic, custom_plans::integer as custom from pg_prepared_statements where statement ~ '^select n.id, i.count'`
  yield* sql.withTransaction(
    Effect.gen(function* () {
      for (let times = 0; times < 12; times += 1) {
        yield* sql`select n.id, i.count from ${ids(sql, ["ten_a"])}
          cross join lateral (select count(*) from invoices i where i.account_id = n.id) i`
      }
      // PostgreSQL compares the first five plans with one for any number of items.
      assert.deepStrictEqual(yield* plans, [{ generic: 7, custom: 5 }])
    })
  )
})
