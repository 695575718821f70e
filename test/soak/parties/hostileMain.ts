import { setPriority } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import {
  anonymousPages,
  badKeys,
  dearReads,
  goodInvoices,
  type HostileKind,
  type Input,
  largeBodies,
  smallCommands,
  smallReads,
  unknownPaths,
  worstInputs
} from "./HostileInputs.ts"
import { hostileWire } from "./HostileWire.ts"

/** Orders for the hostile client: its targets, and the objects of its own account. */
export interface HostileOrders {
  readonly urls: ReadonlyArray<string>
  /** The keys of its account, used in turn. */
  readonly apiKeys: readonly [string, ...Array<string>]
  readonly customer: string
  readonly endpoint: string
  readonly invoices: ReadonlyArray<string>
  readonly links: ReadonlyArray<string>
  /** Number of connections that it hoards. */
  readonly hoard: number
  readonly kinds: ReadonlyArray<HostileKind>
}

/** Its observations by the end of a spell. */
export interface HostileTally {
  /** By kind of request and status class. */
  readonly statuses: Readonly<Record<string, number>>
  readonly largest: { readonly bytes: number; readonly what: string }
  /** Maximum of concurrently open connections. */
  readonly held: number
  /** Invalid requests that were accepted. */
  readonly taken: ReadonlyArray<string>
  /** Requests that failed with a server error. */
  readonly failed: ReadonlyArray<string>
  /** Milliseconds of CPU that it used itself. */
  readonly cpu: number
}

// The load is bounded: a fixed number of workers, with a pause between two requests of one worker.
const workers = {
  input: 6,
  read: 6,
  key: 4,
  poll: 60,
  page: 6,
  command: 32,
  create: 300,
  limited: 400,
  large: 400,
  unknown: 200
}
const slowReaders = 24
const breathMs = 10
// A connection that the service closes is reopened after a pause.
const reopenMs = 1_000
const unreadMs = 15_000
const opensASecond = 400

const times = (count: number, work: (index: number) => Promise<void>) =>
  Array.from({ length: count }, (_, n) => work(n))

/**
 * Runs in a process of its own, so that its work does not slow the measurements. Starts on `orders`, and ends on
 * `null`.
 */
const spell = (orders: HostileOrders, signal: AbortSignal) => {
  const { apiKeys, hoard, urls } = orders
  const [apiKey] = apiKeys
  const wire = hostileWire(signal)
  const statuses: Record<string, number> = {}
  const taken = new Set<string>()
  const failed = new Set<string>()
  let largest = { bytes: 0, what: "" }
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {})
  const anyUrl = () => urls[Math.floor(Math.random() * urls.length)]!

  const keepAsking = async (kind: string, list: ReadonlyArray<Input>, first: number, isTakenWrong: boolean) => {
    for (let turn = first; !signal.aborted; turn++) {
      const input = list[turn % list.length]!
      const { bytes, status } = await wire.ask(anyUrl(), input, apiKeys[turn % apiKeys.length]!)
      if (signal.aborted) return
      const name = `${kind} ${status === 0 ? "none" : status}`
      statuses[name] = (statuses[name] ?? 0) + 1
      if (bytes > largest.bytes) largest = { bytes, what: input.what }
      if (isTakenWrong && input.isQuestion !== true && status >= 200 && status < 300)
        taken.add(`${input.what}: ${status}`)
      if (status === 500) failed.add(`${input.what}: ${status}`)
      await pause(breathMs)
    }
  }

  const head = (path: string) => `GET ${path} HTTP/1.1\r\nHost: folio\r\nAuthorization: Bearer ${apiKey}\r\n`
  // Unread connections are dropped after a while, because a client that does not read does not notice that the other
  // side has closed.
  const keepOpen = async (url: string, say: string, drop: string, reads = true) => {
    while (!signal.aborted) {
      const connection = wire.open(url, { say, reads })
      for (let turn = 0; connection.isOpen() && !signal.aborted; turn++) {
        if (drop === "") break
        if (turn > 0) connection.write(drop)
        await Promise.race([connection.ended, pause(reopenMs)])
      }
      if (!reads) await Promise.race([connection.ended, pause(unreadMs)]).then(connection.close)
      await connection.ended
      await pause(reopenMs)
    }
  }
  const said: ReadonlyArray<readonly [say: string, drop: string]> = [
    // No bytes; one complete request; half a head without an end; half a body without an end.
    ["", ""],
    ["GET /health/live HTTP/1.1\r\nHost: folio\r\n\r\n", ""],
    ["GET /v1/invoices HTTP/1.1\r\nHost: folio\r\n", "X-More: a\r\n"],
    [
      `POST /v1/invoices HTTP/1.1\r\nHost: folio\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n{`,
      " "
    ]
  ]
  const hoarding = async () => {
    for (let count = 0; count < hoard && !signal.aborted; count++) {
      const [say, drop] = said[count % said.length]!
      // All connections go to one process: the limit applies to each process.
      void keepOpen(urls[0]!, say, drop)
      if (count % 20 === 19) await pause((20 * 1_000) / opensASecond)
    }
  }
  // Requests twenty responses and reads none.
  const unread = `${head("/v1/invoices?limit=100")}\r\n`.repeat(20)

  const poll: ReadonlyArray<Input> = [
    {
      what: "a long poll",
      method: "GET",
      path: "/v1/events?wait=20&limit=100&object_id=inv_01k0000000000000000000000a"
    }
  ]
  const reads = dearReads(orders)
  const inputs = worstInputs(orders.customer)
  const commands = smallCommands(orders)
  const orderly = goodInvoices(orders.customer)
  const large = largeBodies(orders.customer)
  const deeds: Record<HostileKind, () => unknown> = {
    hoard: hoarding,
    unread: () => times(slowReaders, (n) => keepOpen(urls[n % urls.length]!, unread, "", false)),
    input: () => times(workers.input, (n) => keepAsking("input", inputs, n * 5, true)),
    read: () => times(workers.read, (n) => keepAsking("read", reads, n * 7, false)),
    key: () => times(workers.key, (n) => keepAsking("key", badKeys, n, true)),
    poll: () => times(workers.poll, (n) => keepAsking("poll", poll, n, false)),
    page: () => times(workers.page, (n) => keepAsking("page", anonymousPages, n, false)),
    command: () => times(workers.command, (n) => keepAsking("command", commands, n, false)),
    create: () => times(workers.create, (n) => keepAsking("create", orderly, n, false)),
    limited: () => times(workers.limited, (n) => keepAsking("limited", smallReads, n, false)),
    large: () => times(workers.large, (n) => keepAsking("large", large, n, true)),
    unknown: () => times(workers.unknown, (n) => keepAsking("unknown", unknownPaths, n, true))
  }
  const cpuBefore = process.cpuUsage()
  for (const kind of orders.kinds) void deeds[kind]()
  return (): HostileTally => {
    const { system, user } = process.cpuUsage(cpuBefore)
    const cpu = Math.round((system + user) / 1_000)
    return { statuses, largest, held: wire.most(), taken: [...taken], failed: [...failed], cpu }
  }
}

// On another machine it would use none of the service's processors.
setPriority(19)

let end: AbortController | undefined
let tally: (() => HostileTally) | undefined
process.on("message", (orders: HostileOrders | null) => {
  if (orders !== null) {
    end = new AbortController()
    tally = spell(orders, end.signal)
    return
  }
  end?.abort()
  process.send?.(tally?.())
})
process.on("disconnect", () => process.exit())
