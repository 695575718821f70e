import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { hash } from "node:crypto"
import type { AccountMode } from "../../../schemas/Account.ts"
import { currentVersion } from "../../../schemas/Version.ts"
import { Accounts } from "../../../src/accounts/store/Accounts.ts"
import { Acquirers } from "../../../src/accounts/store/Acquirers.ts"
import { ApiKeys } from "../../../src/accounts/store/ApiKeys.ts"
import { Customers } from "../../../src/accounts/store/Customers.ts"
import { Idempotency } from "../../../src/accounts/store/Idempotency.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { Invoices } from "../../../src/invoices/store/Invoices.ts"
import { type StoredResolution, Resolutions } from "../../../src/accounts/store/Resolutions.ts"
import { Transitions } from "../../../src/invoices/store/Transitions.ts"
import { WebhookEndpoints } from "../../../src/webhooks/store/WebhookEndpoints.ts"
import { acquirer, layerOwner, restingAt, seedDrafts, seedEndpoint } from "./Owners.ts"
import { layerAdmin, freshDatabase, quiet } from "./Postgres.ts"

const store = Effect.gen(function* () {
  return {
    customers: yield* Customers,
    endpoints: yield* WebhookEndpoints,
    invoices: yield* Invoices,
    keys: yield* Idempotency
  }
})

const newAccount = Effect.gen(function* () {
  const id = yield* (yield* Ids).account
  const place = { address: "Calle 1", city_code: "11001", department_code: "11", country_code: "CO" } as const
  const issuer = { ...acquirer, ...place, email: "a@folio.test", tax_responsibilities: ["R-99-PN"] }
  const made = { id, name: id, issuer, default_version: currentVersion, created_at: new Date(), live: true }
  yield* (yield* Accounts).insert(made)
  return id
})

const range = {
  number: "1",
  document_type: "invoice",
  registered: false,
  prefix: "A",
  from_number: 1n,
  to_number: 9n,
  valid_from: "2026-01-01",
  valid_to: "2029-12-31",
  technical_key: "",
  is_active: true,
  next_number: 1n,
  held_since: null
} as const

/** A row of each table, for one account in one mode. */
const own = Effect.fnUntraced(function* (account: AccountMode) {
  const ids = yield* Ids
  const sql = yield* SqlClient.SqlClient
  const transitions = yield* Transitions
  const created_at = new Date()
  const at = { created_at, updated_at: created_at }

  const apiKey = yield* ids.apiKey
  yield* (yield* ApiKeys).insert({
    ...account,
    id: apiKey,
    mode: account.livemode ? "live" : "test",
    key: apiKey,
    created_at
  })
  const resolution: StoredResolution = { ...range, ...account, id: yield* ids.resolution, created_at }
  yield* (yield* Resolutions).insert(resolution)
  const customer = yield* ids.customer
  yield* (yield* Customers).create({
    customer: {
      ...account,
      id: customer,
      acquirer: { ...acquirer, email: "a@buyer.test" },
      metadata: {},
      external_id: "customer-1",
      ...at
    },
    claim: { api_key_id: apiKey, value: "customer", fingerprint: "" },
    by: { api_key_id: apiKey },
    answer: { status: 201, location: null, body: "" }
  })
  const endpoint = { ...account, id: yield* seedEndpoint(account, {}) }
  const bytes = Buffer.from("a picture")
  const picture = { sha256: hash("sha256", bytes, "hex"), media_type: "image/png", width: 1, height: 1, bytes } as const
  yield* (yield* Accounts).keepLogo(account, picture)
  yield* (yield* Acquirers).keep(account, acquirer.identification, { found: true, name: "Ana", email: null })

  const [invoice] = yield* seedDrafts(account.account_id, 1, "numbered", account.livemode)
  const key = { ...account, id: invoice }
  const signed = new Uint8Array(1)
  yield* transitions.move({
    key,
    version: 1,
    from: "numbered",
    command: "Sign",
    to: "signed",
    signed,
    ...restingAt("signed")
  })
  const event = { id: yield* ids.event, type: "invoice.failed", body: "", created_at } as const
  yield* transitions.move({
    key,
    version: 2,
    from: "signed",
    command: "Fail",
    to: "failed",
    event,
    ...restingAt("failed")
  })
  yield* sql`
    insert into attempts (account_id, livemode, delivery_id, number, trigger, started_at, duration_ms, response_headers,
      response_body)
    select account_id, livemode, id, 1, 'auto', now(), 1, '{}', '' from deliveries where object_id = ${invoice}`
  yield* sql`insert into acceptances ${sql.insert(key)}`
  yield* sql`
    insert into requests ${sql.insert({
      ...account,
      id: `req_${invoice.slice(4)}`,
      created_at,
      method: "GET",
      path: "/v1/customers",
      status: 200,
      duration_ms: 1,
      api_key_id: apiKey,
      objects: "{}",
      request_bytes: 0,
      response_bytes: 0
    })}`
  yield* sql`
    insert into notices ${sql.insert({
      ...account,
      id: `ntc_${invoice.slice(4)}`,
      kind: "endpoint_failing",
      object_id: "we_1",
      message: "m",
      message_es: "m"
    })}`
  return { account, apiKey, customer, invoice, endpoint }
})

/** The rows of an account in one mode: one of each table, and the ids that clients use. */
export type Owned = Effect.Success<ReturnType<typeof own>>

/** Two accounts, the first one in both modes. */
export class TwoAccounts extends Context.Service<
  TwoAccounts,
  {
    readonly mine: Owned
    /** The rows of the other mode and of the other account. */
    readonly others: ReadonlyArray<Owned>
    readonly store: Effect.Success<typeof store>
    /** A pool of the service with a single session. */
    readonly service: SqlClient.SqlClient
  }
>()("test/TwoAccounts") {
  /** Also provides a `SqlClient` of the superuser. */
  static readonly layer = Layer.unwrap(
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const session = PgClient.layer({
        url: Redacted.make(url),
        ssl: false,
        maxConnections: 1,
        startupParameters: { role: "folio_service" }
      })
      const service = Context.get(yield* Layer.build(session), SqlClient.SqlClient)
      const owner = yield* Layer.build(layerOwner(url))
      const seeded = yield* Effect.gen(function* () {
        const [first, second] = [yield* newAccount, yield* newAccount]
        const mine = yield* own({ account_id: first, livemode: false })
        const otherMode = yield* own({ account_id: first, livemode: true })
        const otherAccount = yield* own({ account_id: second, livemode: false })
        return { mine, others: [otherMode, otherAccount], store: yield* store }
      }).pipe(Effect.provideContext(owner))
      return Layer.mergeAll(Layer.succeed(TwoAccounts, { ...seeded, service }), layerAdmin(url), quiet)
    })
  )
}
