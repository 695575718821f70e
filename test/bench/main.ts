import { closedLoop, openLoop, type Posted, receiver, type Receiver, type Shop } from "./Load.ts"
import { ownMs, percentile, until } from "./Machine.ts"
import { peer, postgres, type Postgres, service, type Service } from "./Places.ts"

/*
 * One table from one run: the service, the least SQL that an invoice needs, a plain POST on Fastify, and the same pipeline on two
 * job queues, all on the same kind of PostgreSQL with fsync on. The load and the receivers are this process.
 *
 *   npm run bench [-- --quick] [--only service]
 */
const quick = process.argv.includes("--quick")
const only = process.argv[process.argv.indexOf("--only") + 1]
const wanted = (part: string) => !process.argv.includes("--only") || only === part
const invoices = quick ? 1_500 : 8_000
const rates = new Map<string, number>()
const say = (line: string) => void process.stdout.write(`${line}\n`)

interface Subject {
  readonly target: { readonly base: string; readonly path: string }
  readonly shops: ReadonlyArray<Shop>
  readonly cpu: () => number
}

const ms = (value: number) => `${value.toFixed(0)} ms`

/** CPU time of the parties per invoice, while something runs. */
const spent = async <A>(
  database: Postgres,
  subject: { readonly cpu: () => number },
  count: number,
  work: () => Promise<A>
) => {
  const before = [subject.cpu(), database.cpu(), ownMs()] as const
  const result = await work()
  const [own, sql, load] = [subject.cpu() - before[0], database.cpu() - before[1], ownMs() - before[2]]
  const each = (value: number) => (value / count).toFixed(2)
  return { result, cpu: `CPU ms an invoice: program ${each(own)}, PostgreSQL ${each(sql)}, load ${each(load)}` }
}

const latencies = (posted: Posted, hooks: Receiver) =>
  [...posted.at].map(([id, at]) => (hooks.arrived.get(id) ?? Number.POSITIVE_INFINITY) - at)

const allArrived = (posted: Posted, hooks: Receiver) =>
  until(() => [...posted.at.keys()].every((id) => hooks.arrived.has(id)), "every webhook has arrived", 600_000)

/** POST → accepted → webhook received, as many as go. Notes the rates of creating and of the whole way. */
const pipeline = async (
  name: string,
  database: Postgres,
  subject: Subject,
  hooks: Receiver,
  connections: number,
  count = invoices
) => {
  const begin = performance.now()
  const { cpu, result } = await spent(database, subject, count, async () => {
    const posted = await closedLoop(subject.target, subject.shops, { count, connections })
    await allArrived(posted, hooks)
    return posted
  })
  const seconds = (performance.now() - begin) / 1000
  const waits = latencies(result, hooks)
  rates.set(`${name} create`, count / result.seconds)
  rates.set(name, count / seconds)
  say(
    `${name.padEnd(46)} create ${(count / result.seconds).toFixed(0)}/s p50 ${ms(percentile(result.took, 0.5))} p95 ${ms(percentile(result.took, 0.95))} p99 ${ms(percentile(result.took, 0.99))}; ` +
      `whole way ${(count / seconds).toFixed(0)}/s p50 ${ms(percentile(waits, 0.5))} p99 ${ms(percentile(waits, 0.99))}; ${cpu}`
  )
}

const steady = async (name: string, subject: Subject, hooks: Receiver, rate: number, seconds: number) => {
  const posted = await openLoop(subject.target, subject.shops, { rate, seconds })
  await allArrived(posted, hooks)
  const waits = latencies(posted, hooks)
  const p99 = percentile(waits, 0.99)
  say(
    `${name.padEnd(46)} ${rate.toFixed(0)}/s for ${seconds} s: webhook after p50 ${ms(percentile(waits, 0.5))} p99 ${ms(p99)}`
  )
  return p99
}

const withService = async (
  database: Postgres,
  options: { readonly accounts: number; readonly sign?: string },
  use: (subject: Service, hooks: Receiver) => Promise<void>
) => {
  const hooks = await receiver()
  const url = await database.database()
  const subject = await service({ url, sign: options.sign ?? "real", accounts: options.accounts }, hooks)
  try {
    await pipeline("warm-up", database, subject, hooks, 32, Math.min(1_000, invoices))
    await use(subject, hooks)
  } finally {
    await subject.stop()
    hooks.close()
    await database.drop(url)
  }
}

const withPeer = async (
  database: Postgres,
  file: string,
  sign: string,
  use: (subject: Awaited<ReturnType<typeof peer>>, hooks: Receiver) => Promise<void>
) => {
  const hooks = await receiver()
  const url = await database.database()
  const subject = await peer(file, { url, sign }, hooks)
  try {
    await use(subject, hooks)
  } finally {
    await subject.stop()
    hooks.close()
    await database.drop(url)
  }
}

const aShop = [{ key: "none", customer: "cust_01k0000000000000000000000a" }]

