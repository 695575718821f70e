import { Clock, Effect, Layer } from "effect"
import { RunnerStorage } from "effect/cluster"

/*
 * While the shard of an account has no owner, requests of the account wait. `Sharding` tries once a second to take shards that are
 * still locked, and a process that stops keeps all its locks until the last of its actors has ended: one slow webhook or call of
 * the authority would hold up a third of the accounts for seconds.
 */

const lookInterval = "100 millis"

// Longer than the others take to see that a process has joined, and well below the timeout of `Sharding` (2 s).
const patienceMs = 600

/**
 * The storage of a cluster whose shards go from hand to hand at once: a process waits for locks that are about to be released, and a
 * process that leaves the cluster releases its locks while its actors still end what they have under way. Two owners of one actor do no
 * harm, because the rows of the database decide.
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
      // What has left has no lock to renew or release; its actors are not hurried.
      refresh: (address, shards) => (state.hasLeft ? Effect.succeed([...shards]) : storage.refresh(address, shards)),
      release: (address, shard) => (state.hasLeft ? Effect.void : storage.release(address, shard)),
      releaseAll: (address) => (state.hasLeft ? Effect.void : storage.releaseAll(address))
    })
  })
)
