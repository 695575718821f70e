import type { SqlClient, Statement } from "effect/sql"
import type { AccountMode } from "../../schemas/Account.ts"
import * as Input from "./Input.ts"

export interface Key extends AccountMode {
  readonly id: string
}

/** The SQL condition for the rows of an account in one mode. */
export const ofAccount = (sql: SqlClient.SqlClient, { account_id, livemode }: AccountMode) =>
  sql`account_id = ${account_id} and livemode = ${livemode}`

/** The SQL condition for the row of a key. */
export const ofKey = (sql: SqlClient.SqlClient, key: Key) => sql`${ofAccount(sql, key)} and id = ${key.id}`

/** The SQL condition under which a row of `api_keys` is a usable API key. */
export const isUsableApiKey = "revoked_at is null and (expires_at is null or expires_at > now())"

/** The input table of keys: `account_id`, `livemode` and `id`. */
export const inputOfKeys = Input.make<Key>({
  account_id: ["text", (key) => key.account_id],
  livemode: ["boolean", (key) => key.livemode],
  id: ["text", (key) => key.id]
})

/** The input columns of an item's key. */
export const keyColumns: Input.Columns<{ readonly key: Key }> = {
  account_id: ["text", ({ key }) => key.account_id],
  livemode: ["boolean", ({ key }) => key.livemode],
  id: ["text", ({ key }) => key.id]
}

/** The SQL of the columns in a row's schema, each with the prefix of its table, if given. */
export const columnsOf = (sql: SqlClient.SqlClient, row: { readonly fields: object }, table?: string) => {
  const names = Object.keys(row.fields)
  return sql.literal((table === undefined ? names : names.map((name) => `${table}.${name}`)).join(", "))
}

/**
 * A searchable value: the identification or the email address of a customer, or a metadata entry of a customer or a
 * document. Triggers maintain the table `marks`, which contains all marks.
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

/** The marks of a query's metadata entries. */
export const metadataMarks = (metadata: Readonly<Record<string, string>> = {}): ReadonlyArray<Mark> =>
  Object.entries(metadata).map(([key, value]) => ({ _tag: "Metadata", key, value }))

/** The SQL conditions for an account's rows with all of the marks. `among` limits the ids in the search. */
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