const plainFastify = (database: Postgres) =>
  withPeer(database, "peers/fastify.ts", "real", async ({ cpu: used, target }) => {
    const subject = { target, cpu: used, shops: aShop }
    await closedLoop(target, aShop, { count: invoices, connections: 32 })
    for (const connections of [32, 128]) {
      const name = `Fastify, one INSERT, ${connections} connections`
      const { cpu, result } = await spent(database, subject, invoices, () =>
        closedLoop(target, aShop, { count: invoices, connections })
      )
      rates.set(name, invoices / result.seconds)
      say(
        `${name.padEnd(46)} ${(invoices / result.seconds).toFixed(0)}/s p50 ${ms(percentile(result.took, 0.5))} p99 ${ms(percentile(result.took, 0.99))}; ${cpu}`
      )
    }
  })

const floor = (database: Postgres) =>
  withPeer(database, "peers/floor.ts", "real", async (subject) => {
    await subject.run({ run: 1_000, ranges: 1 })
    for (const ranges of [1, 100]) {
      const name = `floor: one statement an invoice, ${ranges} range${ranges === 1 ? "" : "s"}`
      const { cpu, result } = await spent(database, subject, invoices, () => subject.run({ run: invoices, ranges }))
      rates.set(name, result.count / result.seconds)
      say(`${name.padEnd(46)} ${(result.count / result.seconds).toFixed(0)}/s; ${cpu}`)
    }
  })

const queue = (database: Postgres, file: string, name: string) =>
  withPeer(database, file, "real", async ({ cpu, target }, hooks) => {
    const subject = { target, cpu, shops: aShop }
    const count = Math.ceil(invoices / 4)
    await pipeline("warm-up", database, subject, hooks, 32, Math.ceil(count / 4))
    await pipeline(name, database, subject, hooks, 32, count)
  })

const oneAccount = (database: Postgres) =>
  withService(database, { accounts: 1 }, async (subject, hooks) => {
    await pipeline("service, 1 account, 32 connections", database, subject, hooks, 32)
    await pipeline("service, 1 account, 128 connections", database, subject, hooks, 128)
    const half = (rates.get("service, 1 account, 32 connections") ?? 0) / 2
    rates.set(
      "p99 at half the rate",
      await steady("service, half of its top rate", subject, hooks, half, quick ? 5 : 20)
    )
    const begin = performance.now()
    const one = { key: subject.shops[0]!.key, customer: subject.shops[0]!.customer }
    await closedLoop(subject.target, [one], { count: invoices, connections: 32, once: "replayed" })
    say(
      `${"service, replays of one answer".padEnd(46)} ${(invoices / ((performance.now() - begin) / 1000)).toFixed(0)}/s`
    )

    subject.order({ authority: "down" })
    const held = await closedLoop(subject.target, subject.shops, { count: invoices / 2, connections: 32 })
    const waiting = () =>
      subject.database.query(
        "select count(*)::integer as n from invoices where state <> 'submitted' and next_action_at is not null"
      )
    await until(async () => (await waiting()).rows[0].n === 0, "every document waits for the authority", 120_000)
    subject.order({ authority: "up" })
    const from = performance.now()
    await subject.database.query("update invoices set next_action_at = now() where next_action_at is not null")
    await allArrived(held, hooks)
    say(
      `${"service, backlog after an outage".padEnd(46)} ${(invoices / 2 / ((performance.now() - from) / 1000)).toFixed(0)}/s`
    )
  })

const hundredAccounts = (database: Postgres) =>
  withService(database, { accounts: 100 }, async (subject, hooks) => {
    await pipeline("service, 100 accounts, 32 connections", database, subject, hooks, 32)
    const rate = (rates.get("service, 100 accounts, 32 connections") ?? 0) / 3
    const others = { ...subject, shops: subject.shops.slice(1) }
    const seconds = quick ? 5 : 15
    const alone = await steady("service, 99 accounts by themselves", others, hooks, rate, seconds)
    await subject.endpoint(subject.shops[0]!, "/hang")
    const backlog = closedLoop(subject.target, [subject.shops[0]!], { count: 200, connections: 8 })
    const beside = await steady("service, 99 beside a receiver that hangs", others, hooks, rate, seconds)
    await backlog
    rates.set("neighbours of a hanging receiver", beside / alone)
  })

const unsigned = (database: Postgres) =>
  withService(database, { accounts: 1, sign: "noop" }, (subject, hooks) =>
    pipeline("service, nothing signed, 32 connections", database, subject, hooks, 32)
  )

const rate = (name: string) => rates.get(name) ?? Number.NaN
const verdict = (name: string, value: number, target: number, atLeast = true) =>
  say(
    `${(atLeast ? value >= target : value <= target) ? "ok    " : "MISSED"} ${name.padEnd(64)} ${value.toFixed(2)} (${atLeast ? "at least" : "at most"} ${target})`
  )

const database = await postgres()
try {
  if (wanted("fastify")) await plainFastify(database)
  if (wanted("floor")) await floor(database)
  if (wanted("service")) {
    await oneAccount(database)
    await hundredAccounts(database)
    await unsigned(database)
  }
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
verdict("p99 of the whole way at half the top rate, ms", rate("p99 at half the rate"), 150, false)
verdict("one account / a hundred", own / rate("service, 100 accounts, 32 connections"), 0.8)
verdict("p99 beside a hanging receiver / by themselves", rate("neighbours of a hanging receiver"), 1.5, false)
process.exit(0)
