import { Array, Effect, Option } from "effect"
import { spawn } from "node:child_process"
import * as Path from "node:path"
import type { Client } from "../../support/apps/Client.ts"
import { until } from "../../support/apps/Until.ts"
import type { makeClients } from "./Clients.ts"
import type { HostileKind } from "./HostileInputs.ts"
import type { HostileOrders, HostileTally } from "./hostileMain.ts"
import type { Ledger } from "../checks/Ledger.ts"
import type { Receivers } from "./Receivers.ts"
import { type Line, percentile, tallied } from "../checks/Scoreboard.ts"
import type { Shop } from "./Shops.ts"
import { during, type Vitals } from "../checks/Vitals.ts"

export interface HostileOptions {
  /**
   * Length of each spell in which the neighbours are timed: before the hostile client starts, while it starts, next to
   * it, and after it has ended.
   */
  readonly spellMs: number
  /** Operations that the neighbours start each second meanwhile. */
  readonly rate: number
  /** Number of its own invoices, each as large as possible. */
  readonly invoices: number
  /** Idle connections that it opens at one process. */
  readonly hoard: number
  /** Its kinds of attacks while the neighbours are timed, and during the faults. */
  readonly kinds: { readonly timed: ReadonlyArray<HostileKind>; readonly later: ReadonlyArray<HostileKind> }
  /**
   * `p50`: the neighbours' median wait next to the client, as a multiple of their median before it. `p99Ms` is in
   * milliseconds: the longest waits last some turns of the event loop, even if waits were short before.
   */
  readonly bounds: {
    readonly p50: number
    readonly p99Ms: number
    /** Orders of the neighbours answered with 429. */
    readonly limited: number
    readonly turnMs: number
    readonly answerBytes: number
  }
}

/** A spell without other faults: its start and end in Unix milliseconds, and whether the hostile client was active. */
interface Spell {
  readonly hostile: boolean
  readonly from: number
  readonly to: number
}

const linesMax = 500
// Operations started just before a spell belong to the spell before.
const settleMs = 1_000

/** Links to an invoice's files: every member that is a URL of the service. */
const linksOf = (url: string, invoice: object) =>
  Object.values(invoice)
    .filter((value) => typeof value === "string" && URL.canParse(value))
    .map((value) => new URL(value))
    .filter((link) => link.hostname === new URL(url).hostname)
    .map((link) => link.pathname + link.search)

