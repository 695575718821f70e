import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import type { Client } from "../support/apps/Client.ts"
import { customerBody, invoiceBody } from "../support/apps/Invoices.ts"
import { until } from "../support/apps/Until.ts"
import { dataDirectory, freshDatabase } from "../support/database/Postgres.ts"
import { folioCommand } from "../support/processes/FolioCommand.ts"
import { serviceProcess } from "../support/processes/ServiceProcess.ts"

type Settings = Readonly<Record<string, string>>

/** Settings of a service with its own database. */
export const ownDatabase = Effect.gen(function* () {
  const DATABASE_URL = yield* freshDatabase
  return { DATABASE_URL, FOLIO_KEY: randomBytes(32).toString("base64"), LOG_LEVEL: "Warn" }
})

/** The program, running with these settings. */
export const running = Effect.fnUntraced(function* (program: string, env: Settings) {
  const service = yield* serviceProcess({ webhookAllow: "", env, program: [program] })
  yield* service.start()
  return service
})

const ofTienda = ["--nit", "900373115", "--legal-name", "Tienda", "--address", "Calle 1", "--city-code", "11001"]

/** Creates a live account as an operator does, and returns its key. */
export const accountOf = Effect.fnUntraced(function* (settings: Readonly<Record<string, string>>) {
  const more = ["--email", "tienda@example.com", "--vat-responsible", "yes", "--json"]
  const create = ["accounts", "create", "--mode", "live", ...ofTienda, ...more]
  const made = yield* folioCommand(create, { ...settings, DATA_DIR: yield* dataDirectory })
  assert.strictEqual(made.code, 0, made.error)
  return String(made.json.api_key.key)
})

let keys = 0
/** The response to a POST, which must have this status. */
export const posted = Effect.fnUntraced(function* (client: Client, path: string, body: unknown, status = 201) {
  const made = yield* client.post(path, body, { key: `example ${keys++}` })
  assert.strictEqual(made.status, status, made.text)
  return made.json
})

/** An invoice of a new customer. */
export const issued = Effect.fnUntraced(function* (
  client: Client,
  customer: object = customerBody(),
  change: object = {}
) {
  const { id } = yield* posted(client, "/v1/customers", customer)
  const made = yield* posted(client, "/v1/invoices", { ...invoiceBody(id), ...change }, 202)
  return `/v1/invoices/${made.id}`
})

/** The document with its outcome. A response other than 200 is retried: frequent queries may exceed the rate limit. */
export const settled = (client: Client, path: string) =>
  Effect.map(
    until(client.get(path), ({ json, status }) => status === 200 && json.status !== "draft"),
    ({ json }) => json
  )
