import { Effect, Redacted } from "effect"
import * as EmbeddedPostgres from "../../src/runtime/postgres/EmbeddedPostgres.ts"
import * as Path from "node:path"
import { percentile } from "../bench/Machine.ts"
import { refused, rollingRestart, slowest } from "../support/traffic/RollingRestart.ts"
import { dataDirectory } from "../support/database/Postgres.ts"
import { option, runFinding, say } from "../support/processes/CommandLine.ts"
import { SeveralProcesses } from "../support/processes/SeveralProcesses.ts"

/**
 * Restarts each of three processes in turn behind a TCP balancer, under a constant load of clients that do not retry.
 * Prints the slowest responses; exits with 1 if a request was not accepted or took longer than three seconds.
 *
 *   npm run rolling -- [--rate 100] [--rounds 3] [--accounts 8] [--drain <seconds>] [--latency <ms of the simulated
 * authority>]
 */
// As in `npm start`: the next process reuses Node's compile cache.
process.env["NODE_COMPILE_CACHE"] ??= Path.resolve("node_modules/.cache/compiled")

const number = (name: string, standard: number) => Number(option(name, String(standard)))
const slowMs = 3_000
const seconds = (ms: number) => (ms / 1000).toFixed(1)

const database = Effect.gen(function* () {
  const { database: name, password, port, username } = yield* EmbeddedPostgres.start({ dataDir: yield* dataDirectory })
  return `postgres://${username}:${Redacted.value(password)}@127.0.0.1:${port}/${name}`
})

const env = { DRAIN_SECONDS: option("drain", "3"), SANDBOX_LATENCY_MS: option("latency", "0"), LOG_LEVEL: "Warn" }

const program = Effect.gen(function* () {
  const [rate, rounds] = [number("rate", 100), number("rounds", 3)]
  const { invoices, repeatedPosts, restarts, sent } = yield* rollingRestart({
    rate,
    rounds,
    accounts: number("accounts", 8)
  })
  for (const { asked, ended, ready } of restarts) {
    const during = sent.filter(({ at, milliseconds }) => at + milliseconds > asked && at < ready + 3_000)
    say(
      `stop requested at ${seconds(asked)} s, ended after ${seconds(ended - asked)} s, ready after ${seconds(ready - ended)} s more: ` +
        `${during.length} requests, slowest ${slowest(during, 3).join("; ")}`
    )
  }
  const all = sent.map(({ milliseconds }) => milliseconds)
  const [p50, p99] = [percentile(all, 0.5), percentile(all, 0.99)]
  say(`${sent.length} requests, ${invoices} invoices, ${repeatedPosts} webhooks repeated`)
  say(`p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms; slowest ${slowest(sent, 5).join("; ")}`)
  const slow = sent.filter(({ milliseconds }) => milliseconds > slowMs)
  return [...refused(sent), ...slowest(slow, 50)]
})

runFinding(
  Effect.tap(Effect.scoped(Effect.provide(program, SeveralProcesses.layerOn(database, 3, { env }))), (found) =>
    Effect.sync(() => {
      for (const line of found) say(line)
    })
  )
)
