import type { SqlClient } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import * as Input from "./Input.ts"

export interface Key extends AccountMode {
  readonly id: string
}

/** The SQL condition of the rows of an account in one mode. */
export const ofAccount = (sql: SqlClient.SqlClient, { account_id, livemode }: AccountMode) =>
  sql`account_id = ${account_id} and livemode = ${livemode}`

/** The SQL condition of the row of a key. */
export const ofKey = (sql: SqlClient.SqlClient, key: Key) => sql`${ofAccount(sql, key)} and id = ${key.id}`

/** The input table of keys: `account_id`, `livemode` and `id`. */
export const inputOfKeys = Input.make<Key>({
  account_id: ["text", (key) => key.account_id],
  livemode: ["boolean", (key) => key.livemode],
  id: ["text", (key) => key.id]
})

/** The columns that a row's schema names, as SQL, each after the name of its table if one is given. */
export const columnsOf = (sql: SqlClient.SqlClient, row: { readonly fields: object }, table?: string) => {
  const names = Object.keys(row.fields)
  return sql.literal((table === undefined ? names : names.map((name) => `${table}.${name}`)).join(", "))
}
