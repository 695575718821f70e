import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Array, Effect, Fiber, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { Acquirer } from "../../../schemas/Customer.ts"
import { AccountId, CustomerId, type InvoiceId, ResolutionId } from "../../../schemas/Id.ts"
import type { Line } from "../../../schemas/Line.ts"
import { currentVersion } from "../../../schemas/Version.ts"
import * as Store from "../../../src/service/Store.ts"
import { type InvoiceState, isOpen } from "../../../src/invoices/rules/InvoiceLifecycle.ts"
import { makeApiKey } from "../../../src/accounts/rules/ApiKeyFormat.ts"
import { localDate } from "../../../src/runtime/AuthorityTime.ts"
import { totalsOf } from "../../../src/documents/rules/Totals.ts"
import type { NewCustomer } from "../../../src/accounts/store/Customers.ts"
import { batchesRepeated } from "../../../src/runtime/Metrics.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { colombianSandbox } from "../../../src/documents/rules/parties/SandboxIds.ts"
import { createSandboxAccount } from "../../../src/accounts/store/sandbox/SandboxAccount.ts"
import { SecretKey } from "../../../src/database/Secrets.ts"
import { type StoredWebhookEndpoint, WebhookEndpoints } from "../../../src/webhooks/store/WebhookEndpoints.ts"
import { customerBody, invoiceBody, outcomeEvents } from "../apps/Invoices.ts"
import { secretKey } from "../apps/TestSettings.ts"
import { until } from "../apps/Until.ts"
import { colombia } from "../authority/LiveAccounts.ts"
import { connect, quiet } from "./Postgres.ts"
import { Limits } from "../../../src/runtime/Limits.ts"

// All owners share one key, like processes that share a database.
export const layerSecretKey = Layer.succeed(SecretKey, secretKey)

/**
 * An owner without actors: the store's services on the database at `url`, with its own pool and batchers. Two of them
 * are two processes that both believe they own the same rows.
 */
export const layerOwner = (url: string) => storeOn(connect(url))

/** The store's services on any pool. */
export const storeOn = <E>(pool: Layer.Layer<SqlClient.SqlClient, E>) =>
  Layer.fresh(
    Store.layer.pipe(
      Layer.provideMerge(Layer.mergeAll(pool, layerSecretKey, colombia, Limits.layer())),
      Layer.provideMerge(NodeCrypto.layer),
      Layer.provideMerge(quiet)
    )
  )

export const acquirer: Acquirer = {
  identification: { type: "31", number: "900000001", check_digit: "1" },
  legal_name: customerBody().legal_name,
  organization_type: "1"
}

/** The sandbox account, and its numbering range. */
export const seedAccount = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* createSandboxAccount(makeApiKey("test", new Uint8Array(32).fill(1)), colombianSandbox)
  const rows = yield* sql<{ account_id: string; id: string }>`select account_id, id from resolutions`
  return {
    account: { account_id: AccountId.make(rows[0]?.account_id ?? ""), livemode: false },
    resolution: ResolutionId.make(rows[0]?.id ?? "")
  }
})

