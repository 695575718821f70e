import { Effect } from "effect"
import * as Net from "node:net"

/** A proxy between a service and its PostgreSQL that causes network faults on their connections. */
export interface PostgresProxy {
  /** The URL of the database through the proxy. */
  readonly url: string
  /**
   * Resets this many connections after the server has answered a matching transaction: the transaction is done, and the
   * client does not learn of it. `what` is compared with the text of the transaction so far, COMMIT included.
   */
  readonly cutAnswer: (what: RegExp, times?: number) => void
  /** Resets this many connections when the client sends matching text: the server never receives it. */
  readonly cutRequest: (what: RegExp, times?: number) => void
  /** Number of connections that are still to be cut. */
  readonly uncut: () => number
  /** Keeps connections open and accepts new ones, but passes nothing on, in either direction. */
  readonly blackHole: () => void
  /** New connections work again; those in the black hole stay there for ever. */
  readonly heal: () => void
  /** Resets all connections. */
  readonly reset: () => void
}

/** Reads the SQL that a client's messages execute. A prepared statement is sent once, and then executed by name. */
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

/**
 * The state at the end of a server's response: idle, in a transaction, or failed; or that the response is incomplete.
 */
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
      // Counted here, not at the cut: of two matches at the same time, one is cut.
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
