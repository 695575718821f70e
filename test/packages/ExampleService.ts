import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import type { Client } from "../support/apps/Client.ts"
import { customerBody, invoiceBody } from "../support/apps/Invoices.ts"
import { until } from "../support/apps/Until.ts"
import { freshDatabase } from "../support/database/Postgres.ts"
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
