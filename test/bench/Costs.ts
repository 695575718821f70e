import type { Pool } from "pg"
import { openLoop } from "./Load.ts"
import { wait } from "./Machine.ts"
import { allArrived } from "./Measures.ts"
import { postgres } from "./Places.ts"
import type { Cost } from "./Profile.ts"
import { say } from "./Report.ts"
import { withService } from "./ServiceParts.ts"

/* The cost of an invoice at a steady rate, by function of the service and by PostgreSQL statement. */

const shown = 20

interface StatementCost extends Cost {
  readonly calls: number
}

/** Short name of a statement: its tables, each with its use. */
const nameOf = (query: string) => {
  const verbs = [...query.matchAll(/\b(insert into|update|delete from|from|join)\s+([a-z_]+)/gi)]
    .map(([, verb = "", table = ""]) => (/from|join/i.test(verb) && !/delete/i.test(verb) ? table : `${verb} ${table}`))
    .filter((word) =>
      /invoice|resol|transi|event|deliver|attempt|account|key|custom|webhook|request|worker|sandbox|cluster|email|circuit/.test(
        word
      )
    )
  const words = [...new Set(verbs)].join(", ")
  return words === "" ? query.replaceAll(/\s+/g, " ").slice(0, 80) : words.slice(0, 110)
}

const statements = async (database: Pool): Promise<ReadonlyArray<StatementCost>> => {
  const { rows } = await database.query(
    `select query, calls::float8 as calls, (total_exec_time + total_plan_time)::float8 as ms from pg_stat_statements
     where dbid = (select oid from pg_database where datname = current_database())`
  )
  return rows.map(({ calls, ms, query }) => ({ name: nameOf(query), calls, ms }))
}

const sum = (costs: ReadonlyArray<Cost>) => costs.reduce((total, { ms }) => total + ms, 0)
const dearest = <A extends Cost>(costs: ReadonlyArray<A>) => costs.toSorted((a, b) => b.ms - a.ms).slice(0, shown)

export const costs = async ({ rate, seconds }: { readonly rate: number; readonly seconds: number }) => {
  const database = await postgres({ countsStatements: true })
  try {
    await withService({ database, invoices: 1_000, quick: true }, { accounts: 1 }, async (subject, hooks) => {
      await subject.database.query("create extension if not exists pg_stat_statements")
      await subject.database.query("select pg_stat_statements_reset()")
      await subject.startProfile()
      const before = [subject.cpu(), database.cpu()] as const
      const posted = await openLoop(subject.target, subject.shops, { rate, seconds })
      await allArrived(posted, hooks)
      await wait(500)
      const count = posted.at.size
      const each = (ms: number) => (ms / count).toFixed(3)
      const [program, sql] = [subject.cpu() - before[0], database.cpu() - before[1]]
      const { functions, owners } = await subject.endProfile()
      const run = await statements(subject.database)
      say(`${count} invoices at ${rate}/s: program ${each(program)} ms of CPU an invoice, PostgreSQL ${each(sql)} ms`)
      say(
        `\nms | calls an invoice | statement (all: ${each(sum(run))} ms, ${each(run.reduce((n, { calls }) => n + calls, 0))} calls)`
      )
      for (const { calls, ms, name } of dearest(run)) say(`${each(ms)} | ${(calls / count).toFixed(2)} | ${name}`)
      say(`\nms | function, by itself (all: ${each(sum(functions))} ms)`)
      for (const { ms, name } of dearest(functions)) say(`${each(ms)} | ${name}`)
      say("\nms | function of the service, with the libraries that it calls")
      for (const { ms, name } of dearest(owners)) say(`${each(ms)} | ${name}`)
    })
  } finally {
    await database.stop()
  }
}
