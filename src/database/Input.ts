import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Result } from "effect"
import type { SqlClient, Statement } from "effect/sql"

// Each array names its type, because the driver infers no type from nulls and several types from numbers.
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

/** The columns of an input table, each with its SQL type and the value of an item. */
export type Columns<A> = Readonly<Record<string, readonly [type: Type, value: (item: A) => unknown]>>

const sent = (type: Type, value: unknown) => {
  if (value === null || value === undefined) return null
  return type === "json" ? JSON.stringify(value) : value
}

/**
 * Makes the SQL of a table `n` with one row for each item of a batch. `ord` is the item's number, from 1. Null and
 * undefined are null. A `json` column contains texts, which the statement casts.
 */
export const make =
  <A>(columns: Columns<A>) =>
  (sql: SqlClient.SqlClient, items: ReadonlyArray<A>): Statement.Fragment => {
    // A subquery hides the number of items from the planner, so that one plan serves every execution. Planning a
    // statement costs more than its execution.
    const arrays = Object.values(columns).map(([type, value]) => {
      const values = items.map((item) => sent(type, value(item)))
      return sql`(select ${Result.getOrThrow(PgTypes.array(values, elementTypes[type]))})`
    })
    const names = sql.literal(Object.keys(columns).join(", "))
    return sql`unnest(${sql.csv(arrays)}) with ordinality as n (${names}, ord)`
  }
