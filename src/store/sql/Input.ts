import type { SqlClient, Statement } from "effect/sql"

// The driver cannot infer the type of an array of nulls: an absent value is sent as the value of its type that stands for none.
const absent = {
  text: "",
  json: "",
  boolean: false,
  integer: -1,
  bigint: -1n,
  float8: "-1",
  bytea: new Uint8Array(0),
  date: "-infinity",
  timestamptz: new Date(0)
}

type Type = keyof typeof absent

/** The columns of an input table: of each the SQL type, and the value of an item. A `json` column holds texts. */
export type Columns<A> = Readonly<Record<string, readonly [type: Type, value: (item: A) => unknown]>>

const sent = (type: Type, value: unknown) => {
  if (value === null || value === undefined) return absent[type]
  if (type === "json") return JSON.stringify(value)
  // The driver infers one type for the whole array and refuses whole numbers beside fractions or Infinity.
  return type === "float8" ? String(value) : value
}

/**
 * Makes the SQL of a table `n` with one row for each item of a batch and, as `ord`, the number of the item from 1. An absent value
 * (null or undefined) is '' in a column of texts or JSON, -1 in a column of numbers, false, empty bytes or the Unix epoch.
 */
export const make =
  <A>(columns: Columns<A>) =>
  (sql: SqlClient.SqlClient, items: ReadonlyArray<A>): Statement.Fragment => {
    const arrays = Object.values(columns).map(([type, value]) => {
      const values = items.map((item) => sent(type, value(item)))
      return sql`${values}::${sql.literal(type === "json" ? "text" : type)}[]`
    })
    const names = sql.literal(Object.keys(columns).join(", "))
    return sql`unnest(${sql.csv(arrays)}) with ordinality as n (${names}, ord)`
  }
