import { client, closedLoop, type Receiver } from "./Load.ts"
import { wait } from "./Machine.ts"
import { allArrived } from "./Measures.ts"
import type { Postgres, Service } from "./Places.ts"
import { rates, show } from "./Report.ts"
import { type Run, withService } from "./ServiceParts.ts"

/* Two variants of the same work in alternating rounds: a machine that slows down for a while is slower for both. */

const invoices = 500

/** CPU milliseconds of the program and PostgreSQL for one invoice, from its POST to its webhook. */
const cpuOf = async (database: Postgres, subject: Service, hooks: Receiver) => {
  const cpu = () => subject.cpu() + database.cpu()
  const before = cpu()
  await allArrived(await closedLoop(subject.target, subject.shops, { count: invoices, connections: 32 }), hooks)
  await wait(500)
  return (cpu() - before) / invoices
}

const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Measures both variants in turn, in changing order, and records the ratio of the second to the first under `name`. */
const alternate = async (name: string, rounds: number, ways: Readonly<Record<string, () => Promise<number>>>) => {
  const [[first, one], [second, other]] = Object.entries(ways) as [
    [string, () => Promise<number>],
    [string, () => Promise<number>]
  ]
  const pairs: Array<readonly [number, number]> = []
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) {
      pairs.push([await one(), await other()])
    } else {
      const later = await other()
      pairs.push([await one(), later])
    }
  }
  const [a, b] = [mean(pairs.map(([value]) => value)), mean(pairs.map(([, value]) => value))]
  const spread = pairs.reduce((sum, [x, y]) => sum + (y - x - (b - a)) ** 2, 0) / Math.max(1, pairs.length - 1)
  rates.set(`${name} ${second} / ${first}`, b / a)
  const difference = `${(b - a).toFixed(2)} ± ${Math.sqrt(spread / pairs.length).toFixed(2)}`
  show(
    `${name}, ${pairs.length} pairs of ${invoices} invoices`,
    `CPU ms an invoice: ${first} ${a.toFixed(2)}, ${second} ${b.toFixed(2)}; difference ${difference}`
  )
}

const roundsOf = ({ quick }: Run) => (quick ? 4 : 16)

/** The cost of an invoice with the request log off and with the masked log, in one service. */
export const requestLog = (run: Run) =>
  withService(run, { accounts: 1 }, async (subject, hooks) => {
    const { call, close } = client(subject.target.base, 1)
    const spentWith = (request_log: "off" | "masked") => async () => {
      await call("POST", "/v1/account", { key: subject.shops[0]!.key, body: { request_log } })
      // Entries offered to the log before are written by then.
      await wait(500)
      return cpuOf(run.database, subject, hooks)
    }
    await alternate("request log", roundsOf(run), { off: spentWith("off"), masked: spentWith("masked") })
    await close()
  })
