import { Context } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { performance } from "node:perf_hooks"
import { networkOf } from "../http/RateLimit.ts"

/** How many connections this process keeps, in all and of one address (`networkOf`). */
export class ConnectionLimits extends Context.Reference<{ readonly max: number; readonly perAddress: number }>(
  "folio/platform/ConnectionLimits",
  { defaultValue: () => ({ max: 2_000, perAddress: 500 }) }
) {}

/** How long it waits for a client, and what it holds for those that keep it waiting. */
export interface ClientPatience {
  /** An answer that has not been read to its end by then is given up, with its connection. */
  readonly answerMs: number
  /** Who has kept a request or an answer waiting for this long makes room where there is none. */
  readonly stalledMs: number
  /** A connection of the reserve that has sent nothing by then is closed. */
  readonly reserveMs: number
  /** Connections beyond their number, which are told so, or asked for the service's health. */
  readonly reserveMax: number
  /** Bytes of answers that clients have not read, in all connections. One address may hold up a quarter, unless it may have all. */
  readonly unreadMax: number
  /** Requests of one connection that have not been answered. */
  readonly pipelinedMax: number
}

/** Why a connection is not taken: there are too many, or too many of its address. */
export type Refusal = "full" | "address"

/** Why one is closed: it makes room, it did not read its answers, or it did not wait for them. */
export type Cut = "idle" | "stalled" | "unread" | "pipelined"

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

interface Connection {
  readonly socket: Socket
  readonly network: string
  /** What is under way, in its order: the first is what is being answered. */
  readonly exchanges: Set<Exchange>
  /** Since when it has been idle, or receiving its request, or reading its answer. */
  since: number
  unread: number
}

const isUnread = ({ response }: Exchange) => response.writableEnded && !response.writableFinished

const waitsForClient = ({ exchanges }: Connection) =>
  [...exchanges].some((exchange) => !exchange.request.complete || isUnread(exchange))

/**
 * The connections of a server. `http.Server.maxConnections` closes whoever comes last, without a word: 2,000 that idle would
 * keep everybody out. Here whoever comes last is taken, and the one that has idled longest makes room; if none idles, one that
 * keeps the service waiting. If all are at work, he goes to a small reserve, which is told so, and still asked for the
 * service's health.
 */
