import { Effect, Layer, Redacted } from "effect"
import {
  MessageStorage,
  Runner,
  RunnerAddress,
  type Runners,
  RunnerStorage,
  ShardingConfig,
  SocketRunner
} from "effect/cluster"
import { RpcSerialization } from "effect/rpc"
import * as Net from "node:net"
import { AccountId, ApiKeyId } from "../../../schemas/Id.ts"
import { currentVersion } from "../../../schemas/Version.ts"
import * as RunnerConnections from "../../../src/runtime/cluster/RunnerConnections.ts"
import { AccountEntity } from "../../../src/accounts/AccountEntity.ts"
import { accountAddress } from "../../../src/runtime/Address.ts"
import { SecretKey } from "../../../src/database/Secrets.ts"
import { quiet } from "../database/Postgres.ts"

type ClientProtocol = Layer.Layer<Runners.RpcClientProtocol, unknown, RpcSerialization.RpcSerialization>

const here = (port: number) => RunnerAddress.RunnerAddress.make({ host: "127.0.0.1", port })

/** Connections like those of the service's own processes, with this key. */
export const connectionsWith = (key: Uint8Array): ClientProtocol =>
  RunnerConnections.layer(here(0)).pipe(Layer.provide(Layer.succeed(SecretKey, Redacted.make(key))))

/** A client that treats the process at this port as the owner of all actors. */
const sharding = (port: number, protocol: ClientProtocol) => {
  const runner = Runner.make({ address: here(port), groups: ["default"], weight: 1 })
  const storage = Layer.effectDiscard(
    Effect.flatMap(RunnerStorage.RunnerStorage, ({ register }) => register(runner, true))
  ).pipe(Layer.provideMerge(RunnerStorage.layerMemory))
  return SocketRunner.layerClientOnly.pipe(
    Layer.provide([protocol, MessageStorage.layerNoop, storage]),
    Layer.provide([
      ShardingConfig.layer({ refreshAssignmentsInterval: "100 millis" }),
      RpcSerialization.layerSchemaBinary()
    ])
  )
}

/**
 * Makes the process at this port create a live key of the account; returns the key, or nothing if none came in time.
 */
export const takeKey = (options: {
  readonly port: number
  readonly protocol: ClientProtocol
  readonly account_id: string
  readonly api_key_id: string
  readonly idempotencyKey?: string
  readonly within?: `${number} seconds`
}) =>
  Effect.gen(function* () {
    const client = yield* AccountEntity.client
    const account = accountAddress({ account_id: AccountId.make(options.account_id), livemode: true })
    const key = options.idempotencyKey
    const { body } = yield* client(account).CreateApiKey({
      context: {
        api_key_id: ApiKeyId.make(options.api_key_id),
        version: currentVersion,
        idempotency: key === undefined ? null : { key, fingerprint: "f" }
      },
      request: {}
    })
    return String(JSON.parse(body).key)
  }).pipe(
    Effect.timeout(options.within ?? "30 seconds"),
    Effect.option,
    Effect.provide(sharding(options.port, options.protocol).pipe(Layer.provideMerge(quiet)))
  )

/** A TLS record on the wire. Type 22 belongs to the handshake, 23 holds the data. */
interface TlsRecord {
  readonly type: number
  readonly bytes: Buffer
}

const applicationData = 23

/** Splits received bytes into records. */
const recordsOf = () => {
  let rest = Buffer.alloc(0)
  return (chunk: Buffer): ReadonlyArray<TlsRecord> => {
    const records: Array<TlsRecord> = []
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 5 && rest.length >= 5 + rest.readUInt16BE(3)) {
      const end = 5 + rest.readUInt16BE(3)
      records.push({ type: rest.readUInt8(0), bytes: rest.subarray(0, end) })
      rest = rest.subarray(end)
    }
    return records
  }
}

export type Meddling = "nothing" | "repeat" | "swap" | "reflect" | "change"

/** A man in the middle before the process at this port, who records and modifies the traffic; returns its own port. */
export const onTheWay = Effect.fnUntraced(function* (port: number, meddling: Meddling) {
  const recorded: Array<Buffer> = []
  const state = { cut: 0 }
  const open = new Set<Net.Socket>()
  const server = Net.createServer((client) => {
    const service = Net.connect(port, "127.0.0.1")
    const [toService, toClient] = [recordsOf(), recordsOf()]
    let held: Buffer | undefined
    for (const socket of [client, service]) {
      open.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => {
        client.destroy()
        service.destroy()
      })
    }
    service.on("close", () => (state.cut += 1))
    client.on("data", (chunk: Buffer) => {
      recorded.push(chunk)
      for (const { bytes, type } of toService(chunk)) {
        if (type !== applicationData || meddling === "nothing" || meddling === "reflect") service.write(bytes)
        else if (meddling === "repeat") service.write(Buffer.concat([bytes, bytes]))
        else if (meddling === "change")
          service.write(Buffer.concat([bytes.subarray(0, -1), Buffer.of(bytes.at(-1)! ^ 1)]))
        else if (held === undefined) held = bytes
        else service.write(Buffer.concat([bytes, held]))
      }
    })
    service.on("data", (chunk: Buffer) => {
      for (const { bytes, type } of toClient(chunk)) {
        if (meddling === "reflect" && type === applicationData) service.write(bytes)
        client.write(bytes)
      }
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.sync(() => {
        server.close()
        for (const socket of open) socket.destroy()
      })
  )
  return { port: (server.address() as Net.AddressInfo).port, recorded, cut: () => state.cut }
})

/** Sends these bytes to the port, and returns the number of bytes received when the connection was closed. */
export const say = (port: number, bytes: Uint8Array) =>
  Effect.callback<number>((resume) => {
    const socket = Net.connect(port, "127.0.0.1", () => socket.write(bytes))
    socket.on("error", () => {})
    socket.on("data", () => {})
    socket.on("close", () => resume(Effect.succeed(socket.bytesRead)))
    return Effect.sync(() => socket.destroy())
  })

/** Silent connections. If the crowd is persistent, each closed one is reopened. */
export const silentCrowd = Effect.fnUntraced(function* (port: number, count: number, isPersistent: boolean) {
  const open = new Set<Net.Socket>()
  let persistent = isPersistent
  const another = () => {
    const socket = Net.connect(port, "127.0.0.1", () => open.add(socket))
    socket.on("error", () => {})
    socket.on("close", () => {
      open.delete(socket)
      if (persistent) another()
    })
  }
  for (let index = 0; index < count; index++) another()
  const giveUp = () => (persistent = false)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      giveUp()
      for (const socket of open) socket.destroy()
    })
  )
  return { open: () => open.size, giveUp }
})
