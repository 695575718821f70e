import { Cache, Clock, Context, Effect } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { AuthorityCircuits, circuitOf, type CircuitState } from "../store/AuthorityCircuits.ts"

/** For how many seconds no call of the authority may have succeeded before documents are issued in contingency. */
export class ContingencyAfter extends Context.Reference<number>("folio/entities/ContingencyAfter", {
  defaultValue: () => 300
}) {}

/**
 * `closed`: the authority may be called. `doubtful`: it has been away for as long as documents wait for it, and one call finds
 * out whether it still is. `open`: it is away; documents are issued without it.
 */
export type Phase = "closed" | "doubtful" | "open"

// What a process knows of the others' calls is at most this old.
const knownFor = "1 second"
const circuitsMax = 10_000
const probeIntervalMs = 30_000
const notedEveryMs = 10_000

// Beyond what documents wait: a call's time-out, and a look of the sweeper.
const quietMs = 90_000

/** Whether the authority answers: the rows, and what this process has read of them within the last second. */
export const make = Effect.gen(function* () {
  const circuits = yield* AuthorityCircuits
  const openAfterMs = (yield* ContingencyAfter) * 1000
  const silenceMs = openAfterMs + quietMs
  const known = yield* Cache.make({
    lookup: (name: string) =>
      Effect.map(Effect.zip(circuits.read(name), Clock.currentTimeMillis), ([state, at]) => ({ ...state, at })),
    capacity: circuitsMax,
    timeToLive: knownFor
  })
  const learn = Effect.fnUntraced(function* (name: string, state: CircuitState) {
    yield* Cache.set(known, name, { ...state, at: yield* Clock.currentTimeMillis })
  })

  /** How long it may go on failing before it opens, in milliseconds; null while calls succeed, or nobody knows. */
  const leftMs = Effect.fnUntraced(function* (of: AccountMode) {
    const { at, failed_ms, failing_ms } = yield* Cache.get(known, circuitOf(of))
    const since = (yield* Clock.currentTimeMillis) - at
    if (failing_ms === null || failed_ms === null || failed_ms + since > silenceMs) return null
    return openAfterMs - failing_ms - since
  })

  const phase = Effect.fnUntraced(function* (of: AccountMode): Effect.fn.Return<Phase> {
    const { is_open } = yield* Cache.get(known, circuitOf(of))
    if (is_open) return "open"
    const left = yield* leftMs(of)
    return left !== null && left <= 0 ? "doubtful" : "closed"
  })

  /** Whether the caller may try: anybody while the circuit is closed, else one in half a minute. */
  const admits = Effect.fnUntraced(function* (of: AccountMode) {
    return (yield* phase(of)) === "closed" || (yield* circuits.claimProbe(circuitOf(of), probeIntervalMs))
  })

  const failed = Effect.fnUntraced(function* (of: AccountMode) {
    const { failed_ms } = yield* Cache.get(known, circuitOf(of))
    // The first failure is noted, those that may open the circuit, and in between that it has not gone silent.
    const isNoted = failed_ms !== null && failed_ms < notedEveryMs && (yield* phase(of)) === "closed"
    if (isNoted) return
    yield* learn(circuitOf(of), yield* circuits.failed(circuitOf(of), openAfterMs, silenceMs))
  })

  const succeeded = Effect.fnUntraced(function* (of: AccountMode) {
    const { failing_ms } = yield* Cache.get(known, circuitOf(of))
    if (failing_ms === null) return
    yield* circuits.succeeded(circuitOf(of))
    yield* learn(circuitOf(of), { failing_ms: null, failed_ms: null, is_open: false })
  })

  return { openAfterMs, leftMs, phase, admits, failed, succeeded }
})

export type Circuits = Effect.Success<typeof make>
