import * as NodeSocket from "@effect/platform-node/NodeSocket"
import { Clock, Context, Duration, Effect, FiberSet, Layer, Metric, Redacted, Schema } from "effect"
import { type RunnerAddress, Runners } from "effect/cluster"
import { NetAddress } from "effect/net"
import { RpcClient, RpcSerialization } from "effect/rpc"
import { Socket, SocketServer } from "effect/socket"
import { constants, hkdfSync } from "node:crypto"
import * as Net from "node:net"
import * as Tls from "node:tls"
import * as Metrics from "../protocol/Metrics.ts"
import { SecretKey } from "../store/Secrets.ts"

/** The other processes cannot reach this one. The message is one line that says what to do. */
export class RunnerError extends Schema.TaggedError<RunnerError>()("RunnerError", { message: Schema.String }) {}

/** How long a connection may take until both sides have proved that they have the key. */
const proofTimeout = "5 seconds"

/** As long as it takes to see that a machine is gone; a process that is only busy is connected to by its system. */
const connectTimeout = "1 second"

/** Connections that have proved nothing yet. One more, and the oldest is cut: a proof takes milliseconds. */
export const unprovenMax = 128

const sameEverywhere = "Set the same FOLIO_KEY in every process of this database."

/*
 * TLS with a key that both have, in place of certificates: who does not have it gets no further than the handshake. Frames are
 * encrypted, in order and of this connection alone, and no later loss of the key opens what was recorded. TLS 1.3 could fall
 * back to certificates, and version 1.2 with this suite cannot. What comes before the proof OpenSSL limits to 128 KiB.
 */
const tls = {
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.2",
  ciphers: "ECDHE-PSK-CHACHA20-POLY1305",
  secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION
} as const

/** The key of the connections, and a name by which it is known that two have different ones. Neither tells the secret. */
const proofOf = (secret: Uint8Array) => {
  const derive = (what: string, length: number) => Buffer.from(hkdfSync("sha256", secret, "", `folio ${what}`, length))
  return { psk: derive("runner connection", 32), identity: derive("runner connection name", 8).toString("hex") }
}
type Proof = ReturnType<typeof proofOf>

/** Runs what tells of an event at most once a minute for each kind, with how many there were since the last time. */
const makeSeldom = Effect.map(Clock.Clock, (clock) => {
  const told = new Map<string, { at: number; since: number }>()
  return <E, R>(kind: string, tell: (count: number) => Effect.Effect<void, E, R>) =>
    Effect.suspend(() => {
      const now = clock.currentTimeMillisUnsafe()
      const known = told.get(kind) ?? { at: -Infinity, since: 0 }
      const count = known.since + 1
      const due = now - known.at >= 60_000
      told.set(kind, due ? { at: now, since: 0 } : { at: known.at, since: count })
      return due ? tell(count) : Effect.void
    })
})

const openError = (cause: unknown, kind: "Unknown" | "Timeout" = "Unknown") =>
  new Socket.SocketError({ reason: new Socket.SocketOpenError({ kind, cause }) })

/** Waits for the event that says that a socket is open. */
const opened = (socket: Net.Socket, event: "connect" | "secureConnect", within: Duration.Input) =>
  Effect.callback<void, Socket.SocketError>((resume) => {
    socket.once(event, () => resume(Effect.void))
    socket.on("error", (cause) => resume(Effect.fail(openError(cause))))
    socket.once("close", () => resume(Effect.fail(openError(new Error("The connection was closed")))))
  }).pipe(
    Effect.timeoutOrElse({
      duration: within,
      orElse: () => Effect.fail(openError(new Error("Connection timed out"), "Timeout"))
    })
  )

/** A connection to another process, once each has proved to the other that it has the key. */
const dial = Effect.fnUntraced(function* ({ host, port }: RunnerAddress.RunnerAddress, proof: Proof) {
  const raw = Net.connect({ host, port, noDelay: true })
  let socket = raw
  let isOpen = false
  yield* Effect.addFinalizer(() => Effect.sync(() => (isOpen ? socket.destroySoon() : socket.destroy())))
  yield* opened(raw, "connect", connectTimeout)
  // There is no certificate whose name could be compared.
  socket = Tls.connect({ ...tls, socket: raw, pskCallback: () => proof, checkServerIdentity: () => undefined })
  yield* opened(socket, "secureConnect", proofTimeout)
  isOpen = true
  return socket
})

/** Why there is no connection: it refused this process's key, or it did not prove its own; undefined: it may not be there. */
const excluded = ({ reason }: Socket.SocketError) => {
  const code = reason.cause instanceof Error && "code" in reason.cause ? String(reason.cause.code) : ""
  return /UNKNOWN_PSK_IDENTITY/.test(code) ? "another_key" : code.startsWith("ERR_SSL_") ? "no_proof" : undefined
}

/** The connections that this process opens. */
const makeClientProtocol = Effect.fnUntraced(function* (proof: Proof) {
  const serialization = yield* RpcSerialization.RpcSerialization
  const seldom = yield* makeSeldom
  const why = {
    another_key: `has another FOLIO_KEY than this one. ${sameEverywhere}`,
    no_proof: "did not prove that it has FOLIO_KEY. Look at what listens there."
  }
  return Runners.RpcClientProtocol.of({
    codecFor: serialization.codecFor,
    make: Effect.fnUntraced(function* (address) {
      const open = Effect.tapError(dial(address, proof), (error) => {
        const kind = excluded(error)
        if (kind === undefined) return Effect.void
        return seldom(kind, () => Effect.logError(`The process at ${address.host}:${address.port} ${why[kind]}`))
      })
      return yield* RpcClient.makeProtocolSocket().pipe(
        Effect.provideService(Socket.Socket, yield* NodeSocket.fromDuplex(open)),
        Effect.provideService(RpcSerialization.RpcSerialization, serialization)
      )
    })
  })
})

