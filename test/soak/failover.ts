import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Array, Console, Effect, Fiber, Redacted, References, Schedule } from "effect"
import { randomBytes } from "node:crypto"
import { Pool } from "undici"
import { colombianSandbox } from "../../src/documents/rules/parties/SandboxIds.ts"
import { apiKeyHash, makeApiKey } from "../../src/accounts/rules/ApiKeyFormat.ts"
import * as EmbeddedPostgres from "../../src/runtime/postgres/EmbeddedPostgres.ts"
import { customerBody, invoiceBody } from "../support/apps/Invoices.ts"
import { percentile } from "../bench/Machine.ts"
import { dataDirectory } from "../support/database/Postgres.ts"
import { option } from "../support/processes/CommandLine.ts"
import { freePort, type ServiceProcess, serviceProcess } from "../support/processes/ServiceProcess.ts"
import { until } from "../support/apps/Until.ts"

/**
 * Measures how long an account is unavailable when its owning process dies, and whether owners lose shards without a
 * death. Two processes run under full load, and their event loops hang for `--stall` milliseconds about once a second.
 * First no process is killed for `--seconds`; then one process is killed `--kills` times.
 *
 *   npm run failover -- [--kills 10] [--seconds 60] [--stall 200] [--accounts 8] [--connections 24]
 */
const number = (name: string, standard: number) => Number(option(name, String(standard)))
const kills = number("kills", 10)
const seconds = number("seconds", 60)
const stall = number("stall", 200)
const accounts = number("accounts", 8)
const connections = number("connections", 24)
const freeze = process.argv.includes("--freeze")

const seconds1 = (ms: number) => (ms / 1000).toFixed(1)

const database = Effect.gen(function* () {
  const { database: name, password, port, username } = yield* EmbeddedPostgres.start({ dataDir: yield* dataDirectory })
  return `postgres://${username}:${Redacted.value(password)}@127.0.0.1:${port}/${name}`
})

/** Sends a request; returns its status, or 0 without a response. */
const post = (service: Pool, key: string, path: string, body: unknown, idempotencyKey: string) =>
  Effect.promise(async () => {
    try {
      const answer = await service.request({
        method: "POST",
        path,
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "idempotency-key": idempotencyKey
        },
        body: JSON.stringify(body)
      })
      const text = await answer.body.text()
      return { status: answer.statusCode, id: answer.statusCode < 300 ? String(JSON.parse(text).id) : "" }
    } catch {
      return { status: 0, id: "" }
    }
  })

