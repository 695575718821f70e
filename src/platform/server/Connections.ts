import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { performance } from "node:perf_hooks"
import { networkOf } from "../../http/limits/RateLimit.ts"
import type { LimitValues } from "../../settings/Limits.ts"

/** Why a connection is refused: the process has too many connections (`full`), or its address has too many (`address`). */
export type Refusal = "full" | "address"

/**
 * Why a connection is closed: to make room (`idle`, `stalled`), because the client did not read its answers (`unread`), or because
 * the client sent too many requests without waiting for answers (`pipelined`).
 */
export type Cut = "idle" | "stalled" | "unread" | "pipelined"

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

interface Connection {
  readonly socket: Socket
  readonly network: string
  /** Whether many clients come through the connection's address, so that the limits of one address do not hold for it. */
  readonly isShared: boolean
  /** The requests in progress in the order of their arrival: the first is being answered. */
  readonly exchanges: Set<Exchange>
  /** When the connection became idle, began to receive its request, or had its whole answer in the socket (`performance.now()`). */
  since: number
  unread: number
  /** The number of 429 answers, less a quarter of the other answers; at least 0, and at most the number with the longest pause. */
  limited: number
}

// The longest pause of a connection is so many times the first.
const pausesMax = 5

// An answer other than 429 takes so much from the number of 429 answers. A client who gets one 429 in five answers or more is paused in the end.
const limitedLess = 0.25

// In milliseconds, between two connections whose pauses are over: a flood of refusals does not come back in one turn of the event loop.
const pacedMs = 5

const isUnread = ({ response }: Exchange) => response.writableEnded && !response.writableFinished

const waitsForClient = ({ exchanges }: Connection) =>
  [...exchanges].some((exchange) => !exchange.request.complete || isUnread(exchange))

/**
 * The connections of a server. `http.Server.maxConnections` closes the newest connection without an answer, so that 2,000 idle
 * connections would keep every client out. Here the newest connection is accepted, and the connection that has been idle for
 * longest is closed to make room; if none is idle, a connection whose client has stalled. If all connections are at work, the
 * newest connection goes to a small reserve, which is answered with a refusal or with the service's health. `isProxy`: whether an
 * address is that of a trusted proxy, whose connections are those of many clients.
 */