export const makeConnections = (
  { max, perAddress }: typeof ConnectionLimits.Service,
  patience: ClientPatience,
  onCut: (why: Cut) => void
) => {
  // The oldest first.
  const idle = new Set<Connection>()
  const busy = new Set<Connection>()
  const reserve = new Map<Socket, { readonly since: number; readonly why: Refusal }>()
  const known = new WeakMap<Socket, Connection>()
  const ofNetwork = new Map<string, number>()
  const unreadOf = new Map<string, number>()
  let unread = 0

  // Where one address may have all connections, it may stand for all clients: they come by way of a proxy.
  const unreadPerAddress = perAddress >= max ? patience.unreadMax : patience.unreadMax / 4

  const hold = (connection: Connection, bytes: number) => {
    const more = bytes - connection.unread
    if (more === 0) return
    connection.unread = bytes
    unread += more
    const ofAddress = (unreadOf.get(connection.network) ?? 0) + more
    if (ofAddress === 0) unreadOf.delete(connection.network)
    else unreadOf.set(connection.network, ofAddress)
  }

  const forget = (connection: Connection) => {
    if (!idle.delete(connection) && !busy.delete(connection)) return
    hold(connection, 0)
    const others = (ofNetwork.get(connection.network) ?? 1) - 1
    if (others === 0) ofNetwork.delete(connection.network)
    else ofNetwork.set(connection.network, others)
  }

  const cut = (connection: Connection, why: Cut) => {
    forget(connection)
    connection.socket.destroy()
    onCut(why)
  }

  const makeRoom = (network?: string) => {
    const isCandidate = (connection: Connection) => network === undefined || connection.network === network
    for (const connection of idle) {
      if (!isCandidate(connection)) continue
      cut(connection, "idle")
      return true
    }
    const before = performance.now() - patience.stalledMs
    let slowest: Connection | undefined
    for (const connection of busy) {
      if (connection.since > Math.min(before, slowest?.since ?? before) || !isCandidate(connection)) continue
      if (waitsForClient(connection)) slowest = connection
    }
    if (slowest === undefined) return false
    cut(slowest, "stalled")
    return true
  }

  const refusalOf = (network: string): Refusal | undefined => {
    if ((ofNetwork.get(network) ?? 0) >= perAddress && !makeRoom(network)) return "address"
    return idle.size + busy.size >= max && !makeRoom() ? "full" : undefined
  }

  /** Takes a connection, unless there is no room for it: then it is of the reserve, and `tell` is for whom it displaces there. */
  const admit = (socket: Socket, tell: (socket: Socket, why: Refusal) => void): boolean => {
    const network = networkOf(socket.remoteAddress ?? "unknown")
    const why = refusalOf(network)
    const since = performance.now()
    if (why === undefined) {
      const connection: Connection = { socket, network, exchanges: new Set(), since, unread: 0 }
      idle.add(connection)
      known.set(socket, connection)
      ofNetwork.set(network, (ofNetwork.get(network) ?? 0) + 1)
      socket.once("close", () => forget(connection))
      return true
    }
    const [oldest] = reserve
    if (oldest !== undefined && reserve.size >= patience.reserveMax) {
      reserve.delete(oldest[0])
      tell(oldest[0], oldest[1].why)
    }
    reserve.set(socket, { since, why })
    socket.once("close", () => reserve.delete(socket))
    return false
  }

  /** The address that holds up too much, if there is one: more than its own share, or the most of what is too much in all. */
  const heaviest = (network: string) => {
    if ((unreadOf.get(network) ?? 0) > unreadPerAddress) return network
    if (unread <= patience.unreadMax) return undefined
    let [most, bytes] = [network, 0]
    for (const each of unreadOf) if (each[1] > bytes) [most, bytes] = each
    return most
  }

  /**
   * Counts anew what a client has not read. When it is too much, whoever has held it up for longest is given up, but only of the
   * address that holds up the most: one that opens connections again and again and never reads would outlast all others.
   */
  const weigh = (connection: Connection) => {
    if (!busy.has(connection) && !idle.has(connection)) return
    let bytes = connection.socket.writableLength
    // Answers that wait for the one before.
    for (const { response } of connection.exchanges) if (response.socket === null) bytes += response.writableLength
    hold(connection, bytes)
    for (;;) {
      const network = heaviest(connection.network)
      if (network === undefined) return
      let oldest: Connection | undefined
      for (const other of busy) {
        if (other.network !== network || other.unread === 0) continue
        if (oldest === undefined || other.since < oldest.since) oldest = other
      }
      if (oldest === undefined) return
      cut(oldest, "unread")
    }
  }

  /** Follows a request from its headers until its answer has been read. */
  const begin = (request: IncomingMessage, response: ServerResponse) => {
    const connection = known.get(request.socket)
    if (connection === undefined || (!idle.delete(connection) && !busy.has(connection))) return
    busy.add(connection)
    if (connection.exchanges.size >= patience.pipelinedMax) return cut(connection, "pipelined")
    const exchange = { request, response }
    connection.exchanges.add(exchange)
    connection.since = performance.now()
    // All of the answer has been handed to the socket.
    response.once("prefinish", () => {
      connection.since = performance.now()
      weigh(connection)
    })
    response.once("close", () => {
      connection.exchanges.delete(exchange)
      weigh(connection)
      if (connection.exchanges.size > 0 || !busy.delete(connection)) return
      connection.since = performance.now()
      idle.add(connection)
    })
  }

  /** To be called now and then. Whoever idles or keeps the service waiting does not hold up its end. */
  const sweep = (isStopping: boolean) => {
    if (isStopping) while (makeRoom());
    const now = performance.now()
    for (const connection of busy) {
      const [first] = connection.exchanges
      if (first !== undefined && isUnread(first) && now - connection.since >= patience.answerMs) {
        cut(connection, "unread")
      } else weigh(connection)
    }
    for (const [socket, { since }] of reserve) {
      if (!isStopping && now - since < patience.reserveMs) return
      socket.destroy()
    }
  }

  return {
    admit,
    begin,
    sweep,
    /** Why a connection of the reserve is there. */
    refusalOf: (socket: Socket): Refusal => reserve.get(socket)?.why ?? "full",
    count: () => ({ idle: idle.size, busy: busy.size, reserve: reserve.size, unread })
  }
}
