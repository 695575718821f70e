import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { performance } from "node:perf_hooks"
import type { LimitValues } from "../Limits.ts"
import { networkOf } from "../Networks.ts"

/**
 * The reason of a rejected connection: the process has too many connections (`full`), or its address has (`address`).
 */
export type Refusal = "full" | "address"

/**
 * The reason of a closed connection: to make room (`idle`, `stalled`), because the client did not read its responses
 * (`unread`), or because it sent too many requests without waiting for responses (`pipelined`).
 */
export type Cut = "idle" | "stalled" | "unread" | "pipelined"

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

interface Connection {
  readonly socket: Socket
  readonly network: string
  /** Whether many clients share the connection's address, so that the limits per address do not apply. */
  readonly isShared: boolean
  /** The requests in progress in order of arrival: the first is being processed. */
  readonly exchanges: Set<Exchange>
  /**
   * Time at which the connection became idle, began to receive its request, or had its complete response in the socket
   * (`performance.now()`).
   */
  since: number
  unread: number
  /**
   * The number of 429 responses, minus a quarter of the other responses; from 0 to the number with the longest pause.
   */
  limited: number
}

// The longest pause of a connection is this many times the first.
const pausesMax = 5

// Each response other than 429 reduces the number of 429 responses by this much. A client with at least one 429 in five
// responses is paused eventually.
const limitedLess = 0.25

// In milliseconds, between two connections whose pauses end, so that a flood of rejections does not return in one turn
// of the event loop.
const pacedMs = 5

const isUnread = ({ response }: Exchange) => response.writableEnded && !response.writableFinished

const waitsForClient = ({ exchanges }: Connection) =>
  [...exchanges].some((exchange) => !exchange.request.complete || isUnread(exchange))

/**
 * The connections of a server. `http.Server.maxConnections` closes the newest connection without a response, so that
 * 2,000 idle connections would exclude every client. This class accepts the newest connection, and closes the longest
 * idle one to make room, or else one whose client has stalled. If all connections are active, the newest goes to a
 * small reserve, which gets an error or the service's health as a response. `isProxy`: whether an address is a trusted
 * proxy, whose connections serve many clients.
 */
export const makeConnections = (
  { max, perAddress }: LimitValues["connections"],
  clientLimits: LimitValues["clients"],
  isProxy: (address: string) => boolean,
  onCut: (why: Cut) => void
) => {
  // Sets keep the order of insertion: the longest idle, or longest active, connection comes first.
  const idle = new Set<Connection>()
  const busy = new Set<Connection>()
  const reserve = new Map<Socket, { readonly since: number; readonly why: Refusal }>()
  const known = new WeakMap<Socket, Connection>()
  const ofNetwork = new Map<string, number>()
  const unreadOf = new Map<string, number>()
  /** The sockets whose pause has ended, in order. */
  const resuming = new Set<Socket>()
  let unread = 0

  // If one address may have all connections, it may be a proxy for all clients.
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
   * Accepts a connection and returns true. Without room, the connection goes to the reserve and the result is false.
   * `tell` then receives the connection that a full reserve displaces.
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

  /**
   * The address with too many unread bytes: the connection's if above its share, or the one with the most if the total
   * is too high.
   */
  const heaviest = ({ isShared, network }: Connection) => {
    if (!isShared && (unreadOf.get(network) ?? 0) > unreadPerAddress) return network
    if (unread <= clientLimits.unreadMax) return undefined
    let [most, bytes] = [network, 0]
    for (const each of unreadOf) if (each[1] > bytes) [most, bytes] = each
    return most
  }

  /**
   * Recounts the bytes that a client has not read. Above a limit, closes the connection that has stalled longest, but
   * only among the heaviest address's connections. Otherwise a client that keeps opening connections and never reads
   * would outlast all others.
   */
  const weigh = (connection: Connection) => {
    if (!busy.has(connection) && !idle.has(connection)) return
    let bytes = connection.socket.writableLength
    // A response that waits for the previous response is not in the socket's buffer.
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

  /**
   * Resumes a socket after the sockets whose pauses ended earlier, one every five milliseconds; fewer while the event
   * loop lags.
   */
  const resume = (socket: Socket) => {
    resuming.add(socket)
    if (resuming.size === 1) resumeNext()
  }

  /**
   * Pauses a connection whose client keeps sending although it gets mostly 429: each rejection costs more than the
   * client's request. A trusted proxy's connection also carries other clients' requests.
   */
  const pause = (connection: Connection, { statusCode }: ServerResponse) => {
    if (statusCode !== 429) return void (connection.limited = Math.max(0, connection.limited - limitedLess))
    connection.limited = Math.min(connection.limited + 1, clientLimits.limitedMax + pausesMax)
    const times = connection.limited - clientLimits.limitedMax
    if (connection.isShared || times <= 0) return
    connection.socket.pause()
    setTimeout(() => resume(connection.socket), clientLimits.pauseMs * times).unref()
  }

  /** Tracks a request until the client has read the response. Closes a connection with too many pending requests. */
  const begin = (request: IncomingMessage, response: ServerResponse) => {
    const connection = known.get(request.socket)
    if (connection === undefined || (!idle.delete(connection) && !busy.has(connection))) return
    busy.add(connection)
    if (connection.exchanges.size >= clientLimits.pipelinedMax) return cut(connection, "pipelined")
    const exchange = { request, response }
    connection.exchanges.add(exchange)
    connection.since = performance.now()
    // The complete response is in the socket.
    response.once("prefinish", () => {
      connection.since = performance.now()
      weigh(connection)
    })
    response.once("close", () => {
      connection.exchanges.delete(exchange)
      weigh(connection)
      // A pause within a request ends with the request: Node reads the socket again for the next one.
      if (request.complete) pause(connection, response)
      else request.once("close", () => pause(connection, response))
      if (connection.exchanges.size > 0 || !busy.delete(connection)) return
      connection.since = performance.now()
      idle.add(connection)
    })
  }

  /**
   * Closes connections after their time-out, and idle and stalled ones while the server stops. Call it at an interval.
   */
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
    /** The reason why a connection is in the reserve. */
    refusalOf: (socket: Socket): Refusal => reserve.get(socket)?.why ?? "full",
    count: () => ({ idle: idle.size, busy: busy.size, reserve: reserve.size, unread })
  }
}
