import { Clock, Effect, Layer } from "effect"
import { RunnerStorage } from "effect/cluster"

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
export const layer = Layer.effect(
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
