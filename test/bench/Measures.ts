import type { Pool } from "pg"
import { closedLoop, openLoop, type Posted, type Receiver, type Shop } from "./Load.ts"
import { ownMs, percentile, until, wait } from "./Machine.ts"
import type { Postgres } from "./Places.ts"
import { ms, rates, show } from "./Report.ts"

export interface Subject {
  readonly target: { readonly base: string; readonly path: string }
  readonly shops: ReadonlyArray<Shop>
  readonly cpu: () => number
}

/** CPU time per invoice of the service and PostgreSQL, while `run` executes. */
export const spent = async <A>(
  database: Pick<Postgres, "cpu">,
  subject: { readonly cpu: () => number },
  count: number,
  work: () => Promise<A>
) => {
  const before = [subject.cpu(), database.cpu(), ownMs()] as const
  const result = await work()
  const [own, sql, load] = [subject.cpu() - before[0], database.cpu() - before[1], ownMs() - before[2]]
  const each = (value: number) => (value / count).toFixed(2)
  return {
    result,
    each: (own + sql) / count,
    cpu: `CPU ms an invoice: program ${each(own)}, PostgreSQL ${each(sql)}, load ${each(load)}`
  }
}

export const latencies = (posted: Posted, hooks: Receiver) =>
  [...posted.at].map(([id, at]) => (hooks.arrived.get(id) ?? Number.POSITIVE_INFINITY) - at)

export const allArrived = (posted: Posted, hooks: Receiver) =>
  until(() => [...posted.at.keys()].every((id) => hooks.arrived.has(id)), "every webhook has arrived", 600_000)

/** Whether the service is idle: no document and no webhook waits. */
export const nothingWaits = async ({ database }: { readonly database: Pool }): Promise<boolean> => {
  const { rows } = await database.query(
    `select exists (select from invoices where next_action_at is not null)
      or exists (select from deliveries where status = 'pending') as waits`
  )
  return !rows[0].waits
}

/**
 * Transactions of a database so far; a single statement counts as one. Each session reports them about once a second.
 */
export const transactions = async (database: Pool): Promise<number> => {
  const { rows } = await database.query(
    "select xact_commit::float8 as n from pg_stat_database where datname = current_database()"
  )
  return rows[0].n
}

export const tails = (values: ReadonlyArray<number>) =>
  [0.5, 0.99].map((p) => `p${p * 100} ${ms(percentile(values, p))}`).join(" ")

/** Costs and latencies of invoices that are posted at a steady rate, without waiting for the responses. */
export const atRate = async (
  name: string,
  subject: Subject & { readonly database: Pool },
  postgresCpu: () => number,
  hooks: Receiver,
  { rate, seconds }: { readonly rate: number; readonly seconds: number }
) => {
  const before = [subject.cpu(), postgresCpu(), await transactions(subject.database)] as const
  const begin = performance.now()
  const posted = await openLoop(subject.target, subject.shops, { rate, seconds })
  await allArrived(posted, hooks)
  const took = (performance.now() - begin) / 1_000
  await wait(1_500)
  const count = posted.at.size
  const [program, sql] = [(subject.cpu() - before[0]) / count, (postgresCpu() - before[1]) / count]
  const statements = ((await transactions(subject.database)) - before[2]) / count
  const waits = latencies(posted, hooks)
  rates.set(`${name} CPU`, program + sql)
  rates.set(`${name} p99`, percentile(waits, 0.99))
  show(
    name,
    `${(count / took).toFixed(0)}/s: create ${tails(posted.took)}; POST to webhook ${tails(waits)}; ` +
      `CPU ms an invoice: program ${program.toFixed(2)}, PostgreSQL ${sql.toFixed(2)}; statements ${statements.toFixed(2)}`
  )
}

/**
 * Runs POST → accepted → webhook received at the maximum rate. Records the rates of creations and of complete invoices.
 */
export const pipeline = async (
  name: string,
  database: Pick<Postgres, "cpu">,
  subject: Subject,
  hooks: Receiver,
  load: { readonly connections: number; readonly count: number }
) => {
  const begin = performance.now()
  const { cpu, each, result } = await spent(database, subject, load.count, async () => {
    const posted = await closedLoop(subject.target, subject.shops, load)
    await allArrived(posted, hooks)
    return posted
  })
  const seconds = (performance.now() - begin) / 1000
  const waits = latencies(result, hooks)
  const took = [0.5, 0.95, 0.99].map((p) => `p${p * 100} ${ms(percentile(result.took, p))}`).join(" ")
  rates.set(`${name} create`, load.count / result.seconds)
  rates.set(name, load.count / seconds)
  rates.set(`${name} CPU`, each)
  show(
    name,
    `create ${(load.count / result.seconds).toFixed(0)}/s ${took}; ` +
      `whole way ${(load.count / seconds).toFixed(0)}/s p50 ${ms(percentile(waits, 0.5))} p99 ${ms(percentile(waits, 0.99))}; ${cpu}`
  )
}

/** Time of each acceptance, as the storing statement recorded it, on this process's clock. */
const acceptedAt = async (database: Pool, posted: Posted) => {
  const { rows } = await database.query<{ id: string; at: number }>(
    `select invoice_id as id, (extract(epoch from at) * 1000)::float8 as at from transitions
    where command = 'Accept' and invoice_id = any($1)`,
    [[...posted.at.keys()]]
  )
  return rows.map(({ at, id }) => at - performance.timeOrigin - (posted.at.get(id) ?? Number.NaN))
}

/** Runs the pipeline at a steady rate; returns the p99 until accepted and until the webhook. */
export const steady = async (
  name: string,
  subject: Subject & { readonly database: Pool },
  hooks: Receiver,
  perSecond: number,
  seconds: number
) => {
  const posted = await openLoop(subject.target, subject.shops, { rate: perSecond, seconds })
  await allArrived(posted, hooks)
  const waits = latencies(posted, hooks)
  const accepting = await acceptedAt(subject.database, posted)
  const [accepted, whole] = [percentile(accepting, 0.99), percentile(waits, 0.99)]
  show(
    name,
    `${perSecond.toFixed(0)}/s for ${seconds} s: accepted after p50 ${ms(percentile(accepting, 0.5))} p99 ${ms(accepted)}, ` +
      `webhook after p50 ${ms(percentile(waits, 0.5))} p99 ${ms(whole)}`
  )
  return { accepted, whole }
}
