import type { Pool } from "pg"
import { closedLoop, receiver } from "./Load.ts"
import { wait } from "./Machine.ts"
import { allArrived, atRate, pipeline } from "./Measures.ts"
import { service, type Service, withSubject } from "./Places.ts"
import { kilobytes, rates, show } from "./Report.ts"
import { type Run, withService } from "./ServiceParts.ts"

/* Costs of the service beyond single requests: steady loads, storage, idle time, several processes. */

/** Steady loads of one account. */
export const steadyLoads = (run: Run) =>
  withService(run, { accounts: 1 }, async (subject, hooks) => {
    await pipeline("warm-up", run.database, subject, hooks, { connections: 32, count: run.quick ? 500 : 3_000 })
    for (const rate of [150, 250, 400]) {
      const name = `service, steady ${rate}/s`
      await atRate(name, subject, run.database.cpu, hooks, { rate, seconds: run.quick ? 5 : 20 })
    }
  })

/** Bytes of each table with its indexes and TOAST data. */
const tableBytes = async (database: Pool): Promise<ReadonlyMap<string, number>> => {
  const { rows } = await database.query(
    "select relname as name, pg_total_relation_size(relid)::float8 as bytes from pg_statio_user_tables"
  )
  return new Map(rows.map(({ bytes, name }) => [name, bytes]))
}

/** Bytes of database for an invoice with one webhook, by table. */
export const bytes = (run: Run) =>
  withService(run, { accounts: 1 }, async (subject, hooks) => {
    const before = await tableBytes(subject.database)
    await allArrived(await closedLoop(subject.target, subject.shops, { count: run.invoices, connections: 32 }), hooks)
    // Rows are still written after a webhook.
    await wait(1_000)
    const grown = [...(await tableBytes(subject.database))]
      .map(([name, now]) => [name, (now - (before.get(name) ?? 0)) / run.invoices] as const)
      .toSorted(([, a], [, b]) => b - a)
    const all = grown.reduce((sum, [, each]) => sum + each, 0)
    rates.set("kB an invoice", all / 1024)
    const largest = grown.slice(0, 8).map(([name, each]) => `${name} ${kilobytes(each)}`)
    show("service, database an invoice", `${kilobytes(all)}: ${largest.join(", ")}`)
  })

const shareOfCore = (spent: number, seconds: number) => spent / (seconds * 10)

/** Share of a core that the idle service and its PostgreSQL use. */
export const idle = (run: Run) =>
  withSubject(
    run.database,
    (url, hooks) => service({ url, accounts: 1 }, hooks),
    async (subject) => {
      // Lets the work after a start finish.
      await wait(run.quick ? 5_000 : 20_000)
      const seconds = run.quick ? 10 : 60
      const before = [subject.cpu(), run.database.cpu()] as const
      await wait(seconds * 1_000)
      const program = shareOfCore(subject.cpu() - before[0], seconds)
      const sql = shareOfCore(run.database.cpu() - before[1], seconds)
      rates.set("idle", program + sql)
      show("service, idle", `program ${program.toFixed(2)} %, PostgreSQL ${sql.toFixed(2)} % of a core`)
    }
  )

/** Memory of the supervisor, if there is one, and of each process. */
const memoryOf = (subject: Service) =>
  subject
    .resident()
    .map((each) => `${(each / 1e6).toFixed(0)} MB`)
    .join(" + ")

/**
 * The capacity and the cost of an invoice, of a single process and of several processes that share a port and one
 * PostgreSQL.
 */
export const processes = async (
  counts: ReadonlyArray<number>,
  { accounts, invoices, quick }: Omit<Run, "database"> & { readonly accounts: number }
) => {
  for (const count of counts) {
    const name = `service, ${count} ${count === 1 ? "process" : "processes"}`
    const hooks = await receiver()
    const subject = await service({ accounts, ...(count === 1 ? {} : { processes: count }) }, hooks)
    try {
      const own = { cpu: subject.postgresCpu }
      const afterStart = memoryOf(subject)
      await pipeline(`${name}, warm-up`, own, subject, hooks, { connections: 32, count: quick ? 1_000 : 4_000 })
      await pipeline(`${name}, 64 connections`, own, subject, hooks, { connections: 64, count: invoices })
      for (const rate of [150, 250]) {
        await atRate(`${name}, ${rate}/s`, subject, own.cpu, hooks, { rate, seconds: quick ? 5 : 15 })
      }
      show(`${name}, memory`, `after the start ${afterStart}; after the load ${memoryOf(subject)}`)
    } finally {
      await subject.stop()
      hooks.close()
    }
  }
}
