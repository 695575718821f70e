import { Effect, Layer, Option } from "effect"
import {
  MessageStorage,
  RunnerAddress,
  RunnerHealth,
  Runners,
  RunnerStorage,
  Sharding,
  ShardingConfig,
  SocketRunner,
  SqlRunnerStorage
} from "effect/cluster"
import { RpcSerialization } from "effect/rpc"
import { SqlClient } from "effect/sql"
import * as RunnerConnections from "./RunnerConnections.ts"
import { Settings } from "./Settings.ts"

const common = {
  // An invoice's actor lives for a second or two; under full load many thousands do at once.
  maxResidentEntities: 50_000,
  entityTerminationTimeout: "17 seconds",
  // No message is stored, so nothing is polled for. But a process that failed to take its shards, because the database was away,
  // tries again at this interval.
  entityMessagePollInterval: "1 second",
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

// Only a clean stop takes a process off the list of those that there have been.
const forgetRunners = Layer.effectDiscard(
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`delete from cluster_runners where last_heartbeat < now() - interval '1 hour'`
  )
)

/*
 * How long a process may be silent before others take its actors. Measured with test/soak/failover.ts on two cores, under full
 * load and with event loops that stand still for 200 ms every second: after a kill -9 of its process an account is away for
 * 5 s, and for less than 8 s even on a machine that has much else to do.
 */
const lease = "6 seconds"

// The longest that the confirmation of the locks may take, too: a process whose event loop or database stands still for longer
// gives all its actors up. A third of the lease is the most that there can be, and with one second that was seen to happen.
const leaseRefresh = "2 seconds"

// How soon the living see who is missing.
const assignmentsRefresh = "500 millis"

// A process that refuses connections is dead at once: its lease need not end first. Silence alone is no proof.
const healthCheck = "2 seconds"

// Of one message between processes. The largest are bodies of requests and answers, which are much smaller.
const messageBytesMax = 4 * 1024 * 1024

/**
 * Actors spread over all processes that share the database. An owner that is killed is replaced when its lease has ended; one
 * that merely paused for less than that keeps its shards.
 */
const manyProcesses = (host: string, port: number) => {
  const address = RunnerAddress.RunnerAddress.make({ host, port })
  return SocketRunner.layer.pipe(
    Layer.provide(RunnerHealth.layerPing.pipe(Layer.provide(Runners.layerRpc))),
    Layer.provide(RunnerConnections.layer(address)),
    Layer.provideMerge(volatile),
    // Its tables are made where the others are.
    Layer.provide(forgetRunners.pipe(Layer.provideMerge(SqlRunnerStorage.layerStorage({})))),
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

/** Where the actors live: `CLUSTER=single` (here) or `CLUSTER=socket` (in every process of one database). */
export const layer = Layer.unwrap(
  Effect.map(Settings, ({ runner }) => (runner === undefined ? singleProcess : manyProcesses(runner.host, runner.port)))
)