/** Another account like this one. */
export const copyAccount = Effect.fnUntraced(function* (accountId: AccountId, other: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into accounts (id, created_at) values (${other}, now())`
  yield* sql`
    insert into account_modes (account_id, livemode, name, issuer, issuer_version, default_version)
    select ${other}, livemode, name, issuer, issuer_version, default_version from account_modes
    where account_id = ${accountId}`
})

/** A customer to create with a key. */
export const newCustomer = (
  account: AccountMode,
  id: string,
  claim: NewCustomer["claim"],
  body: string,
  external_id: string | null = null
): NewCustomer => {
  const at = new Date()
  const times = { created_at: at, updated_at: at }
  return {
    customer: { ...account, id: CustomerId.make(id), acquirer, metadata: {}, external_id, ...times },
    claim,
    by: claim,
    answer: { status: 201, location: null, body }
  }
}

/** The query for all invoices of an account, as for a list. */
export const everyInvoice = {
  kind: "invoice",
  invoice_id: null,
  status: null,
  customer_id: null,
  ids: null,
  full_numbers: null,
  cufe: null,
  external_id: null,
  metadata: {},
  from: null,
  to: null
} as const

const failure = { code: "internal_error", message: "It failed.", retryable: true } as const

/** The columns of a step to a state, besides its command. An open document stays inactive until an actor loads it. */
export const restingAt = (state: InvoiceState) => ({
  alarmMs: isOpen(state) ? Infinity : null,
  leaves: state === "submitted",
  ...(state === "failed" ? { failure } : {})
})

/** The columns of a row in a state, besides its number, as after such a step. */
export const conditionOf = (state: InvoiceState) => ({
  next_action_at: isOpen(state) ? "infinity" : null,
  submitted_at: ["submitted", "accepted_by_authority", "rejected_by_authority"].includes(state) ? new Date() : null,
  contingency_since: state === "accepted_contingency" ? new Date(Date.now() - 3_600_000) : null,
  failure: state === "failed" ? JSON.stringify(failure) : null
})

/** Invoices in order of creation: new drafts, or in a later state with a number. */
export const seedDrafts = Effect.fnUntraced(function* (
  accountId: AccountId,
  count: number,
  state: InvoiceState = "queued",
  livemode = false
) {
  const sql = yield* SqlClient.SqlClient
  const ids = yield* Ids
  const drafts = yield* Effect.forEach(Array.range(1, count), () => ids.invoice)
  const body = invoiceBody("cust_01k0000000000000000000000a")
  const row = {
    account_id: accountId,
    livemode,
    customer_id: body.customer_id,
    state,
    currency: body.currency,
    operation_type: body.operation_type,
    payment_means: JSON.stringify(body.payment_means),
    lines: JSON.stringify(body.lines),
    totals: JSON.stringify(totalsOf(body.lines as ReadonlyArray<Line>)),
    acquirer: JSON.stringify(acquirer),
    metadata: "{}",
    ...conditionOf(state),
    created_at: new Date(),
    updated_at: new Date()
  }
  const number = yield* numberFor(accountId, livemode)
  const hasNumber = state !== "queued" && state !== "canceled"
  const numbered = (id: InvoiceId, index: number) => (hasNumber ? number(id, index) : {})
  yield* sql`insert into invoices ${sql.insert(Array.map(drafts, (id, index) => ({ ...row, id, ...numbered(id, index) })))}`
  return drafts
})

/** Numbers beyond those that the range of an account can give. */
const numberFor = Effect.fnUntraced(function* (accountId: AccountId, livemode: boolean) {
  const sql = yield* SqlClient.SqlClient
  const [range] = yield* sql<{ id: string; prefix: string; next: bigint }>`
    select id, prefix, (select greatest(max(number), to_number) + 1 from invoices) as next from resolutions
    where account_id = ${accountId} and livemode = ${livemode} limit 1`
  return (id: InvoiceId, index: number) => {
    const number = (range?.next ?? 0n) + BigInt(index)
    return {
      resolution_id: range?.id,
      prefix: range?.prefix,
      number,
      full_number: `${range?.prefix}${number}`,
      cufe: `cufe of ${id}`,
      // Today's date: a document of another day gets a new date before it is signed.
      issue_date: localDate(Date.now()),
      issue_time: "10:00:00-05:00"
    }
  }
})

/** A newly registered webhook endpoint, with `change` applied; returns its id. */
export const seedEndpoint = Effect.fnUntraced(function* (
  account: AccountMode,
  change: Partial<StoredWebhookEndpoint>,
  secret = "whsec_c2VjcmV0"
) {
  const endpoints = yield* WebhookEndpoints
  const id = yield* (yield* Ids).webhookEndpoint
  const at = new Date()
  const endpoint: StoredWebhookEndpoint = {
    ...account,
    id,
    url: "https://example.com/hooks",
    description: null,
    subscribed_events: outcomeEvents,
    is_active: true,
    max_in_flight: 8,
    metadata: {},
    api_version: currentVersion,
    failing_since: null,
    last_success_at: null,
    full_since: null,
    created_at: at,
    updated_at: at,
    ...change
  }
  yield* endpoints.insert(endpoint, secret)
  return id
})

/**
 * Also returns the number of batches of that name that failed and were repeated meanwhile: the results do not show it,
 * because a repetition repairs them.
 */
export const withRepeats = Effect.fnUntraced(function* <A, E, R>(batch: string, effect: Effect.Effect<A, E, R>) {
  const count = Effect.map(Metric.value(batchesRepeated(batch)), (state) => Number(state.count))
  const before = yield* count
  const result = yield* effect
  return { result, repeats: (yield* count) - before }
})

export const rowCount = Effect.fnUntraced(function* (table: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ count: number }>`select count(*)::int as count from ${sql(table)}`
  return row?.count ?? 0
})

/** The sessions that wait for another session's lock, with a statement that holds `part` in its first kilobyte. */
export const blocked = Effect.fnUntraced(function* (part: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ pid: number }>`
    select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like ${`%${part}%`}`
  return rows.map((row) => row.pid)
})

/** Blocks all writes to `table` until `release`. */
export const holdTable = Effect.fnUntraced(function* (table: string) {
  const sql = yield* SqlClient.SqlClient
  const holder = yield* Effect.forkScoped(
    sql.withTransaction(Effect.andThen(sql`lock table ${sql(table)} in exclusive mode`, Effect.never)),
    { startImmediately: true }
  )
  yield* until(
    // Only in this database: a table has the same number in all copies of a database.
    sql`
      select 1 from pg_locks l join pg_database d on d.oid = l.database
      where d.datname = current_database() and l.mode = 'ExclusiveLock' and l.granted and l.relation = ${table}::regclass`,
    (rows) => rows.length === 1
  )
  return { release: Fiber.interrupt(holder) }
})
