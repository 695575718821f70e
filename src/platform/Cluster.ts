import { NodeClusterSocket } from "@effect/platform-node"
import { Effect, Layer, Option } from "effect"
import {
  MessageStorage,
  RunnerAddress,
  RunnerHealth,
  Runners,
  RunnerStorage,
  Sharding,
  ShardingConfig,
  SqlRunnerStorage
} from "effect/cluster"
import { Settings } from "./Settings.ts"

const common = {
  // An invoice's actor lives for a second or two; under full load many thousands do at once.
  maxResidentEntities: 50_000,
  entityTerminationTimeout: "17 seconds",
  // What tells lose is found in the rows by the sweeper, not in stored messages.
  entityMessagePollInterval: "1 hour",
  simulateRemoteSerialization: false
} as const

// Messages are volatile: durability is in the rows.
const volatile = MessageStorage.layerNoop

/** All actors in this process. */
export const singleProcess = Sharding.layer.pipe(
  Layer.provide(Runners.layerNoop),
  Layer.provideMerge(volatile),
  Layer.provide([RunnerStorage.layerMemory, RunnerHealth.layerNoop, ShardingConfig.layer(common)])
)

/**
 * Actors spread over all processes that share the database. An owner that is killed is replaced when its lease has ended; one
 * that merely paused for less than that keeps its shards.
 */
const manyProcesses = (host: string, port: number) => {
  const address = Option.some(RunnerAddress.RunnerAddress.make({ host, port }))
  const config = {
    ...common,
    runnerAddress: address,
    runnerListenAddress: address,
    shardLockExpiration: "6 seconds",
    shardLockRefreshInterval: "1 second",
    refreshAssignmentsInterval: "500 millis",
    runnerHealthCheckInterval: "2 seconds"
  } as const
  return NodeClusterSocket.layer({ storage: "byo", shardingConfig: config }).pipe(
    Layer.provideMerge(volatile),
    Layer.provide(SqlRunnerStorage.layer),
    Layer.provide(ShardingConfig.layer(config)),
    Layer.orDie
  )
}

/** Where the actors live: `CLUSTER=single` (here) or `CLUSTER=socket` (in every process of one database). */
export const layer = Layer.unwrap(
  Effect.map(Settings, ({ runner }) => (runner === undefined ? singleProcess : manyProcesses(runner.host, runner.port)))
)