const program = Effect.gen(function* () {
  const url = yield* database
  const session = yield* PgConnection.make({
    url: Redacted.make(url),
    ssl: false,
    startupParameters: { role: "folio_service" }
  })
  const secretKey = randomBytes(32).toString("base64")
  const start = Effect.gen(function* () {
    const service = yield* serviceProcess({
      webhookAllow: "",
      env: {
        CLUSTER: "socket",
        DATABASE_URL: url,
        FOLIO_KEY: secretKey,
        RUNNER_PORT: String(yield* freePort),
        STALL_MS: String(stall)
      }
    })
    yield* service.start({ point: "before-create", hit: 0 })
    return service
  })
  const services = [yield* start, yield* start] as const
  const pools = services.map((service) => new Pool(service.url, { connections: 64, pipelining: 1 }))
  const poolOf = (service: ServiceProcess) => pools[services.indexOf(service as (typeof services)[0])]!
  const otherOf = (service: ServiceProcess) => (service === services[0] ? services[1] : services[0])

  // More accounts like the sandbox account, so that each process owns some.
  const copy = Effect.fnUntraced(function* (index: number) {
    const key = makeApiKey("test", randomBytes(32))
    const suffix = String(index).padStart(2, "0")
    for (const statement of [
      `insert into accounts select left(id, 28) || '${suffix}', created_at from accounts order by created_at, id limit 1`,
      `insert into account_modes (account_id, livemode, name, issuer, issuer_version, default_version)
       select left(account_id, 28) || '${suffix}', m.livemode, m.name, m.issuer, m.issuer_version, m.default_version
       from account_modes m join accounts a on a.id = account_id order by a.created_at, a.id, m.livemode limit 1`,
      `insert into api_keys select left(id, 28) || '${suffix}', left(account_id, 28) || '${suffix}', livemode,
         '${apiKeyHash(key)}', last_four, created_at from api_keys order by created_at, id limit 1`,
      `insert into resolutions select left(account_id, 28) || '${suffix}', livemode, id, number, document_type, prefix,
         from_number, to_number, valid_from, valid_to, '${colombianSandbox.range.technical_key}', is_active, from_number, created_at
       from resolutions order by created_at, account_id limit 1`
    ]) {
      yield* session.query(statement)
    }
    const { id } = yield* post(pools[0]!, key, "/v1/customers", customerBody(), "customer")
    return { key, customer: id }
  })
  const all = yield* Effect.forEach(Array.range(0, accounts - 1), copy)

  // The load: each connection uses one process, and changes to another one if it does not respond.
  let acknowledged = 0
  const statuses = new Map<number, number>()
  let longest = 0
  const issue = (connection: number) => {
    let turn = connection
    let made = 0
    return Effect.suspend(() => {
      const { customer, key } = all[(made * connections + connection) % all.length]!
      const name = `${connection}-${made++}`
      return Effect.suspend(() => {
        const began = performance.now()
        return Effect.map(post(pools[turn % 2]!, key, "/v1/invoices", invoiceBody(customer), name), ({ status }) => {
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          longest = Math.max(longest, performance.now() - began)
          if (status === 0) turn += 1
          return status
        })
      }).pipe(
        Effect.repeat({ until: (status) => status === 202, schedule: Schedule.spaced("50 millis") }),
        Effect.map(() => (acknowledged += 1))
      )
    }).pipe(Effect.forever)
  }
  const load = yield* Effect.forkScoped(
    Effect.forEach(Array.range(0, connections - 1), issue, { concurrency: "unbounded" })
  )
  const told = () => {
    const text = [...statuses].map(([status, count]) => `${status === 0 ? "no answer" : status}: ${count}`).join(", ")
    statuses.clear()
    const slowest = seconds1(longest)
    longest = 0
    return `${text}; slowest ${slowest} s`
  }

  // Number of shards by owner, as the server reports it.
  const holders = Effect.map(
    session.query(
      "select pid || ':' || count(*) as held from pg_locks where locktype = 'advisory' and objsubid = 2 and granted group by pid order by pid"
    ),
    (result) => result.rows.map((row) => String(row["held"])).join(" ")
  )
  const unhealthy = Effect.map(
    Effect.forEach(services, (service) => service.log),
    (logs) => logs.join("\n").split("Shard lock storage is unhealthy").length - 1
  )

  yield* until(holders, (held) => held.split(" ").length === 2)
  yield* Effect.sleep("3 seconds")
  told()
  let seen = yield* holders
  let moves = 0
  const quiet = performance.now()
  const before = acknowledged
  yield* holders.pipe(
    Effect.map((now) => {
      if (now !== seen) moves += 1
      seen = now
    }),
    Effect.repeat({ until: () => performance.now() - quiet > seconds * 1000, schedule: Schedule.spaced("200 millis") })
  )
  const rate = (acknowledged - before) / seconds
  yield* Console.log(
    `no kill for ${seconds} s: ${rate.toFixed(0)} invoices/s; shards moved ${moves} times, locks lost ${yield* unhealthy} times; ${told()}`
  )

  const away: Array<number> = []
  for (const kill of Array.makeBy(kills, (index) => index + 1)) {
    const victim = services[kill % 2]!
    const survivor = otherOf(victim)
    yield* victim.signal(freeze ? "SIGSTOP" : "SIGKILL")
    const began = performance.now()
    const times = yield* Effect.forEach(
      all,
      ({ customer, key }) =>
        post(poolOf(survivor), key, "/v1/invoices", invoiceBody(customer), `kill ${kill}`).pipe(
          Effect.repeat({ until: ({ status }) => status === 202, schedule: Schedule.spaced("50 millis") }),
          Effect.map(() => performance.now() - began)
        ),
      { concurrency: "unbounded" }
    )
    // The survivor answers immediately for the accounts that it already owns.
    const owned = times.filter((time) => time > 1_500)
    away.push(...owned)
    yield* Console.log(
      `kill ${kill}: ${owned.length} of ${accounts} accounts unavailable, for ${owned.map(seconds1).join(" ")} s; ${told()}`
    )
    if (freeze) yield* victim.signal("SIGCONT")
    else yield* Effect.andThen(victim.ended, victim.start({ point: "before-create", hit: 0 }))
    yield* until(holders, (held) => held.split(" ").length === 2)
    yield* Effect.sleep("2 seconds")
    told()
  }
  yield* Console.log(
    `unavailable: p50 ${seconds1(percentile(away, 0.5))} s, p95 ${seconds1(percentile(away, 0.95))} s, max ${seconds1(percentile(away, 1))} s of ${away.length}; locks lost ${yield* unhealthy} times`
  )
  yield* Fiber.interrupt(load)
  yield* Effect.promise(() => Promise.all(pools.map((pool) => pool.destroy())))
}).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None"))

NodeRuntime.runMain(program)
