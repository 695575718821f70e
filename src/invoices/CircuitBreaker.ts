import { Cache, Clock, Context, Effect, Layer } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { Limits } from "../runtime/Limits.ts"
import type { AuthorityTrouble } from "../../schemas/AuthorityTrouble.ts"
import { authorityTroubles, troubleMessage } from "./rules/AuthorityTroubles.ts"
import { storableText } from "../runtime/json/Storable.ts"
import { answering, type AuthorityState } from "./NextStep.ts"
import { AuthorityCircuits, circuitOf, closedCircuit, type CircuitState } from "./store/AuthorityCircuits.ts"

// How long a process caches a circuit's state, and so the delay of other processes' calls.
const knownFor = "1 second"
const circuitsMax = 10_000
const probeIntervalMs = 30_000
const triedWithinMs = 60_000
const notedEveryMs = 10_000

// The longest stored failure message. A message from the authority may contain characters that the database rejects.
const messageMax = 500

// Added to `contingencyAfter`. If a circuit's last failure is older than the sum, the circuit counts as unknown. Covers
// a call's time-out and the time until the sweeper's next run.
const quietMs = 90_000

const environmentOf = ({ livemode }: AccountMode) => (livemode ? "live" : "test")

// An account's failures block only this account's calls, until a call of a second account fails or a call fails for a
// shared cause.
const concerns = ({ accounts, failing_ms, of_all }: CircuitState, { account_id }: AccountMode) =>
  failing_ms !== null && (of_all || accounts.length > 1 || accounts.includes(account_id))

/** The circuit breaker of the authority. Its state is in database rows, which each process caches for one second. */
export class CircuitBreaker extends Context.Service<CircuitBreaker>()("folio/invoices/CircuitBreaker", {
  make: Effect.gen(function* () {
    const circuits = yield* AuthorityCircuits
    const openAfterMs = (yield* Limits).contingencyAfter * 1000
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

    /** Milliseconds of failing calls until Folio issues documents in contingency; null without a recent failed call. */
    const left = ({ at, at_fault_ms, failed_ms, failing_ms }: CircuitState & { readonly at: number }, now: number) => {
      const since = now - at
      if (failing_ms === null || failed_ms === null || failed_ms + since > silenceMs) return null
      return openAfterMs - (at_fault_ms ?? failing_ms) - since
    }

    /** The state of the authority for an account, from the calls of all processes. */
    const look = Effect.fnUntraced(function* (account: AccountMode): Effect.fn.Return<AuthorityState> {
      const state = yield* Cache.get(known, circuitOf(account))
      const { at, at_fault_ms, failed_ms, is_open, message, trouble } = state
      if (!concerns(state, account)) return { ...answering, openAfterMs }
      const now = yield* Clock.currentTimeMillis
      const ms = left(state, now)
      const isTried = failed_ms !== null && failed_ms + now - at < triedWithinMs
      const late = at_fault_ms === null ? "blocked" : "doubtful"
      return {
        phase: is_open ? "open" : ms !== null && ms <= 0 ? late : "closed",
        leftMs: ms,
        isTried,
        trouble,
        message,
        openAfterMs
      }
    })

    /**
     * Whether the caller may probe the authority: one caller every 30 s, and one at the time at which the circuit would
     * open.
     */
    const probes = Effect.fnUntraced(function* (account: AccountMode) {
      const { leftMs: ms } = yield* look(account)
      const interval = ms === null || ms <= 0 ? probeIntervalMs : Math.min(probeIntervalMs, Math.max(ms, 1_000))
      return yield* circuits.claimProbe(circuitOf(account), interval)
    })

    const failed = Effect.fnUntraced(function* (account: AccountMode, trouble: AuthorityTrouble, message: string) {
      const state = yield* Cache.get(known, circuitOf(account))
      // Stores the first failure, each failure that changes the state or may open the circuit, and otherwise one every
      // 10 s, so that the circuit does not count as unknown.
      const { may_have_left, of, remedy } = authorityTroubles[trouble]
      const isNews = state.trouble === null || authorityTroubles[state.trouble].of !== of || !concerns(state, account)
      const isNoted =
        state.failed_ms !== null && state.failed_ms < notedEveryMs && (yield* look(account)).phase === "closed"
      if (isNoted && !isNews) return
      // Logged once for all documents with this trouble.
      if (state.trouble !== trouble) {
        yield* Effect.logWarning(`Calls to the authority fail. ${troubleMessage(trouble)} ${remedy}`).pipe(
          Effect.annotateLogs({ trouble, reason: message, environment: environmentOf(account) })
        )
      }
      const call = {
        account_id: account.account_id,
        trouble,
        message: storableText(message, messageMax),
        is_authoritys: of === "authority",
        of_all: !may_have_left
      }
      yield* learn(circuitOf(account), yield* circuits.failed(circuitOf(account), call, openAfterMs, silenceMs))
    })

    const succeeded = Effect.fnUntraced(function* (account: AccountMode) {
      const { failing_ms, refusal } = yield* Cache.get(known, circuitOf(account))
      if (failing_ms === null && refusal !== "clock_off") return
      yield* circuits.succeeded(circuitOf(account))
      yield* learn(circuitOf(account), closedCircuit)
      yield* Effect.annotateLogs(Effect.logInfo("The authority responds again"), {
        environment: environmentOf(account)
      })
    })

    const refusalsNoted = new Map<AuthorityTrouble, number>()

    /**
     * Records for the operator that the authority rejected the sender of a live call, once every 10 s for each kind.
     */
    const refused = Effect.fnUntraced(function* (account: AccountMode, trouble: AuthorityTrouble) {
      const now = yield* Clock.currentTimeMillis
      if (!account.livemode || now - (refusalsNoted.get(trouble) ?? -Infinity) < notedEveryMs) return
      refusalsNoted.set(trouble, now)
      yield* circuits.refused(circuitOf(account), trouble)
    })

    return { look, probes, failed, refused, succeeded }
  })
}) {
  static readonly layer = Layer.effect(CircuitBreaker, CircuitBreaker.make)
}
