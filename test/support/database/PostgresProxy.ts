import { Effect } from "effect"
import * as Net from "node:net"

/** Stands between a service and its PostgreSQL, and does to their connections what networks do. */
export interface PostgresProxy {
  /** The URL of the database by way of the proxy. */
  readonly url: string
  /**
   * Resets so many connections, each at the moment when the server has answered what matches: it is done, and nobody hears of
   * it. `what` is looked for in the text of the transaction so far, COMMIT included.
   */
  readonly cutAnswer: (what: RegExp, times?: number) => void
  /** Resets so many connections, each at the moment when the client sends what matches: the server never gets it. */
  readonly cutRequest: (what: RegExp, times?: number) => void
  /** How many connections are still to be cut. */
  readonly uncut: () => number
  /** Connections stay open, and take new ones, but nothing comes through any more, in either direction. */
  readonly blackHole: () => void
  /** New connections work again; those that were in the black hole stay there for ever. */
  readonly heal: () => void
  /** Resets all connections. */
  readonly reset: () => void
}

/** The SQL that a client's messages execute. A prepared statement is sent once, and by its name from then on. */
const makeReader = () => {
  const prepared = new Map<string, string>()
  let left = Buffer.alloc(0)
  let startup = true
  return (chunk: Buffer): ReadonlyArray<string> => {
    const executed: Array<string> = []
    left = Buffer.concat([left, chunk])
    while (left.length >= 5) {
      // The first message has no type.
      const head = startup ? 0 : 1
      const length = head + left.readInt32BE(head)
      if (left.length < length) break
      const type = startup ? "" : String.fromCharCode(left[0]!)
      const [first = "", second = ""] = left.toString("utf8", 5, length).split("\0", 2)
      if (type === "P") prepared.set(first, second)
      if (type === "B") executed.push(prepared.get(second) ?? "")
      left = left.subarray(length)
      startup = false
    }
    return executed
  }
}

/** The state that a server's answer ends in: idle, in a transaction, failed; or that it is not yet at its end. */
const endOf = (answer: Buffer) =>
  answer.length >= 6 && answer.readUInt32BE(answer.length - 5) === 5 && answer.at(-6) === 0x5a
    ? String.fromCharCode(answer.at(-1)!)
    : undefined

export const postgresProxy = Effect.fnUntraced(function* (database: string) {
  const target = new URL(database)
  const pairs = new Set<{
    readonly client: Net.Socket
    readonly server: Net.Socket
    swallowed: boolean
    cut: boolean
  }>()
  let cutting = { what: /^/, left: 0, before: false }
  let holed = false

  const listener = Net.createServer((client) => {
    const server = Net.connect(Number(target.port), target.hostname)
    const pair = { client, server, swallowed: holed, cut: false }
    const read = makeReader()
    let said = ""
    pairs.add(pair)
    client.setNoDelay(true)
    server.setNoDelay(true)
    client.on("data", (chunk: Buffer) => {
      if (pair.swallowed) return
      for (const statement of read(chunk)) said += `${statement};\n`
      // Counted here, and not when it is cut: of two that match at once, one is cut.
      if (!pair.cut && cutting.left > 0 && cutting.what.test(said)) {
        pair.cut = true
        cutting.left -= 1
        if (cutting.before) {
          pair.cut = false
          pair.swallowed = true
          return void client.resetAndDestroy()
        }
      }
      server.write(chunk)
    })
    server.on("data", (chunk: Buffer) => {
      if (pair.swallowed) return
      const state = endOf(chunk)
      if (state === "I") said = ""
      if (!pair.cut) return void client.write(chunk)
      if (state === undefined) return
      pair.cut = false
      pair.swallowed = true
      client.resetAndDestroy()
    })
    const end = () => {
      pairs.delete(pair)
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) socket.on("error", end).on("close", end)
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      listener.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        listener.close(() => resume(Effect.void))
        for (const { client } of pairs) client.destroy()
      })
  )
  const url = new URL(database)
  url.port = String((listener.address() as Net.AddressInfo).port)
  const proxy: PostgresProxy = {
    url: url.href,
    cutAnswer: (what, times = 1) => {
      cutting = { what, left: times, before: false }
    },
    cutRequest: (what, times = 1) => {
      cutting = { what, left: times, before: true }
    },
    uncut: () => cutting.left + [...pairs].filter(({ cut }) => cut).length,
    blackHole: () => {
      holed = true
      for (const pair of pairs) pair.swallowed = true
    },
    heal: () => {
      holed = false
    },
    reset: () => {
      for (const { client } of pairs) client.resetAndDestroy()
    }
  }
  return proxy
})
