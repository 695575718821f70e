import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Result } from "effect"
import type { SqlClient, Statement } from "effect/sql"

// Each array names its type: the driver cannot infer it from nulls, and would infer several types from numbers.
const elementTypes = {
  text: PgTypes.OID.text,
  json: PgTypes.OID.text,
  boolean: PgTypes.OID.bool,
  integer: PgTypes.OID.int4,
  bigint: PgTypes.OID.int8,
  float8: PgTypes.OID.float8,
  bytea: PgTypes.OID.bytea,
  date: PgTypes.OID.date,
  timestamptz: PgTypes.OID.timestamptz
}

type Type = keyof typeof elementTypes

/** The columns of an input table: for each the SQL type, and the value of an item. */
export type Columns<A> = Readonly<Record<string, readonly [type: Type, value: (item: A) => unknown]>>

const sent = (type: Type, value: unknown) => {
  if (value === null || value === undefined) return null
  return type === "json" ? JSON.stringify(value) : value
}

/**
 * Makes the SQL of a table `n` with one row for each item of a batch and, as `ord`, the number of the item from 1. Null
 * and undefined are null. A `json` column has texts, which a statement casts.
 */
export const make =
  <A>(columns: Columns<A>) =>
  (sql: SqlClient.SqlClient, items: ReadonlyArray<A>): Statement.Fragment => {
    // Each array is selected, so that PostgreSQL cannot count its items and plan every execution for their number: to
    // plan a statement costs more than to execute it.
    const arrays = Object.values(columns).map(([type, value]) => {
      const values = items.map((item) => sent(type, value(item)))
      return sql`(select ${Result.getOrThrow(PgTypes.array(values, elementTypes[type]))})`
    })
    const names = sql.literal(Object.keys(columns).join(", "))
    return sql`unnest(${sql.csv(arrays)}) with ordinality as n (${names}, ord)`
  }
