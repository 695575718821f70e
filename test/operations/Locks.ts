import { Context, Effect, Layer } from "effect"
import {
  ClusterError,
  MessageStorage,
  RunnerHealth,
  Runners,
  RunnerStorage,
  Sharding,
  ShardingConfig
} from "effect/cluster"

/** The locks of shards, which answer or not. */
export class Locks extends Context.Service<Locks, { answer: boolean }>()("test/Locks") {
  static readonly layer = Layer.sync(Locks, () => ({ answer: true }))
}

const runnerStorage = Layer.effect(
  RunnerStorage.RunnerStorage,
  Effect.gen(function* () {
    const locks = yield* Locks
    const memory = yield* RunnerStorage.makeMemory
    const ifThere = <A>(effect: Effect.Effect<A, ClusterError.PersistenceError>) =>
      Effect.suspend(() =>
        locks.answer ? effect : Effect.fail(new ClusterError.PersistenceError({ cause: "the database is away" }))
      )
    return RunnerStorage.RunnerStorage.of({
      ...memory,
      acquire: (address, shards) => ifThere(memory.acquire(address, shards)),
      refresh: (address, shards) => ifThere(memory.refresh(address, shards)),
      release: (address, shard) => ifThere(memory.release(address, shard)),
      releaseAll: (address) => ifThere(memory.releaseAll(address))
    })
  })
)

/** A single runner, which loses its shards when their locks have not answered for six seconds. Requires `Locks`. */
export const shardsWithLocks = Sharding.layer.pipe(
  Layer.provide([Runners.layerNoop, RunnerHealth.layerNoop, runnerStorage]),
  Layer.provideMerge(MessageStorage.layerNoop),
  Layer.provide(
    ShardingConfig.layer({
      shardLockExpiration: "6 seconds",
      shardLockRefreshInterval: "1 second",
      entityMessagePollInterval: "1 second",
      simulateRemoteSerialization: false
    })
  )
)
