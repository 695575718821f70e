import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { customerBody, endpointBody } from "../../support/apps/Invoices.ts"
import { until } from "../../support/apps/Until.ts"
import { dataDirectory, embedded, queryAs } from "../../support/database/Postgres.ts"
import { isDone, type Journal, openWork, reconcile } from "../../support/database/Reconcile.ts"
import { allRequests, type Seen } from "../../support/traffic/AllRequests.ts"
import { type ServiceProcess, serviceProcess } from "../../support/processes/ServiceProcess.ts"
import { receiver, type Receiver } from "../../support/receiver/Receiver.ts"
import { describeLive } from "../../support/Tests.ts"

/** A service, and the process id of its PostgreSQL. */
class Served extends Context.Service<
  Served,
  { readonly service: ServiceProcess; readonly receiver: Receiver; readonly postmaster: Effect.Effect<number> }
>()("test/Served") {
  /** With the embedded PostgreSQL, which the service restarts. */
  static readonly embedded = Layer.effect(
    Served,
    Effect.gen(function* () {
      const one = yield* receiver
      const service = yield* serviceProcess({ webhookAllow: `127.0.0.1:${one.port}` })
      yield* service.start()
      return { service, receiver: one, postmaster: service.postmaster }
    })
  )

  /** With a PostgreSQL of this test, which is external to the service and restarts separately. */
  static readonly external = Layer.effect(
    Served,
    Effect.gen(function* () {
      const one = yield* receiver
      const dataDir = yield* dataDirectory
      const { owner } = yield* embedded(dataDir)
      const service = yield* serviceProcess({
        webhookAllow: `127.0.0.1:${one.port}`,
        env: { DATABASE_URL: owner, FOLIO_KEY: randomBytes(32).toString("base64") }
      })
      yield* service.start()
      const pidFile = Path.join(dataDir, "postgres/postmaster.pid")
      // The file does not exist between an end and the next start.
      const postmaster = Effect.orElseSucceed(
        Effect.try(() => Number(Fs.readFileSync(pidFile, "utf8").split("\n")[0])),
        () => 0
      )
      return { service, receiver: one, postmaster }
    })
  )
}

// The time limit of a request, and a margin for a busy machine.
const slowMs = 20_000

/** Whether a response is the request's normal response, or 503 with a time to retry. */
const isRight = ({ milliseconds, retryAfter, status, text, what }: Seen) => {
  if (milliseconds > slowMs) return false
  if (what === "live" || what === "metrics" || what === "reference") return status === 200
  if (what === "wrong key" && status === 401) return true
  if (status === 503) return retryAfter !== null && !/"code":"(?!service_unavailable)/.test(text)
  return what !== "wrong key" && status >= 200 && status < 300
}

// The embedded server is killed. The external server is stopped with a fast or immediate shutdown.
const kinds = [
  { kind: "embedded", layer: Served.embedded, signals: ["SIGKILL"] },
  { kind: "external", layer: Served.external, signals: ["SIGINT", "SIGQUIT"] }
] as const

for (const { kind, layer, signals } of kinds) {
  describeLive(layer)(`An ${kind} PostgreSQL under requests of every kind`, (it) => {
    it.effect("causes only 503 with Retry-After while it restarts, and nothing is lost or done twice", function* () {
      const { postmaster, receiver: hooks, service } = yield* Served
      const client = service.client()
      const journal: Journal = new Map()
      yield* client.post("/v1/webhook-endpoints", endpointBody(hooks.url("/hooks")))
      const { json } = yield* client.post("/v1/customers", customerBody(), { key: "customer" })
      const load = yield* allRequests({ url: service.url, client, customer: json.id, journal, concurrency: 2 })
      for (const signal of signals) {
        const before = journal.size
        yield* until(
          Effect.sync(() => journal.size),
          (size) => size >= before + 10
        )
        const pid = yield* postmaster
        process.kill(pid, signal)
        yield* until(
          Effect.orElseSucceed(postmaster, () => 0),
          (now) => now > 0 && now !== pid
        )
        yield* until(service.ready, (status) => status === 200)
      }
      const more = journal.size + 5
      yield* until(
        Effect.sync(() => journal.size),
        (size) => size >= more
      )
      yield* load.stop
      const wrong = load.seen
        .filter((one) => !isRight(one))
        .map(
          ({ milliseconds, retryAfter, status, text, what }) =>
            `${what}: ${status} after ${milliseconds.toFixed(0)} ms, Retry-After ${retryAfter}, ${text}`
        )
      assert.deepStrictEqual(wrong.slice(0, 20), [])
      const refused = new Set(load.seen.filter(({ status }) => status === 503).map(({ what }) => what))
      assert.isAbove(refused.size, 0, "the requests met the restarts")
      yield* until(openWork(service), isDone, "180 seconds", "100 millis")
      const { invoices } = yield* reconcile({ service, journal, receiver: hooks, before: new Map() })
      assert.strictEqual(invoices, journal.size)
    })
  })
}

describeLive(Layer.empty)("A database that rejects sessions", (it) => {
  it.effect("causes 503 until it accepts them, with one log line for each reason", function* () {
    const service = yield* serviceProcess({ webhookAllow: "" })
    yield* service.start()
    const read = (file: string) => Fs.readFileSync(Path.join(service.dataDir, file), "utf8")
    const port = read("postgres/postmaster.pid").split("\n")[3]
    const admin = `postgres://postgres:${read("postgres.password").trim()}@127.0.0.1:${port}/postgres`
    const endSessions = queryAs(
      admin,
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'folio' and pid <> pg_backend_pid()"
    )
    const isRefused = Effect.gen(function* () {
      const { headers, json, status } = yield* service.client().get("/v1/account")
      return status === 503 && headers.get("retry-after") === "1" && /accepts no sessions/.test(json.error.message)
    })
    for (const [refuse, accept] of [
      ["alter database folio allow_connections false", "alter database folio allow_connections true"],
      ["alter role folio password 'another'", `alter role folio password '${read("folio.password").trim()}'`]
    ] as const) {
      yield* queryAs(admin, refuse)
      yield* endSessions
      yield* until(isRefused, (refused) => refused)
      for (let asked = 0; asked < 20; asked++) assert.isTrue(yield* isRefused)
      yield* queryAs(admin, accept)
      yield* until(service.client().get("/v1/account"), ({ status }) => status === 200)
    }
    const lines = (yield* service.log).split("\n").filter((line) => /The database refuses sessions/.test(line))
    assert.lengthOf(lines, 2)
    assert.match(lines[0]!, /not currently accepting connections/)
    assert.match(lines[1]!, /password authentication failed/)
    assert.notMatch(yield* service.log, /Request failed[^\n]*(?:not currently accepting|password authentication)/)
  })
})
