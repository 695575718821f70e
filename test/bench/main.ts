import { requestLog } from "./Alternation.ts"
import { option } from "../support/processes/CommandLine.ts"
import { costs } from "./Costs.ts"
import { closedLoop, type Receiver } from "./Load.ts"
import { percentile } from "./Machine.ts"
import { pipeline, spent } from "./Measures.ts"
import { peer, postgres, type Postgres, withSubject } from "./Places.ts"
import { ms, rate, rates, show, verdict } from "./Report.ts"
import { versions } from "./Versions.ts"
import { overload } from "./Overload.ts"
import { bytes, idle, processes, steadyLoads } from "./Size.ts"
import { growth, hundredAccounts, oneAccount, tenThousandAccounts, unsigned } from "./ServiceParts.ts"

/*
 * Measures in one run, on PostgreSQL with fsync on: the service, the least SQL that an invoice needs, a plain POST on
 * Fastify, and the same pipeline on two job queues. The load and the receivers run in this process.
 *
 *   npm run bench [-- --quick] [--only PART] [--few] [--profile <directory>]
 *   npm run bench -- --against <commit, or directory of another version> [--pairs 5] [--seconds 10] [--steady 150,400]
 *   npm run bench -- --only costs [--rate 150] [--seconds 20]
 *   npm run overload [-- --kinds capacity,create,limited,large,unknown] [--seconds 60] [--accounts 1]
 *                     [--tree <directory of another version>]
 *   npm run bench -- --only processes [--processes 1,2] [--accounts 20]
 *
 * Parts: fastify, floor, service, steady, accounts, growth, bytes, idle, log, queues. The parts costs and processes run
 * only with `--only`. `--few` skips the ten thousand accounts.
 */
const quick = process.argv.includes("--quick")
const only = option("only", "")
const wanted = (part: string) => only === "" || only === part
const invoices = quick ? 1_500 : 8_000

const withPeer = (
  database: Postgres,
  file: string,
  use: (subject: Awaited<ReturnType<typeof peer>>, hooks: Receiver) => Promise<void>
) => withSubject(database, (url, hooks) => peer(file, url, hooks), use)

const aShop = [{ key: "none", customer: "cust_01k0000000000000000000000a" }]

const plainFastify = (database: Postgres) =>
  withPeer(database, "peers/fastify.ts", async ({ cpu: used, target }) => {
    await closedLoop(target, aShop, { count: invoices, connections: 32 })
    for (const connections of [32, 128]) {
      const name = `Fastify, one INSERT, ${connections} connections`
      const { cpu, result } = await spent(database, { cpu: used }, invoices, () =>
        closedLoop(target, aShop, { count: invoices, connections })
      )
      const perSecond = invoices / result.seconds
      rates.set(name, perSecond)
      const [p50, p99] = [0.5, 0.99].map((p) => ms(percentile(result.took, p)))
      show(name, `${perSecond.toFixed(0)}/s p50 ${p50} p99 ${p99}; ${cpu}`)
    }
  })

const floor = (database: Postgres) =>
  withPeer(database, "peers/floor.ts", async (subject) => {
    await subject.run({ run: 1_000, ranges: 1 })
    for (const ranges of [1, 100]) {
      const name = `floor: one statement an invoice, ${ranges} range${ranges === 1 ? "" : "s"}`
      const { cpu, result } = await spent(database, subject, invoices, () => subject.run({ run: invoices, ranges }))
      rates.set(name, result.count / result.seconds)
      show(name, `${(result.count / result.seconds).toFixed(0)}/s; ${cpu}`)
    }
  })

const queue = (database: Postgres, file: string, name: string) =>
  withPeer(database, file, async ({ cpu, target }, hooks) => {
    const subject = { target, cpu, shops: aShop }
    const count = Math.ceil(invoices / 4)
    await pipeline("warm-up", database, subject, hooks, { connections: 32, count: Math.ceil(count / 4) })
    await pipeline(name, database, subject, hooks, { connections: 32, count })
  })

const against = option("against", "")
if (against !== "") {
  const [pairs, seconds] = [Number(option("pairs", "5")), Number(option("seconds", "10"))]
  await versions({ against, pairs, seconds, steady: option("steady", "150,250,400").split(",").map(Number) })
  process.exit(0)
}

if (only === "costs") {
  await costs({ rate: Number(option("rate", "150")), seconds: Number(option("seconds", "20")) })
  process.exit(0)
}

if (only === "overload") {
  await overload({
    seconds: option("seconds", ""),
    kinds: option("kinds", ""),
    accounts: Number(option("accounts", "1")),
    tree: option("tree", "")
  })
  process.exit(0)
}

if (only === "processes") {
  const counts = option("processes", "1,2").split(",").map(Number)
  await processes(counts, { accounts: Number(option("accounts", "20")), invoices, quick })
  process.exit(0)
}

const database = await postgres()
const run = { database, invoices, quick }
try {
  if (wanted("fastify")) await plainFastify(database)
  if (wanted("floor")) await floor(database)
  if (wanted("service")) {
    await oneAccount(run)
    await unsigned(run)
  }
  if (wanted("steady")) await steadyLoads(run)
  if (wanted("accounts")) {
    await hundredAccounts(run)
    if (!process.argv.includes("--few")) await tenThousandAccounts(run)
  }
  if (wanted("growth")) await growth(run)
  if (wanted("bytes")) await bytes(run)
  if (wanted("idle")) await idle(run)
  if (wanted("log")) await requestLog(run)
  if (wanted("queues")) {
    await queue(database, "peers/graphile.ts", "graphile-worker")
    await queue(database, "peers/pgboss.ts", "pg-boss")
  }
} finally {
  await database.stop()
}

const own = rate("service, 1 account, 32 connections")
verdict(
  "create / Fastify's plain INSERT, 32 connections",
  rate("service, 1 account, 32 connections create") / rate("Fastify, one INSERT, 32 connections"),
  1
)
verdict("whole way / the faster job queue", own / Math.max(rate("graphile-worker"), rate("pg-boss")), 4)
verdict(
  "whole way without signing / floor",
  rate("service, nothing signed, 32 connections") / rate("floor: one statement an invoice, 1 range"),
  0.35
)
verdict("p99 from POST to accepted at half the top rate, ms", rate("p99 at half"), 150, false)
verdict("one account / a hundred", own / rate("service, 100 accounts, 32 connections"), 0.8)
verdict("neighbours' p99 next to a backlog of one account / alone", rate("neighbours of a backlog"), 1.5, false)
verdict("neighbours' p99 next to a hanging receiver / alone", rate("neighbours of a hanging receiver"), 1.5, false)
verdict(
  "a million stored (100,000 if quick) / ten thousand",
  rate("service, many stored") / rate("service, ten thousand stored"),
  0.9
)
verdict(
  "CPU an invoice, a million stored (100,000 if quick) / ten thousand",
  rate("service, many stored CPU") / rate("service, ten thousand stored CPU"),
  1.15,
  false
)
verdict("database an invoice, kB", rate("kB an invoice"), 9, false)
verdict("idle, service and PostgreSQL, % of a core", rate("idle"), 0.5, false)
verdict("CPU an invoice with the request log / without", rate("request log masked / off"), 1.05, false)
process.exit(0)
