import { Layer } from "effect"
import { MessageStorage, RunnerHealth, Runners, RunnerStorage, Sharding, ShardingConfig } from "effect/cluster"

const config = ShardingConfig.layer({
  // An invoice's actor lives for a second or two; under full load many thousands do at once.
  maxResidentEntities: 50_000,
  entityTerminationTimeout: "17 seconds",
  // What tells lose is found in the rows by the sweeper, not in stored messages.
  entityMessagePollInterval: "1 hour",
  simulateRemoteSerialization: false
})

/** All actors in this process. Messages are volatile: durability is in the rows. */
export const singleProcess = Sharding.layer.pipe(
  Layer.provide(Runners.layerNoop),
  Layer.provideMerge(MessageStorage.layerNoop),
  Layer.provide([RunnerStorage.layerMemory, RunnerHealth.layerNoop, config])
)
