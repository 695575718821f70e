import * as NodeSocket from "@effect/platform-node/NodeSocket"
import { Clock, Context, Duration, Effect, FiberSet, Layer, Metric, Redacted, Schema } from "effect"
import { type RunnerAddress, Runners } from "effect/cluster"
import { NetAddress } from "effect/net"
import { RpcClient, RpcSerialization } from "effect/rpc"
import { Socket, SocketServer } from "effect/socket"
import { constants, hkdfSync } from "node:crypto"
import * as Net from "node:net"
import * as Tls from "node:tls"
import * as Metrics from "../Metrics.ts"
import { PreviousSecretKey, SecretKey } from "../../database/Secrets.ts"

/** Other processes cannot reach this process. The message is one line with the fix. */
export class RunnerError extends Schema.TaggedError<RunnerError>()("RunnerError", { message: Schema.String }) {}

/** Time-out of a connection's TLS handshake, in which both sides prove that they have the key. */
const proofTimeout = "5 seconds"

/** Time-out of a TCP connect. The operating system accepts it even for a busy process, so a slower machine is down. */
const connectTimeout = "1 second"

/** The maximum of unauthenticated connections. Above it, the oldest is closed: a proof takes milliseconds. */
export const unprovenMax = 128

const sameEverywhere = "Set the same FOLIO_KEY in every process of this database."

/**
 * TLS with a pre-shared key instead of certificates: a peer without the key fails in the handshake. Frames are
 * encrypted, in order and bound to their connection, and a later loss of the key does not reveal recorded traffic. TLS
 * 1.3 could fall back to certificates; TLS 1.2 with this cipher suite cannot. OpenSSL limits the data before the proof
 * to 128 KiB.
 */
const tls = {
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.2",
  ciphers: "ECDHE-PSK-CHACHA20-POLY1305",
  secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION
} as const

/** The connections' pre-shared key, and an identity that differs if the keys differ. Neither reveals the secret. */
const proofOf = (secret: Uint8Array) => {
  const derive = (what: string, length: number) => Buffer.from(hkdfSync("sha256", secret, "", `folio ${what}`, length))
  return { psk: derive("runner connection", 32), identity: derive("runner connection name", 8).toString("hex") }
}
type Proof = ReturnType<typeof proofOf>

/**
 * Makes a function that runs `tell` at most once a minute per kind of event, with the number of events since the last
 * run.
 */
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

/**
 * Waits until a socket is open. Fails with a `SocketError` if the socket fails, closes, or does not open within
 * `within`.
 */
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

/** Opens a connection to another process. Succeeds when both processes have proved that they have the key. */
const dial = Effect.fnUntraced(function* ({ host, port }: RunnerAddress.RunnerAddress, proof: Proof) {
  const raw = Net.connect({ host, port, noDelay: true })
  let socket = raw
  let isOpen = false
  yield* Effect.addFinalizer(() => Effect.sync(() => (isOpen ? socket.destroySoon() : socket.destroy())))
  yield* opened(raw, "connect", connectTimeout)
  // Without a certificate there is no host name to compare.
  socket = Tls.connect({ ...tls, socket: raw, pskCallback: () => proof, checkServerIdentity: () => undefined })
  yield* opened(socket, "secureConnect", proofTimeout)
  isOpen = true
  return socket
})

/**
 * The reason of a failed connection: `another_key` if the other process rejected this process's key, `no_proof` if the
 * other process did not prove that it has the key. Undefined for any other reason, for example that no process listens.
 */
const excluded = ({ reason }: Socket.SocketError) => {
  const code = reason.cause instanceof Error && "code" in reason.cause ? String(reason.cause.code) : ""
  return /UNKNOWN_PSK_IDENTITY/.test(code) ? "another_key" : code.startsWith("ERR_SSL_") ? "no_proof" : undefined
}

/** The client side of the protocol between processes: the connections that this process opens. */
const makeClientProtocol = Effect.fnUntraced(function* (proof: Proof) {
  const serialization = yield* RpcSerialization.RpcSerialization
  const seldom = yield* makeSeldom
  const why = {
    another_key: `has another FOLIO_KEY than this one. ${sameEverywhere}`,
    no_proof: "did not prove that it has FOLIO_KEY. Check which program listens there."
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

const told = {
  another_key: `because its FOLIO_KEY is not this process's. ${sameEverywhere}`,
  no_proof: "because it did not prove that it has FOLIO_KEY. Only processes of this service belong there.",
  too_slow: `because it did not prove within ${proofTimeout} that it has FOLIO_KEY. Only processes of this service belong there.`,
  too_many: `because more than ${unprovenMax} connections had not proved that they have FOLIO_KEY. Allow only processes of this service to reach RUNNER_PORT.`
}
type Reason = keyof typeof told

/**
 * Accepts the connections of other processes. Reads nothing from a connection before the peer has proved that it has
 * one of the keys.
 */
const listen = Effect.fnUntraced(function* (address: RunnerAddress.RunnerAddress, proofs: ReadonlyArray<Proof>) {
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const seldom = yield* makeSeldom
  // A separate constant, because Node's types allow `pskCallback` only for a TLS server. A TLS server does not report a
  // connection before its proof, but connections without a proof are limited here.
  const options = {
    isServer: true,
    secureContext: Tls.createSecureContext(tls),
    pskCallback: (_: Tls.TLSSocket, identity: string) =>
      proofs.find((proof) => proof.identity === identity)?.psk ?? null
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
    const from = raw.remoteAddress ?? "an unknown address"
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
    // A peer that closes without sending a byte only checked whether a process listens, and is not reported.
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
      const message = `Folio cannot listen for the other processes on ${host}:${port} (${why}). Give each process on a machine its own RUNNER_PORT, and a RUNNER_HOST that the others reach.`
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
      // The socket may have closed before a listener was attached.
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

/**
 * The connections between this process, which listens at `address`, and the others. Both sides prove that they have
 * `FOLIO_KEY`. A process also accepts the others' proof with its `FOLIO_KEY_PREVIOUS`.
 */
export const layer = (address: RunnerAddress.RunnerAddress) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const proof = proofOf(Redacted.value(yield* SecretKey))
      // During a change of the key, the other processes may still have the previous key, or already the next one.
      const previous = yield* PreviousSecretKey
      const accepted = previous === undefined ? [proof] : [proof, proofOf(Redacted.value(previous))]
      return Context.make(SocketServer.SocketServer, yield* listen(address, accepted)).pipe(
        Context.add(Runners.RpcClientProtocol, yield* makeClientProtocol(proof))
      )
    })
  )
