import { Array, Effect, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { AccountId } from "../../../schemas/Id.ts"
import { certificateContext } from "../../accounts/store/Certificates.ts"
import { answerContext } from "../../accounts/store/Idempotency.ts"
import { sandboxCertificateContext } from "../../accounts/store/sandbox/StoredCertificate.ts"
import { softwareContext } from "../../accounts/store/Softwares.ts"
import { rangeContext } from "../../accounts/store/Resolutions.ts"
import { testRangeContext } from "../../invoices/store/Enablements.ts"
import * as Query from "../../database/Query.ts"
import { secretContext } from "../../webhooks/store/WebhookEndpoints.ts"

/* Every value that `Secrets` has encrypted in the database, except the canary. */

type KeyOfRow = Readonly<Record<string, string>>

interface SealedColumn {
  readonly table: string
  readonly column: string
  /** The columns of the primary key, each with its type. */
  readonly key: Readonly<Record<string, string>>
  /** SQL condition: whether the value of a row is encrypted. */
  readonly isSealed: string
  readonly placeOf: (key: KeyOfRow) => string
}

const ofAccounts = (table: string, column: string, contextOf: (id: string, account: string) => string) => ({
  table,
  column,
  key: { account_id: "text", livemode: "boolean", id: "text" },
  isSealed: `${column} is not null`,
  placeOf: ({ account_id = "", id = "" }: KeyOfRow) => contextOf(id, account_id)
})

/** The encrypted columns of all tables. */
export const sealedColumns: ReadonlyArray<SealedColumn> = [
  ofAccounts("webhook_endpoints", "secret", secretContext),
  ofAccounts("certificates", "sealed", certificateContext),
  ofAccounts("softwares", "sealed", softwareContext),
  ofAccounts("resolutions", "technical_key_sealed", (id) => rangeContext({ id })),
  ofAccounts("enablements", "technical_key_sealed", (id, account) =>
    testRangeContext({ account_id: AccountId.make(account), id })
  ),
  {
    table: "sandbox_certificate",
    column: "sealed",
    key: { one: "boolean" },
    isSealed: "true",
    placeOf: () => sandboxCertificateContext
  },
  {
    table: "idempotency_keys",
    column: "body",
    key: { api_key_id: "text", value: "text" },
    isSealed: "sealed",
    placeOf: ({ api_key_id = "", value = "" }) => answerContext({ api_key_id, value })
  }
]

/** An encrypted value, with the key of its row and the place that it is encrypted for. */
export interface SealedValue {
  readonly key: KeyOfRow
  readonly secret: string
  readonly place: string
}

const Row = Schema.Struct({
  key: Schema.Record(Schema.String, Schema.String),
  secret: Schema.NullOr(Schema.String)
})

/**
 * Reads the encrypted values of a column in the order of the primary key, among the next `limit` rows after the row
 * `after`. `last` is the last row that was read; undefined if there are no more rows. A page costs the same however few
 * of the rows are encrypted.
 */
export const sealedPage = Effect.fnUntraced(function* (
  { column, isSealed, key, placeOf, table }: SealedColumn,
  after: KeyOfRow | undefined,
  limit: number
) {
  const sql = yield* SqlClient.SqlClient
  const names = Object.keys(key)
  const texts = names.map((name) => `'${name}', ${name}::text`).join(", ")
  const next = Object.entries(key).map(([name, type]) => sql`${after?.[name] ?? ""}::text::${sql.literal(type)}`)
  const beyond = after === undefined ? sql`true` : sql`(${sql.literal(names.join(", "))}) > (${sql.csv(next)})`
  const read = Query.all(
    Row,
    () => sql`
      select json_build_object(${sql.literal(texts)}) as key, case when ${sql.literal(isSealed)} then ${sql(column)} end as secret
      from ${sql(table)} where ${beyond} order by ${sql.literal(names.join(", "))} limit ${limit}`
  )
  const rows = yield* read()
  const values = rows.flatMap(({ key: of, secret }) =>
    secret === null ? [] : [{ key: of, secret, place: placeOf(of) }]
  )
  return { values, last: rows.length < limit ? undefined : rows.at(-1)?.key }
})

const isLockTaken = (error: SqlError.SqlError) => error.reason instanceof SqlError.LockTimeoutError

/**
 * Replaces an encrypted value, unless another transaction has changed or locked it meanwhile. Returns whether it
 * replaced the value.
 */
export const replaceSealed = Effect.fnUntraced(function* (
  { column, key, table }: SealedColumn,
  { key: of, secret }: SealedValue,
  sealed: string
) {
  const sql = yield* SqlClient.SqlClient
  const isRow = Object.entries(key).map(
    ([name, type]) => sql`${sql(name)} = ${of[name] ?? ""}::text::${sql.literal(type)}`
  )
  return yield* sql`
    update ${sql(table)} set ${sql(column)} = ${sealed} where ${sql.and(isRow)} and ${sql(column)} = ${secret} returning 1`.pipe(
    Effect.map(Array.isReadonlyArrayNonEmpty),
    Effect.catchIf(isLockTaken, () => Effect.succeed(false)),
    Effect.orDie
  )
})
