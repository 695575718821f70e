import { Client } from "pg"
import { multiplyInvoices } from "./Growth.ts"
import { closedLoop, type Receiver } from "./Load.ts"
import { until, wait } from "./Machine.ts"
import { allArrived, pipeline, steady } from "./Measures.ts"
import { type Place, type Postgres, service, type Service, withSubject } from "./Places.ts"
import { kilobytes, rate, rates, show } from "./Report.ts"

export interface Run {
  readonly database: Postgres
  /** Number of invoices of a measurement. */
  readonly invoices: number
  readonly quick: boolean
}

export const withService = (
  { database, invoices }: Run,
  options: Omit<Place, "url">,
  use: (subject: Service, hooks: Receiver) => Promise<void>
) =>
  withSubject(
    database,
    (url, hooks) => service({ url, ...options }, hooks),
    async (subject, hooks) => {
      const count = Math.max(options.accounts, Math.min(1_000, invoices))
      await pipeline("warm-up", database, subject, hooks, { connections: 32, count })
      await use(subject, hooks)
    }
  )

/** Posts while the authority is unavailable, and waits until each document waits for it. */
const waitingForAuthority = async (subject: Service, count: number, shops = subject.shops) => {
  subject.order({ authority: "down" })
  const held = await closedLoop(subject.target, shops, { count, connections: 32 })
  await until(
    async () => {
      const { rows } = await subject.database.query(
        "select count(*)::integer as n from invoices where state <> 'submitted' and next_action_at is not null"
      )
      return rows[0].n === 0
    },
    "every document waits for the authority",
    300_000
  )
  return held
}

const authorityBack = async (subject: Service) => {
  subject.order({ authority: "up" })
  await subject.database.query("update invoices set next_action_at = now() where next_action_at is not null")
}

export const oneAccount = (run: Run) =>
  withService(run, { accounts: 1 }, async (subject, hooks) => {
    const { database, invoices, quick } = run
    for (const connections of [32, 128]) {
      const name = `service, 1 account, ${connections} connections`
      await pipeline(name, database, subject, hooks, { connections, count: invoices })
    }
    const half = rate("service, 1 account, 32 connections") / 2
    const { accepted } = await steady("service, half of its top rate", subject, hooks, half, quick ? 5 : 20)
    rates.set("p99 at half", accepted)

    const begin = performance.now()
    await closedLoop(subject.target, subject.shops, { count: invoices, connections: 32, once: "replayed" })
    const replayed = invoices / ((performance.now() - begin) / 1000)
    show("service, replays of one answer", `${replayed.toFixed(0)}/s`)

    // Waiting actors end meanwhile: the remaining memory is the cost of each waiting document.
    await wait(5_000)
    const before = await subject.memory()
    const held = await waitingForAuthority(subject, quick ? invoices : 10_000)
    await wait(5_000)
    const after = await subject.memory()
    show(
      "service, a document that waits",
      `${kilobytes((after.heapUsed - before.heapUsed) / held.at.size)} of heap each (${held.at.size} of them)`
    )
    const from = performance.now()
    await authorityBack(subject)
    await allArrived(held, hooks)
    const drained = held.at.size / ((performance.now() - from) / 1000)
    show("service, backlog after an outage", `${drained.toFixed(0)}/s`)
  })

export const hundredAccounts = (run: Run) =>
  withService(run, { accounts: 100 }, async (subject, hooks) => {
    const { database, invoices, quick } = run
    const name = "service, 100 accounts, 32 connections"
    await pipeline(name, database, subject, hooks, { connections: 32, count: invoices })
    const [first, ...rest] = subject.shops
    if (first === undefined) throw new Error("there is no account")
    const others = { ...subject, shops: rest }
    const seconds = quick ? 5 : 15
    const third = rate(name) / 3
    const alone = await steady("service, 99 accounts by themselves", others, hooks, third, seconds)

    const held = await waitingForAuthority(subject, quick ? invoices : 10_000, [first])
    await authorityBack(subject)
    const besideBacklog = await steady("service, 99 next to a backlog of one", others, hooks, third, seconds)
    await allArrived(held, hooks)
    rates.set("neighbours of a backlog", besideBacklog.whole / alone.whole)

    await subject.endpoint(first, "/hang")
    // The maximum of deliveries in flight hangs, and more deliveries wait behind them.
    await closedLoop(subject.target, [first], { count: 200, connections: 8 })
    const besideHanging = await steady("service, 99 next to a receiver that hangs", others, hooks, third, seconds)
    rates.set("neighbours of a hanging receiver", besideHanging.whole / alone.whole)
  })

export const tenThousandAccounts = (run: Run) =>
  withService(run, { accounts: run.quick ? 1_000 : 10_000 }, async (subject, hooks) => {
    const { database, invoices } = run
    // By then each account has its actor and its endpoint's actor.
    const { heapUsed } = await subject.memory()
    const each = (heapUsed - subject.heapAtStart) / (2 * subject.shops.length)
    show("service, a resident actor", `${kilobytes(each)} of heap (${2 * subject.shops.length} of them)`)
    const name = `service, ${subject.shops.length} accounts, 32 connections`
    await pipeline(name, database, subject, hooks, { connections: 32, count: Math.max(invoices, subject.shops.length) })
  })

export const unsigned = (run: Run) =>
  withService(run, { accounts: 1, sign: "noop" }, (subject, hooks) =>
    pipeline("service, nothing signed, 32 connections", run.database, subject, hooks, {
      connections: 32,
      count: run.invoices
    })
  )

export const growth = (run: Run) =>
  withService(run, { accounts: 1 }, async (subject, hooks) => {
    const { database, invoices, quick } = run
    const load = { connections: 32, count: invoices }
    await pipeline("service, few invoices", database, subject, hooks, load)
    await pipeline("service, ten thousand stored", database, subject, hooks, load)
    const admin = new Client({ connectionString: subject.databaseUrl })
    await admin.connect()
    const begin = performance.now()
    try {
      await multiplyInvoices(admin, quick ? 100_000 : 1_000_000)
      const { rows } = await admin.query(
        "select count(*)::integer as n, pg_database_size(current_database()) / 1e9 as gb from invoices"
      )
      const took = ((performance.now() - begin) / 1000).toFixed(0)
      show("service, stored by now", `${rows[0].n} invoices, ${Number(rows[0].gb).toFixed(1)} GB, in ${took} s`)
    } finally {
      await admin.end()
    }
    // The first run loads into memory what the copies have displaced.
    await pipeline("service, many stored, at first", database, subject, hooks, load)
    await pipeline("service, many stored", database, subject, hooks, load)
  })
