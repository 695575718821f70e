import { Effect, Layer, Option, Clock } from "effect"
import {
  MessageStorage,
  RunnerAddress,
  RunnerHealth,
  Runners,
  RunnerStorage,
  Sharding,
  ShardingConfig,
  SocketRunner
} from "effect/cluster"
import { RpcSerialization } from "effect/rpc"
import * as ClusterTables from "./ClusterTables.ts"
import * as RunnerConnections from "./RunnerConnections.ts"
import { Settings } from "../process/Settings.ts"

/**
 * While an account's shard has no owner, the account's requests wait. `Sharding` retries locked shards once a second,
 * and a stopping process keeps all its locks until its last actor has ended. A single slow webhook or call to the
 * authority would delay a third of the accounts for seconds.
 */

const lookInterval = "100 millis"

// Longer than the other processes need to notice a new process, and well below the time-out of `Sharding` (2 s).
const patienceMs = 600

/**
 * The storage of a cluster with immediate shard handover. A process waits for locks that are about to be released, and
 * a leaving process releases its locks while its actors complete their work. Two owners of one actor do no harm,
 * because the rows of the database decide.
 */
const layerHandover = Layer.effect(
  RunnerStorage.RunnerStorage,
  Effect.map(RunnerStorage.RunnerStorage, (storage) => {
    const state = { hasLeft: false }

    const acquire = Effect.fnUntraced(function* (...[address, shards]: Parameters<typeof storage.acquire>) {
      const wanted = [...shards]
      const began = yield* Clock.currentTimeMillis
      for (;;) {
        const held = yield* storage.acquire(address, wanted)
        const waited = (yield* Clock.currentTimeMillis) - began
        if (held.length === wanted.length || waited >= patienceMs || state.hasLeft) return held
        yield* Effect.sleep(lookInterval)
      }
    })
    const leave = (address: Parameters<typeof storage.unregister>[0]) =>
      Effect.suspend(() => {
        state.hasLeft = true
        return Effect.andThen(storage.unregister(address), storage.releaseAll(address))
      })

    return RunnerStorage.RunnerStorage.of({
      ...storage,
      acquire: (address, shards) => (state.hasLeft ? Effect.succeed([]) : acquire(address, shards)),
      unregister: leave,
      // A process that has left has no lock to renew or release, and its actors are not hurried.
      refresh: (address, shards) => (state.hasLeft ? Effect.succeed([...shards]) : storage.refresh(address, shards)),
      release: (address, shard) => (state.hasLeft ? Effect.void : storage.release(address, shard)),
      releaseAll: (address) => (state.hasLeft ? Effect.void : storage.releaseAll(address))
    })
  })
)

const common = {
  // An invoice's actor stays in memory for one or two seconds. Under full load, many thousands exist at the same time.
  maxResidentEntities: 50_000,
  entityTerminationTimeout: "17 seconds",
  // Messages are not stored, so there is no polling for them. A process that could not take its shards, because the
  // database was unavailable, retries at this interval.
  entityMessagePollInterval: "1 second",
  simulateRemoteSerialization: false
} as const

// Messages between actors are not stored: the rows of the database are the durable state.
const volatile = MessageStorage.layerNoop

/** Runs all actors in this process, which must be the only one that serves the database. Requires no setting. */
export const singleProcess = Sharding.layer.pipe(
  Layer.provide(Runners.layerNoop),
  Layer.provideMerge(volatile),
  Layer.provide([RunnerStorage.layerMemory, RunnerHealth.layerNoop, ShardingConfig.layer(common)])
)

/**
 * How long a process may be silent before other processes take over its actors. Measured with test/soak/failover.ts on
 * two cores, under full load and with event loops that pause for 200 ms every second. After a kill -9 of its process,
 * an account is unavailable for 5 s, and for less than 8 s even on a machine with much other work.
 */
const lease = "6 seconds"

// How often a process renews its shard locks, and the time-out of a renewal. A process gives up all its actors if its
// event loop or database hangs for longer, which happened with one second. The maximum is a third of the lease.
const leaseRefresh = "2 seconds"

// How soon the other processes notice that a process is missing.
const assignmentsRefresh = "500 millis"

// How often processes check each other. Refused connections prove a process dead before its lease ends; silence does
// not.
const healthCheck = "2 seconds"

// The maximum size of a message between processes. Even request and response bodies are much smaller.
const messageBytesMax = 4 * 1024 * 1024

/**
 * Distributes the actors over all processes of the database. The actors of a killed process move to other processes
 * when its lease has ended. A process that paused for less than the lease keeps its shards.
 */
const manyProcesses = (host: string, port: number) => {
  const address = RunnerAddress.RunnerAddress.make({ host, port })
  return SocketRunner.layer.pipe(
    Layer.provide(RunnerHealth.layerPing.pipe(Layer.provide(Runners.layerRpc))),
    Layer.provide(RunnerConnections.layer(address)),
    Layer.provideMerge(volatile),
    // `prepare` in Postgres.ts creates the tables of this storage.
    Layer.provide(layerHandover.pipe(Layer.provideMerge(ClusterTables.layerStorage))),
    Layer.provide(RpcSerialization.layerSchemaBinary({ maxFrameSize: messageBytesMax })),
    Layer.provide(
      ShardingConfig.layer({
        ...common,
        runnerAddress: Option.some(address),
        runnerListenAddress: Option.some(address),
        shardLockExpiration: lease,
        shardLockRefreshInterval: leaseRefresh,
        refreshAssignmentsInterval: assignmentsRefresh,
        runnerHealthCheckInterval: healthCheck
      })
    ),
    Layer.catchTag("SqlError", (error) => Layer.effectContext(Effect.die(error)))
  )
}

/**
 * The actors' `Sharding`. Without a `runner` in the settings, the actors run in this process; otherwise, all processes
 * of the database share them. Requires `Settings` and a `SqlClient`.
 */
export const layer = Layer.unwrap(
  Effect.map(Settings, ({ runner }) => (runner === undefined ? singleProcess : manyProcesses(runner.host, runner.port)))
)
