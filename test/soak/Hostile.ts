import { Array, Effect, Option } from "effect"
import { spawn } from "node:child_process"
import * as Path from "node:path"
import type { Client } from "../support/Client.ts"
import { until } from "../support/Until.ts"
import type { makeClients } from "./Clients.ts"
import type { HostileOrders, HostileTally } from "./hostileMain.ts"
import type { Ledger } from "./Ledger.ts"
import type { Receivers } from "./Receivers.ts"
import { type Line, percentile, tallied } from "./Scoreboard.ts"
import type { Shop } from "./Shops.ts"
import { during, type Vitals } from "./Vitals.ts"

export interface HostileOptions {
  /** The neighbours are timed for so long before it, twice as long beside it, and as long after it. */
  readonly spellMs: number
  /** Invoices of its own, as large as may be. */
  readonly invoices: number
  /** Connections that it opens at one process and does nothing with. */
  readonly hoard: number
  readonly bounds: { readonly ratio: number; readonly lateMs: number; readonly answerBytes: number }
}

/** While nothing else goes wrong: from when to when, in Unix milliseconds, and whether the hostile client was there. */
interface Spell {
  readonly hostile: boolean
  readonly from: number
  readonly to: number
}

const linesMax = 500
// What was begun just before a spell belongs to the one before.
const settleMs = 1_000

/** The links to an invoice's files: whatever of its members is a URL of the service. */
const linksOf = (url: string, invoice: object) =>
  Object.values(invoice)
    .filter((value) => typeof value === "string" && URL.canParse(value))
    .map((value) => new URL(value))
    .filter((link) => link.hostname === new URL(url).hostname)
    .map((link) => link.pathname + link.search)

/**
 * A client that does its worst, from an address and with an account of its own: it hoards connections, reads nothing of what it
 * asks for, sends what is dear to refuse and reads what is dear to give. What it may read is made first, in order.
 */
export const hostileClient = Effect.fnUntraced(function* (options: {
  readonly hostile: HostileOptions
  readonly shop: Shop
  readonly urls: ReadonlyArray<string>
  readonly client: Client
  readonly clients: Effect.Success<ReturnType<typeof makeClients>>
  readonly ledger: Ledger
  readonly receivers: Receivers
}) {
  const { client, clients, hostile, ledger, receivers, shop, urls } = options
  const endpoint = yield* receivers.register(client, shop, "healthy", 8)
  const keys = Array.makeBy(hostile.invoices, (index) => `order ${index + 1}`)
  yield* Effect.forEach(keys, (key) => clients.issueOf(shop, key, linesMax), { concurrency: 2, discard: true })
  const invoices = keys.map((key) => ledger.acknowledged.get(`${shop.name} ${key}`)!.id)
  const shown = yield* Effect.forEach(invoices, (id) =>
    until(
      Effect.option(client.get(`/v1/invoices/${id}`)),
      (answer) => Option.isSome(answer) && answer.value.status === 200 && answer.value.json.status !== "draft",
      "120 seconds",
      "500 millis"
    )
  )
  const orders: HostileOrders = {
    urls,
    apiKey: shop.apiKey,
    customer: shop.customer,
    endpoint,
    invoices,
    links: Array.getSomes(shown).flatMap(({ json }) => linksOf(urls[0]!, json)),
    hoard: hostile.hoard
  }

  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [Path.join(import.meta.dirname, "hostileMain.ts")], {
        stdio: ["ignore", "inherit", "inherit", "ipc"]
      })
    ),
    (made) => Effect.sync(() => made.kill("SIGKILL"))
  )
  const begin = Effect.sync(() => void child.send(orders))
  const end = Effect.callback<HostileTally>((resume) => {
    child.once("message", (tally) => resume(Effect.succeed(tally as HostileTally)))
    child.send(null as never)
  })

  const spell = Effect.fnUntraced(function* (isHostile: boolean, forMs: number) {
    const from = Date.now()
    yield* Effect.sleep(forMs)
    return { hostile: isHostile, from, to: Date.now() } satisfies Spell
  })
  /** Times the neighbours before it, beside it and after it. */
  const trial = Effect.gen(function* () {
    const before = yield* spell(false, hostile.spellMs)
    yield* begin
    const beside = yield* spell(true, 2 * hostile.spellMs)
    const tally = yield* end
    return { spells: [before, beside, yield* spell(false, hostile.spellMs)], tally }
  })
  return { trial, begin, end }
})

export interface Trial {
  readonly spells: ReadonlyArray<Spell>
  readonly tally: HostileTally
}

interface Felt {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly late: number
  readonly rss: number
}

const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024)

/** What the neighbours and the processes felt of the hostile client, and what it got. */
export const reckonHostile = (run: {
  readonly options: HostileOptions
  readonly trial: Trial
  /** Beside the faults, after the trial. */
  readonly later: HostileTally
  readonly ledger: Ledger
  readonly vitals: ReadonlyArray<ReadonlyArray<Vitals>>
}): ReadonlyArray<Line> => {
  const { bounds } = run.options
  const { spells, tally } = run.trial
  const of = ({ from, hostile, to }: Spell): Felt => {
    const asked = run.ledger.waits.filter((one) => one.asked >= from + settleMs && one.asked < to)
    // Without it, what was still waiting when it came is not its fault: what happened until then counts.
    const waits = asked.map((one) => (hostile ? one.took : Math.min(one.took, to - one.asked)))
    const notes = run.vitals.flatMap((list) => during(list, from + settleMs, to))
    return {
      count: waits.length,
      p50: percentile(waits, 0.5),
      p99: percentile(waits, 0.99),
      late: Math.round(Math.max(0, ...notes.map(({ lateMax }) => lateMax))),
      rss: megabytes(Math.max(0, ...notes.map(({ rss }) => rss)))
    }
  }
  const [off, on, after] = spells.map(of) as [Felt, Felt, Felt]
  const each = (value: (felt: Felt) => number) => [off, on, after].map(value).join(" / ")
  const tallies = [tally, run.later]
  const largest = tallies.map((one) => one.largest).toSorted((a, b) => b.bytes - a.bytes)[0]!
  return [
    { name: "the hostile client's bad requests that were taken", broken: tallies.flatMap(({ taken }) => taken) },
    { name: "its requests answered 500 while nothing else was wrong", broken: tally.failed },
    {
      name: "neighbours' p99, beside it to before it",
      value: Math.round((on.p99 / Math.max(off.p99, 1)) * 100) / 100,
      atMost: bounds.ratio
    },
    {
      name: "neighbours' wait for an invoice, before it / beside it / after it",
      says: `p50 ${each(({ p50 }) => p50)}  p99 ${each(({ p99 }) => p99)} ms (${each(({ count }) => count)})`
    },
    { name: "event loop late at most beside it, in ms", value: on.late, atMost: bounds.lateMs },
    { name: "event loop late at most before it / beside it / after it", says: `${each(({ late }) => late)} ms` },
    { name: `largest answer to it, in bytes: ${largest.what}`, value: largest.bytes, atMost: bounds.answerBytes },
    { name: "memory of a process at most, before it / beside it / after it", says: `${each(({ rss }) => rss)} MB` },
    {
      name: "connections that it had at one time, beside no other fault / later",
      says: tallies.map(({ held }) => held).join(" / ")
    },
    { name: "answers to it, beside no other fault", says: tallied(Object.entries(tally.statuses)) },
    { name: "answers to it, later", says: tallied(Object.entries(run.later.statuses)) }
  ]
}