export const makeConnections = (
  { max, perAddress }: LimitValues["connections"],
  clientLimits: LimitValues["clients"],
  isProxy: (address: string) => boolean,
  onCut: (why: Cut) => void
) => {
  // Sets keep the order of insertion: the connection that has been idle, or busy, for longest comes first.
  const idle = new Set<Connection>()
  const busy = new Set<Connection>()
  const reserve = new Map<Socket, { readonly since: number; readonly why: Refusal }>()
  const known = new WeakMap<Socket, Connection>()
  const ofNetwork = new Map<string, number>()
  const unreadOf = new Map<string, number>()
  /** The sockets whose pause is over, in order. */
  const resuming = new Set<Socket>()
  let unread = 0

  // Where one address may have all connections, that address may be a proxy through which all clients come.
  const unreadPerAddress = perAddress >= max ? clientLimits.unreadMax : clientLimits.unreadMax / 4

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
    const before = performance.now() - clientLimits.stalledMs
    let slowest: Connection | undefined
    for (const connection of busy) {
      if (connection.since > Math.min(before, slowest?.since ?? before) || !isCandidate(connection)) continue
      if (waitsForClient(connection)) slowest = connection
    }
    if (slowest === undefined) return false
    cut(slowest, "stalled")
    return true
  }

  const refusalOf = (network: string, isShared: boolean): Refusal | undefined => {
    if (!isShared && (ofNetwork.get(network) ?? 0) >= perAddress && !makeRoom(network)) return "address"
    return idle.size + busy.size >= max && !makeRoom() ? "full" : undefined
  }

  /**
   * Accepts a connection and returns true. Without room, the connection goes to the reserve and the result is false; `tell` then
   * receives the connection that is displaced from a full reserve.
   */
  const admit = (socket: Socket, tell: (socket: Socket, why: Refusal) => void): boolean => {
    const address = socket.remoteAddress ?? "unknown"
    const network = networkOf(address)
    const isShared = isProxy(address)
    const why = refusalOf(network, isShared)
    const since = performance.now()
    if (why === undefined) {
      const connection: Connection = { socket, network, isShared, exchanges: new Set(), since, unread: 0, limited: 0 }
      idle.add(connection)
      known.set(socket, connection)
      ofNetwork.set(network, (ofNetwork.get(network) ?? 0) + 1)
      socket.once("close", () => forget(connection))
      return true
    }
    const [oldest] = reserve
    if (oldest !== undefined && reserve.size >= clientLimits.reserveMax) {
      reserve.delete(oldest[0])
      tell(oldest[0], oldest[1].why)
    }
    reserve.set(socket, { since, why })
    socket.once("close", () => reserve.delete(socket))
    return false
  }

  /** The address with too many unread bytes: the connection's if above its share, or that with the most if the total is too high. */
  const heaviest = ({ isShared, network }: Connection) => {
    if (!isShared && (unreadOf.get(network) ?? 0) > unreadPerAddress) return network
    if (unread <= clientLimits.unreadMax) return undefined
    let [most, bytes] = [network, 0]
    for (const each of unreadOf) if (each[1] > bytes) [most, bytes] = each
    return most
  }

  /**
   * Counts again the bytes that a client has not read. While a limit is exceeded, closes the connection that has stalled for
   * longest, but only among connections of the heaviest address: otherwise a client that opens connections again and again and
   * never reads would outlast all others.
   */
  const weigh = (connection: Connection) => {
    if (!busy.has(connection) && !idle.has(connection)) return
    let bytes = connection.socket.writableLength
    // An answer that waits for the answer before it is not in the buffer of the socket.
    for (const { response } of connection.exchanges) if (response.socket === null) bytes += response.writableLength
    hold(connection, bytes)
    for (;;) {
      const network = heaviest(connection)
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

  const resumeNext = () => {
    const [socket] = resuming
    if (socket === undefined) return
    socket.resume()
    setTimeout(() => {
      resuming.delete(socket)
      resumeNext()
    }, pacedMs).unref()
  }

  /** Reads a socket again after the sockets whose pauses ended before, one each five milliseconds; fewer while the event loop is late. */
  const resume = (socket: Socket) => {
    resuming.add(socket)
    if (resuming.size === 1) resumeNext()
  }

  /**
   * Pauses a connection whose client keeps sending although it gets mostly 429: each refusal costs more than the client's request. The
   * connection of a trusted proxy carries the requests of other clients as well.
   */
  const pause = (connection: Connection, { statusCode }: ServerResponse) => {
    if (statusCode !== 429) return void (connection.limited = Math.max(0, connection.limited - limitedLess))
    connection.limited = Math.min(connection.limited + 1, clientLimits.limitedMax + pausesMax)
    const times = connection.limited - clientLimits.limitedMax
    if (connection.isShared || times <= 0) return
    connection.socket.pause()
    setTimeout(() => resume(connection.socket), clientLimits.pauseMs * times).unref()
  }

  /** Follows a request until the client has read the answer. Closes a connection with too many unanswered requests. */
  const begin = (request: IncomingMessage, response: ServerResponse) => {
    const connection = known.get(request.socket)
    if (connection === undefined || (!idle.delete(connection) && !busy.has(connection))) return
    busy.add(connection)
    if (connection.exchanges.size >= clientLimits.pipelinedMax) return cut(connection, "pipelined")
    const exchange = { request, response }
    connection.exchanges.add(exchange)
    connection.since = performance.now()
    // The whole answer has been handed to the socket.
    response.once("prefinish", () => {
      connection.since = performance.now()
      weigh(connection)
    })
    response.once("close", () => {
      connection.exchanges.delete(exchange)
      weigh(connection)
      // A pause within a request ends with it: Node reads the socket again for the next request.
      if (request.complete) pause(connection, response)
      else request.once("close", () => pause(connection, response))
      if (connection.exchanges.size > 0 || !busy.delete(connection)) return
      connection.since = performance.now()
      idle.add(connection)
    })
  }

  /** Closes connections that are out of time, and idle and stalled ones while the server stops; to be called at an interval. */
  const sweep = (isStopping: boolean) => {
    if (isStopping) while (makeRoom());
    const now = performance.now()
    for (const connection of busy) {
      const [first] = connection.exchanges
      if (first !== undefined && isUnread(first) && now - connection.since >= clientLimits.answerMs) {
        cut(connection, "unread")
      } else weigh(connection)
    }
    for (const [socket, { since }] of reserve) {
      if (!isStopping && now - since < clientLimits.reserveMs) return
      socket.destroy()
    }
  }

  return {
    admit,
    begin,
    sweep,
    /** Why a connection is in the reserve. */
    refusalOf: (socket: Socket): Refusal => reserve.get(socket)?.why ?? "full",
    count: () => ({ idle: idle.size, busy: busy.size, reserve: reserve.size, unread })
  }
}
