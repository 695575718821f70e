import { invoiceBody } from "../support/apps/Invoices.ts"
import { client, type Receiver, type Shop } from "./Load.ts"
import { percentile, wait } from "./Machine.ts"
import { allArrived } from "./Measures.ts"
import type { Service } from "./Places.ts"

const probeEveryMs = 100

const kinds = ["reads", "creates", "webhooks"] as const
type Kind = (typeof kinds)[number]

/**
 * A request of the neighbour, or a webhook timed from its POST: its start on this process's clock, and its duration.
 */
interface Probe {
  readonly kind: Kind
  readonly at: number
  readonly ms: number
}

export interface Waits {
  readonly probes: ReadonlyArray<Probe>
  readonly failures: number
}

/** Waits of a neighbour with a steady load: its reads, its creations, and its webhooks since their POST. */
export const neighbour = async (
  subject: Service,
  hooks: Receiver,
  { customer, key }: Shop,
  seconds: number
): Promise<Waits> => {
  const { call, close } = client(subject.target.base, 64)
  const probes: Array<Probe> = []
  const posted = new Map<string, number>()
  let failures = 0
  const timed = async (kind: Kind, work: (at: number) => Promise<unknown>) => {
    const at = performance.now()
    await work(at).catch(() => (failures += 1))
    probes.push({ kind, at, ms: performance.now() - at })
  }
  const read = () => call("GET", `/v1/customers/${customer}`, { key })
  const create = async (at: number) => {
    const body = invoiceBody(customer)
    const { id } = await call("POST", "/v1/invoices", { key, once: `n ${Math.random()}`, body })
    posted.set(id, at)
  }
  const begin = performance.now()
  const under: Array<Promise<void>> = []
  for (let index = 0; performance.now() - begin < seconds * 1_000; index++) {
    await wait(Math.max(0, begin + index * probeEveryMs - performance.now()))
    under.push(index % 2 === 0 ? timed("reads", read) : timed("creates", create))
  }
  await Promise.all(under)
  await close()
  await allArrived({ at: posted, took: [], seconds }, hooks)
  const webhooks = [...posted].map(([id, at]) => ({ kind: "webhooks", at, ms: hooks.arrived.get(id)! - at }) as const)
  return { probes: [...probes, ...webhooks], failures }
}

/** Waits that began between these times. */
export const between = ({ failures, probes }: Waits, from: number, to: number): Waits => ({
  probes: probes.filter(({ at }) => from <= at && at < to),
  failures
})

export const waited = ({ probes }: Waits, kind: Kind, p: number) =>
  percentile(
    probes.flatMap((probe) => (probe.kind === kind ? [probe.ms] : [])),
    p
  )

export const shownWaits = (waits: Waits) =>
  kinds.map((kind) => `${kind} ${[0.5, 0.99].map((p) => waited(waits, kind, p).toFixed(0)).join(" / ")}`).join(", ") +
  (waits.failures > 0 ? `; ${waits.failures} failed` : "")

/** Medians of `waits` as multiples of the medians of `others`. */
export const mediansTo = (waits: Waits, others: Waits) =>
  kinds.map((kind) => [kind, waited(waits, kind, 0.5) / waited(others, kind, 0.5)] as const)
