import { flood, type Flooded, type FloodOrders } from "../support/traffic/Flood.ts"
import type { Payer } from "../support/traffic/OpenLoad.ts"
import type { Receiver, Shop } from "./Load.ts"
import { percentile, until } from "./Machine.ts"
import { allArrived, nothingWaits, pipeline, tails } from "./Measures.ts"
import { between, mediansTo, neighbour, shownWaits, type Waits, waited } from "./Neighbour.ts"
import { type Postgres, type Service, withKeys } from "./Places.ts"
import { ms, rate, say, show, verdict } from "./Report.ts"
import { withService } from "./ServiceParts.ts"

/*
 * The capacity of the service, and twice as many creations next to a quiet neighbour. The flood does not repeat a
 * refused creation: a client that honours `Retry-After` returns later as one more creation of the same rate. The flood
 * uses kept connections of a trusted proxy. Folio pauses other connections after several refusals, and these pauses
 * would count as latencies. The service has no rate limits here: they would refuse the flood before the service is
 * full.
 */

const connections = 64
// More than the service's queue holds: the service refuses, and the flood does not run out of connections.
const connectionsOfFlood = 1_024
const keysOfFlood = 8
const capacitySeconds = 15
const aloneSeconds = 20
const recoverySeconds = 10

const numbersWrong = `
  select count(*) filter (where number <> before + 1)::integer as gaps
  from (select number, lag(number) over (partition by resolution_id order by number) as before
    from invoices where number is not null) numbered`

const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(0)

/** Watches the memory that the service uses. The returned function stops the watch and returns megabytes. */
const watchMemory = (subject: Service) => {
  const now = () => subject.resident().reduce((sum, bytes) => sum + bytes, 0)
  const before = now()
  let peak = before
  const timer = setInterval(() => (peak = Math.max(peak, now())), 500)
  return () => {
    clearInterval(timer)
    return { before: megabytes(before), peak: megabytes(peak), after: megabytes(now()) }
  }
}

const isWebhook = ({ kind }: Waits["probes"][number]) => kind === "webhooks"

/** Milliseconds until the first second in which no request of the neighbour was slower than its slowest one before. */
const neighbourRecovered = (waits: Waits, alone: Waits, ended: number) => {
  const kinds = ["reads", "creates", "webhooks"] as const
  for (let at = ended; at < ended + (recoverySeconds - 1) * 1_000; at += 100) {
    const second = between(waits, at, at + 1_000)
    if (kinds.every((kind) => waited(second, kind, 1) <= waited(alone, kind, 1))) return at - ended
  }
  return Number.POSITIVE_INFINITY
}

const refusals = (refused: Flooded["sent"]) =>
  [
    ...Map.groupBy(refused, ({ retryAfter, status, why }) =>
      status === 0 ? `no response: ${why}` : `${status} ${why}, Retry-After ${retryAfter ?? "missing"}`
    )
  ].map(([name, list]) => [name, list.length] as const)

const isDisorderly = ({ retryAfter, status }: Flooded["sent"][number]) =>
  ![429, 503].includes(status) || !(Number(retryAfter) > 0)

interface Offered {
  readonly flooded: Flooded
  /** The neighbour's waits while creations are offered and afterwards. */
  readonly waits: Waits
  /** Times of the first and the last offered creation, on this process's clock. */
  readonly began: number
  readonly ended: number
  /** The accepted invoices, each with the times of its offer and of its webhook. */
  readonly accepted: ReadonlyArray<{ readonly at: number; readonly arrived: number; readonly createMs: number }>
  readonly cores: number
  readonly memory: ReturnType<ReturnType<typeof watchMemory>>
}

/** Offers creations next to a neighbour, and waits until the service has nothing left to do. */
const offer = async (subject: Service, hooks: Receiver, other: Shop, orders: FloodOrders): Promise<Offered> => {
  const { seconds } = orders
  const memory = watchMemory(subject)
  const asking = neighbour(subject, hooks, other, seconds + recoverySeconds)
  const cpu = subject.cpu()
  const from = performance.now()
  const flooded = await flood(orders)
  const cores = (subject.cpu() - cpu) / (performance.now() - from)
  const began = flooded.began - performance.timeOrigin
  const sent = flooded.sent.filter(({ status }) => status === 202)
  await allArrived({ at: new Map(sent.map(({ at, id }) => [id, at])), took: [], seconds }, hooks)
  const accepted = sent.map(({ at, id, milliseconds }) => ({
    at: began + at,
    arrived: hooks.arrived.get(id)!,
    createMs: milliseconds
  }))
  const waits = await asking
  await until(() => nothingWaits(subject), "nothing waits")
  return { flooded, waits, began, ended: began + seconds * 1_000, accepted, cores, memory: memory() }
}

