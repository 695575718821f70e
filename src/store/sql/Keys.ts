import type { SqlClient, Statement } from "effect/sql"
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

/** The input columns of the key that an item names. */
export const keyColumns: Input.Columns<{ readonly key: Key }> = {
  account_id: ["text", ({ key }) => key.account_id],
  livemode: ["boolean", ({ key }) => key.livemode],
  id: ["text", ({ key }) => key.id]
}

/** The columns that a row's schema names, as SQL, each after the name of its table if one is given. */
export const columnsOf = (sql: SqlClient.SqlClient, row: { readonly fields: object }, table?: string) => {
  const names = Object.keys(row.fields)
  return sql.literal((table === undefined ? names : names.map((name) => `${table}.${name}`)).join(", "))
}

/**
 * A key to find rows by: the identification or the e-mail address of a customer, or a metadata entry of a customer or a
 * document. Triggers maintain the table `marks` with all keys.
 */
export type Mark =
  | { readonly _tag: "Identification"; readonly type: string; readonly number: string }
  | { readonly _tag: "Email"; readonly address: string }
  | { readonly _tag: "Metadata"; readonly key: string; readonly value: string }

const markOf = (sql: SqlClient.SqlClient, mark: Mark) => {
  switch (mark._tag) {
    case "Identification":
      return sql`mark('identification', ${mark.type}, ${mark.number})`
    case "Email":
      return sql`mark('email', '', lower(${mark.address}))`
    case "Metadata":
      return sql`mark('metadata', ${mark.key}, ${mark.value})`
  }
}

/** The marks of a query's entries of metadata. */
export const metadataMarks = (metadata: Readonly<Record<string, string>> = {}): ReadonlyArray<Mark> =>
  Object.entries(metadata).map(([key, value]) => ({ _tag: "Metadata", key, value }))

/** The SQL condition of the rows of an account that have all of the marks; `among` limits the ids beforehand. */
export const marked = (
  sql: SqlClient.SqlClient,
  account: AccountMode,
  marks: ReadonlyArray<Mark>,
  among: Statement.Fragment = sql`true`
): ReadonlyArray<Statement.Fragment> =>
  marks.map(
    (mark) =>
      sql`id in (select id from marks where ${ofAccount(sql, account)} and mark = ${markOf(sql, mark)} and ${among})`
  )
