import { Effect, Schedule } from "effect"
import { randomBytes } from "node:crypto"
import { type Client, makeClient } from "../support/apps/Client.ts"
import { softwareSettings } from "../support/authority/LiveAccounts.ts"
import { freePort, programAt } from "../support/processes/ServiceProcess.ts"
import { type Database, database } from "./Database.ts"
import { type Supervised, supervised } from "./Fleet.ts"
import { receivers } from "./parties/Receivers.ts"
import { scriptedAuthority } from "./parties/ScriptedAuthority.ts"
import { openShops } from "./parties/Shops.ts"

export const processes = 2

/**
 * Two supervised processes on one database, an authority, receivers with their endpoints, and shops. The hostile
 * client's shop is separate. No load runs yet.
 */
export const world = Effect.fnUntraced(function* (
  options: {
    readonly env?: (process: number) => Record<string, string>
    readonly nodeOptions?: ReadonlyArray<string>
  } = {}
) {
  const db = yield* database
  const authority = yield* scriptedAuthority
  const hooks = yield* receivers
  const secretKey = randomBytes(32).toString("base64")
  const start = Effect.fnUntraced(function* (index: number) {
    return yield* supervised(`process ${index + 1}`, {
      webhookAllow: hooks.allow,
      program: [...(options.nodeOptions ?? []), programAt("test/soak/serviceMain.ts")],
      env: {
        CLUSTER: "socket",
        RUNNER_PORT: String(yield* freePort),
        DATABASE_URL: db.url,
        FOLIO_KEY: secretKey,
        AUTHORITY_URL: authority.url,
        ...softwareSettings,
        ...options.env?.(index)
      }
    })
  })
  const first = yield* start(0)
  const fleet: ReadonlyArray<Supervised> = [first, yield* start(1)]
  const client = (process: number, apiKey: string): Client => makeClient(fleet[process]!.service.url, apiKey)

  const all = yield* openShops(db.rows, first.service.client().apiKey, (apiKey) => client(0, apiKey))
  const shops = all.slice(0, -1)
  const hostile = all.at(-1)!
  const endpoints = [
    ["A", "healthy", 16],
    ["A", "failing", 8],
    ["A live", "healthy", 4],
    ["B", "healthy", 8],
    ["B", "hanging", 8],
    ["C", "slow", 8],
    ["C", "healthy", 1]
  ] as const
  for (const [name, manner, maxInFlight] of endpoints) {
    const shop = shops.find((one) => one.name === name)!
    yield* hooks.register(client(0, shop.apiKey), shop, manner, maxInFlight)
  }
  return { database: db, authority, receivers: hooks, fleet, client, shops, hostile }
})

/** Documents, emails and deliveries without a final status. */
export const leftToDo = (db: Database) =>
  Effect.map(
    db.rows<{ invoices: number; emails: number; deliveries: number }>(
      `select (select count(*)::int from invoices where next_action_at is not null) as invoices,
         (select count(*)::int from emails where status = 'pending') as emails,
         (select count(*)::int from deliveries where status = 'pending') as deliveries`
    ),
    ([left]) => left ?? { invoices: 0, emails: 0, deliveries: 0 }
  )

// A scheduled delivery, not the lease of an attempt: a worker holds the lease.
const shorten = [
  `update deliveries set next_attempt_at = now()
   where status = 'pending' and next_attempt_at > now() and next_attempt_at < 'infinity' and worker is null`,
  "update emails set next_attempt_at = now() where status = 'pending' and next_attempt_at > now() and worker is null",
  "update invoices set next_action_at = now() where next_action_at > now() + interval '20 seconds' and worker is null"
]

/**
 * Shortens waits of half a minute to half an hour to two seconds. It never shortens a lease: a second owner would send
 * the document or the delivery again.
 */
export const passTime = (db: Database) =>
  Effect.forEach(shorten, (statement) => db.rows(statement), { discard: true }).pipe(
    Effect.ignore,
    Effect.repeat(Schedule.spaced("2 seconds"))
  )