const stored = async ({ database }: Service) => {
  const { rows } = await database.query<{ n: number }>("select count(*)::integer as n from invoices")
  return rows[0]!.n
}

const report = (offered: Offered, alone: Waits, capacity: number, seconds: number) => {
  const { accepted, began, cores, ended, flooded, memory, waits } = offered
  const perSecond = (count: number) => `${(count / seconds).toFixed(0)}/s`
  const creates = accepted.map(({ createMs }) => createMs)
  const webhooks = accepted.map(({ arrived, at }) => arrived - at)
  const goodput = accepted.filter(({ arrived }) => arrived <= ended).length / seconds
  const refused = flooded.sent.filter(({ status }) => status !== 202)
  const beside = between(waits, began, ended)
  const ratios = mediansTo(beside, alone)
  const last = Math.max(...accepted.map(({ arrived }) => arrived))
  show(`offered for ${seconds} s`, perSecond(flooded.sent.length))
  show("accepted", `${perSecond(accepted.length)}: create ${tails(creates)}; POST to webhook ${tails(webhooks)}`)
  for (const [name, count] of refusals(refused)) show("refused", `${perSecond(count)}: ${name}`)
  show("refused after", tails(refused.map(({ milliseconds }) => milliseconds)))
  show("neighbour alone, ms p50 / p99", shownWaits(alone))
  show("neighbour next to the flood", shownWaits(beside))
  show(
    "service",
    `${cores.toFixed(2)} cores; MB ${memory.before} before, at most ${memory.peak}, ${memory.after} after`
  )
  show(
    "recovery",
    `last webhook after ${ms(last - ended)}, neighbour as fast as before after ${ms(neighbourRecovered(waits, alone, ended))}`
  )
  verdict("goodput / capacity", goodput / capacity, 0.9)
  verdict("accepted creations, p99 in ms", percentile(creates, 0.99), 1_000, false)
  verdict("POST to webhook of accepted creations, p99 in ms", percentile(webhooks, 0.99), 2_000, false)
  for (const [kind, ratio] of ratios) {
    verdict(`neighbour's ${kind}, median next to the flood / alone`, ratio, 2, false)
    verdict(`neighbour's ${kind}, median next to the flood in ms`, waited(beside, kind, 0.5), 100, false)
  }
  verdict("neighbour's failed requests", waits.failures, 0, false)
  verdict("responses other than 202, 429 and 503 with Retry-After", refused.filter(isDisorderly).length, 0, false)
}

export const twiceTheCapacity = async (
  database: Postgres,
  { accounts, seconds, tree }: { readonly accounts: number; readonly seconds: number; readonly tree: string }
) =>
  withService(
    { database, invoices: 1_000, quick: true },
    { accounts: accounts + 1, isBehindProxy: true, ...(tree === "" ? {} : { tree }) },
    async (subject, hooks) => {
      const [other, ...shops] = subject.shops as [Shop, ...Array<Shop>]
      const payers: Array<Payer> = []
      for (const shop of shops) {
        const keys = await withKeys(subject.target.base, shop, keysOfFlood)
        payers.push(...keys.map((apiKey) => ({ apiKey, customer: shop.customer })))
      }
      const capacity = async (name: string) => {
        const count = Math.round(rate("warm-up") * Math.min(seconds, capacitySeconds))
        await pipeline(name, database, { ...subject, shops }, hooks, { connections, count })
        return rate(name)
      }
      const before = await capacity("capacity before, 64 connections")
      await until(() => nothingWaits(subject), "nothing waits")
      const alone = await neighbour(subject, hooks, other, Math.min(seconds, aloneSeconds))
      const storedBefore = await stored(subject)
      const orders = { url: subject.target.base, payers, rate: 2 * before, seconds, connections: connectionsOfFlood }
      const offered = await offer(subject, hooks, other, orders)
      const made = (await stored(subject)) - storedBefore - offered.waits.probes.filter(isWebhook).length
      const { rows } = await subject.database.query(numbersWrong)
      const after = await capacity("capacity after, 64 connections")
      report(offered, alone, (before + after) / 2, seconds)
      // A creation without a response may have been stored.
      verdict("invoices of refused creations", made - offered.accepted.length, 0, false)
      verdict("gaps in the numbers", rows[0].gaps, 0, false)
      say("")
    }
  )