/**
 * A client that attacks from an address and an account of its own. It hoards connections, does not read responses, and
 * sends bodies that are expensive to reject and requests that are expensive to answer. The documents that it reads are
 * created first, in order.
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
      "180 seconds",
      "500 millis"
    )
  )
  const orders = {
    urls,
    apiKeys: [shop.apiKey] as const,
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
  const begin = (kinds: HostileOrders["kinds"]) =>
    Effect.sync(() => void child.send({ ...orders, kinds } satisfies HostileOrders))
  const end = Effect.callback<HostileTally>((resume) => {
    child.once("message", (tally) => resume(Effect.succeed(tally as HostileTally)))
    child.send(null as never)
  })

  const spell = Effect.fnUntraced(function* (isHostile: boolean) {
    const from = Date.now()
    yield* Effect.sleep(hostile.spellMs)
    return { hostile: isHostile, from, to: Date.now() } satisfies Spell
  })
  const trial = Effect.gen(function* () {
    const before = yield* spell(false)
    yield* begin(hostile.kinds.timed)
    // It has the bursts of its rate limits, and none of its documents was printed yet.
    const coming = yield* spell(true)
    const beside = yield* spell(true)
    const tally = yield* end
    return { spells: [before, coming, beside, yield* spell(false)], tally }
  })
  return { trial, begin: begin(hostile.kinds.later), end }
})

const hundredths = (value: number) => Math.round(value * 100) / 100
const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024)

const coresOf = (notes: ReadonlyArray<Vitals>) => {
  const [first, last] = [notes[0], notes.at(-1)]
  if (first === undefined || last === undefined || last.at === first.at) return 0
  return ((last.cpu - first.cpu) * 1_000) / (last.at - first.at)
}

/** Effects of the hostile client on the neighbours and the processes, and the responses that it got. */
export const reckonHostile = (run: {
  readonly options: HostileOptions
  readonly trial: Effect.Success<Effect.Success<ReturnType<typeof hostileClient>>["trial"]>
  /** During the faults, after the trial. */
  readonly later: HostileTally
  readonly ledger: Ledger
  readonly vitals: ReadonlyArray<ReadonlyArray<Vitals>>
}): ReadonlyArray<Line> => {
  const { bounds } = run.options
  const { spells, tally } = run.trial
  const felt = ({ from, hostile, to }: Spell) => {
    const asked = run.ledger.waits.filter((one) => one.asked >= from + settleMs && one.asked < to)
    // Before it starts, operations that are still waiting count only until its start.
    const waits = asked.map((one) => (hostile ? one.took : Math.min(one.took, to - one.asked)))
    const notes = run.vitals.flatMap((list) => during(list, from + settleMs, to))
    return {
      count: waits.length,
      p50: percentile(waits, 0.5),
      p99: percentile(waits, 0.99),
      late: Math.round(Math.max(0, ...notes.map(({ lateMax }) => lateMax))),
      turn: Math.round(Math.max(0, ...notes.map(({ turnMax }) => turnMax))),
      rss: megabytes(Math.max(0, ...notes.map(({ rss }) => rss))),
      /** CPU cores used by all processes of the service. */
      cores: run.vitals.reduce((sum, list) => sum + coresOf(during(list, from + settleMs, to)), 0)
    }
  }
  type Felt = ReturnType<typeof felt>
  const [before, coming, beside, after] = spells.map(felt) as [Felt, Felt, Felt, Felt]
  const each = (value: (felt: Felt) => number) => [before, coming, beside, after].map(value).join(" / ")
  const ratio = (value: (felt: Felt) => number) => hundredths(value(beside) / Math.max(value(before), 1))
  const hostileMs = spells.reduce((sum, { from, hostile, to }) => sum + (hostile ? to - from : 0), 0)
  const tallies = [tally, run.later]
  const largest = tallies.map((one) => one.largest).toSorted((a, b) => b.bytes - a.bytes)[0]!
  return [
    {
      name: "invalid requests of the hostile client that were accepted",
      broken: tallies.flatMap(({ taken }) => taken)
    },
    { name: "its requests answered with 500 without other faults", broken: tally.failed },
    {
      name: "neighbours' orders answered with 429, without other faults",
      value: run.ledger.limited.filter((at) => at < Math.max(...spells.map(({ to }) => to))).length,
      atMost: bounds.limited
    },
    {
      name: "neighbours' p50, next to the hostile client / before it",
      value: ratio(({ p50 }) => p50),
      atMost: bounds.p50
    },
    { name: "neighbours' p99 next to the hostile client, in ms", value: beside.p99, atMost: bounds.p99Ms },
    {
      name: "longest event-loop turn next to the hostile client, in ms",
      value: Math.max(coming.turn, beside.turn),
      atMost: bounds.turnMs
    },
    {
      name: "before it / while it starts / next to it / after it:",
      says: `orders of the neighbours ${each(({ count }) => count)}`
    },
    { name: "  neighbours' wait for an invoice, p50", says: `${each(({ p50 }) => p50)} ms` },
    { name: "  neighbours' wait for an invoice, p99", says: `${each(({ p99 }) => p99)} ms` },
    { name: "  longest event-loop turn", says: `${each(({ turn }) => turn)} ms` },
    { name: "  maximum event-loop delay", says: `${each(({ late }) => late)} ms` },
    { name: "  CPU cores of the service", says: each(({ cores }) => hundredths(cores)) },
    { name: "  maximum memory of a process", says: `${each(({ rss }) => rss)} MB` },
    { name: "CPU cores of the hostile client", says: String(hundredths(tally.cpu / hostileMs)) },
    { name: `largest response to it, in bytes: ${largest.what}`, value: largest.bytes, atMost: bounds.answerBytes },
    {
      name: "maximum of its connections, without other faults / later",
      says: tallies.map(({ held }) => held).join(" / ")
    },
    { name: "responses to it, without other faults", says: tallied(Object.entries(tally.statuses)) },
    { name: "responses to it, later", says: tallied(Object.entries(run.later.statuses)) }
  ]
}
