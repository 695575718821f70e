import { Cache, Clock, Config, Context, Effect, Layer } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { read, refuse } from "../settings/Setting.ts"
import { AuthorityCircuits, circuitOf, type CircuitState } from "../store/documents/AuthorityCircuits.ts"

/**
 * Seconds without a successful call to the authority after which documents are issued in contingency. 300 by default.
 *
 * @example
 * ```ts
 * import { ContingencyAfter } from "@folio-einvoicing/service/Limits"
 *
 * // Documents wait up to half an hour for the authority before they are issued without it.
 * export const limits = ContingencyAfter.layer(1_800)
 * ```
 */
export class ContingencyAfter extends Context.Service<ContingencyAfter, number>()("folio/issuing/ContingencyAfter") {
  /** This number of seconds; 300 if left out. */
  static layer(seconds = 300) {
    return Layer.succeed(ContingencyAfter, seconds)
  }

  /** `CONTINGENCY_AFTER`. Fails with `SettingsError`. */
  static readonly layerConfig = Layer.effect(
    ContingencyAfter,
    Effect.filterOrElse(
      read(Config.Int("CONTINGENCY_AFTER").pipe(Config.withDefault(300))),
      (seconds) => seconds >= 1,
      () => refuse("CONTINGENCY_AFTER must be a whole number of seconds, at least 1.")
    )
  )
}

/**
 * `closed`: the authority may be called. `doubtful`: the authority has been away for as long as documents wait for it, and one
 * call finds out whether it still is. `open`: the authority is away, and documents are issued in contingency.
 */
export type Phase = "closed" | "doubtful" | "open"

// How long a process caches a circuit's state, and so the greatest age of what it knows of other processes' calls.
const knownFor = "1 second"
const circuitsMax = 10_000
const probeIntervalMs = 30_000
const notedEveryMs = 10_000

// Added to `ContingencyAfter`: a circuit whose last failure is older than the sum counts as unknown. Covers a call's time-out and
// the time until the sweeper's next look.
const quietMs = 90_000

/** The circuit breaker of the authority: its state is in database rows, which each process caches for one second. */
export class CircuitBreaker extends Context.Service<CircuitBreaker>()("folio/issuing/CircuitBreaker", {
  make: Effect.gen(function* () {
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

    /** Milliseconds that calls may go on failing before the circuit opens; null while calls succeed or no recent call is known. */
    const leftMs = Effect.fnUntraced(function* (account: AccountMode) {
      const { at, failed_ms, failing_ms } = yield* Cache.get(known, circuitOf(account))
      const since = (yield* Clock.currentTimeMillis) - at
      if (failing_ms === null || failed_ms === null || failed_ms + since > silenceMs) return null
      return openAfterMs - failing_ms - since
    })

    const phase = Effect.fnUntraced(function* (account: AccountMode): Effect.fn.Return<Phase> {
      const { is_open } = yield* Cache.get(known, circuitOf(account))
      if (is_open) return "open"
      const left = yield* leftMs(account)
      return left !== null && left <= 0 ? "doubtful" : "closed"
    })

    /** Whether the caller may call the authority: every caller while the circuit is closed, otherwise one caller every 30 s. */
    const admits = Effect.fnUntraced(function* (account: AccountMode) {
      return (yield* phase(account)) === "closed" || (yield* circuits.claimProbe(circuitOf(account), probeIntervalMs))
    })

    const failed = Effect.fnUntraced(function* (account: AccountMode) {
      const { failed_ms } = yield* Cache.get(known, circuitOf(account))
      // Stored are the first failure, each that may open the circuit, and else one every 10 s, so that the circuit is not silent.
      const isNoted = failed_ms !== null && failed_ms < notedEveryMs && (yield* phase(account)) === "closed"
      if (isNoted) return
      yield* learn(circuitOf(account), yield* circuits.failed(circuitOf(account), openAfterMs, silenceMs))
    })

    const succeeded = Effect.fnUntraced(function* (account: AccountMode) {
      const { failing_ms } = yield* Cache.get(known, circuitOf(account))
      if (failing_ms === null) return
      yield* circuits.succeeded(circuitOf(account))
      yield* learn(circuitOf(account), { failing_ms: null, failed_ms: null, is_open: false })
    })

    return { openAfterMs, leftMs, phase, admits, failed, succeeded }
  })
}) {
  static readonly layer = Layer.effect(CircuitBreaker, CircuitBreaker.make)
}