type Reason = "another_key" | "no_proof" | "too_slow" | "too_many"

const told: Record<Reason, string> = {
  another_key: `because its FOLIO_KEY is not this process's. ${sameEverywhere}`,
  no_proof: "because it did not prove that it has FOLIO_KEY. Only processes of this service belong there.",
  too_slow: `because it did not prove within ${proofTimeout} that it has FOLIO_KEY. Only processes of this service belong there.`,
  too_many: `because more than ${unprovenMax} connections at once had not proved that they have FOLIO_KEY. Let nothing but processes of this service reach RUNNER_PORT.`
}

/** Takes the connections of other processes: nothing is read from one before it has proved that it has the key. */
const listen = Effect.fnUntraced(function* (address: RunnerAddress.RunnerAddress, proof: Proof) {
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const seldom = yield* makeSeldom
  // Node's types know the callback as an option of a TLS server only. That would show no connection before its proof.
  const options = {
    isServer: true,
    secureContext: Tls.createSecureContext(tls),
    pskCallback: (_: Tls.TLSSocket, identity: string) => (identity === proof.identity ? proof.psk : null)
  }
  const unproven = new Map<Tls.TLSSocket, (reason: Reason) => void>()
  const waiting = new Set<Tls.TLSSocket>()
  const wait = (socket: Tls.TLSSocket) => {
    waiting.add(socket)
    socket.once("close", () => waiting.delete(socket))
  }
  let serve = wait

  const tell = (reason: Reason, from: string) =>
    Effect.andThen(
      Metric.update(Metrics.runnersRefused(reason), 1),
      seldom(reason, (count) =>
        Effect.logWarning(
          `RUNNER_PORT refused a connection from ${from}${count === 1 ? "" : `, and ${count - 1} more`}, ${told[reason]}`
        )
      )
    )

  const server = Net.createServer({ noDelay: true }, (raw) => {
    const from = raw.remoteAddress ?? "an address that is gone"
    raw.on("error", () => {})
    const socket = new Tls.TLSSocket(raw, options)
    const settled = () => {
      clearTimeout(timer)
      return unproven.delete(socket)
    }
    const refuse = (reason: Reason) => {
      if (!settled()) return
      socket.destroy()
      fork(tell(reason, from))
    }
    const timer = setTimeout(() => refuse("too_slow"), Duration.toMillis(proofTimeout))
    unproven.set(socket, refuse)
    socket.on("error", (error) =>
      refuse("code" in error && error.code === "ERR_SSL_PSK_IDENTITY_NOT_FOUND" ? "another_key" : "no_proof")
    )
    // Who leaves without a word only looked whether somebody listens.
    socket.once("close", () => (raw.bytesRead > 0 ? refuse("no_proof") : settled()))
    socket.once("secure", () => {
      if (!settled()) return
      socket.pause()
      serve(socket)
    })
    const [oldest] = unproven.values()
    if (unproven.size > unprovenMax) oldest?.("too_many")
  })

  yield* Effect.addFinalizer(() =>
    Effect.callback<void>((resume) => {
      for (const socket of [...unproven.keys(), ...waiting]) socket.destroy()
      server.close(() => resume(Effect.void))
    })
  )
  const { host, port } = address
  yield* Effect.callback<void, RunnerError>((resume) => {
    server.on("error", ({ message: why }) => {
      const message = `Folio cannot listen for the other processes on ${host}:${port} (${why}). Give each process a RUNNER_PORT of its own on its machine, and a RUNNER_HOST that the others reach.`
      resume(Effect.fail(new RunnerError({ message })))
    })
    server.listen({ host, port }, () => resume(Effect.void))
  })
  const bound = server.address() as Net.AddressInfo

  const run: SocketServer.SocketServer["Service"]["run"] = Effect.fnUntraced(function* <R, E, _>(
    handler: (socket: Socket.Socket) => Effect.Effect<_, E, R>
  ) {
    const forkHandler = yield* FiberSet.makeRuntime<R>()
    serve = (socket) => {
      // It may have been closed before anybody listened to it.
      const open = Effect.suspend(() =>
        socket.closed ? Effect.fail(openError(new Error("The connection was closed"))) : Effect.succeed(socket)
      )
      forkHandler(
        NodeSocket.fromDuplex(open).pipe(
          Effect.flatMap(handler),
          Effect.ensuring(Effect.sync(() => socket.destroySoon())),
          Effect.ignoreCause({ log: "Unhandled", message: "A connection of another process failed" })
        )
      )
    }
    for (const socket of waiting) serve(socket)
    waiting.clear()
    return yield* Effect.onExit(Effect.never, () => Effect.sync(() => (serve = wait)))
  }, Effect.scoped)

  return SocketServer.SocketServer.of({
    address: NetAddress.inetAddressFromIpStringUnsafe(bound.address, bound.port),
    run
  })
})

/** Connections between the processes, at this address and to the others: each side of each proves that it has `FOLIO_KEY`. */
export const layer = (address: RunnerAddress.RunnerAddress) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const proof = proofOf(Redacted.value(yield* SecretKey))
      return Context.make(SocketServer.SocketServer, yield* listen(address, proof)).pipe(
        Context.add(Runners.RpcClientProtocol, yield* makeClientProtocol(proof))
      )
    })
  )
