import { Effect, Random } from "effect"
import type { Database } from "./Database.ts"
import type { Supervised } from "./Fleet.ts"
import type { ScriptedAuthority } from "./parties/ScriptedAuthority.ts"

/** After a `brief` freeze a process still owns its actors. After a `long` one, other processes have taken them over. */
export type FaultKind =
  | "kill"
  | "brief freeze"
  | "long freeze"
  | "stop"
  | "database kill"
  | "authority down"
  | "authority busy"
  | "authority slow"

/** A fault: it starts `at` milliseconds after the beginning, and lasts for a number of milliseconds. */
export interface Fault {
  readonly at: number
  readonly kind: FaultKind
  /** Index of the process, if the fault hits one. */
  readonly target: number | null
  readonly forMs: number
}

// The deck is shuffled again only after every kind was dealt: a short run also meets each kind.
export const deck: ReadonlyArray<FaultKind> = [
  "kill",
  "long freeze",
  "database kill",
  "stop",
  "authority down",
  "brief freeze",
  "kill",
  "authority busy",
  "kill",
  "database kill",
  "authority slow"
]

const lasts: Record<FaultKind, readonly [min: number, max: number]> = {
  kill: [0, 2_000],
  "brief freeze": [500, 2_500],
  "long freeze": [14_000, 20_000],
  stop: [0, 1_000],
  "database kill": [0, 1_500],
  "authority down": [1_000, 6_000],
  "authority busy": [1_000, 5_000],
  "authority slow": [2_000, 6_000]
}

const isOfProcess = (kind: FaultKind) => ["kill", "stop", "brief freeze", "long freeze"].includes(kind)

// Roughly the time that a process needs to start. A fault may hit it again while it starts.
const startMs = 3_000

/**
 * Faults of these kinds in a run of `forMs`, `everyMs` apart on average. Only the context's random numbers decide: the
 * same seed gives the same faults.
 */
export const schedule = Effect.fnUntraced(function* (options: {
  readonly forMs: number
  readonly everyMs: number
  readonly processes: number
  readonly kinds: ReadonlyArray<FaultKind>
}) {
  const faults: Array<Fault> = []
  const freeFrom = Array.from({ length: options.processes }, () => 0)
  const dealt = deck.filter((kind) => options.kinds.includes(kind))
  let cards: Array<FaultKind> = []
  let at = options.everyMs / 2
  while (at < options.forMs) {
    if (cards.length === 0) cards = [...(yield* Random.shuffle(dealt))]
    const kind = cards.pop() ?? "kill"
    const [min, max] = lasts[kind]
    const forMs = yield* Random.nextIntBetween(min, max)
    const free = freeFrom.flatMap((from, index) => (from <= at ? [index] : []))
    const target = isOfProcess(kind) ? (free[yield* Random.nextIntBetween(0, Math.max(free.length - 1, 0))] ?? 0) : null
    if (target !== null) {
      freeFrom[target] = Math.max(freeFrom[target] ?? 0, at + forMs + (kind.endsWith("freeze") ? 0 : startMs))
    }
    faults.push({ at: Math.round(at), kind, target, forMs })
    at += options.everyMs * (0.4 + 1.2 * (yield* Random.next))
  }
  return faults
})

/** An injected fault, with its time in Unix milliseconds. */
export interface Injected extends Fault {
  readonly began: number
}

/** Injects each fault at its time, and passes it to `noted`. */
export const inject = Effect.fnUntraced(function* (
  faults: ReadonlyArray<Fault>,
  on: {
    readonly database: Database
    readonly fleet: ReadonlyArray<Supervised>
    readonly authority: ScriptedAuthority
    readonly noted: (fault: Injected) => void
  }
) {
  const begin = Date.now()
  const spell = (name: "down" | "busy" | "slow", forMs: number) =>
    Effect.sync(() => on.authority.begin(name)).pipe(
      Effect.andThen(Effect.sleep(forMs)),
      Effect.ensuring(Effect.sync(() => on.authority.end(name)))
    )
  const happen = ({ forMs, kind, target }: Fault): Effect.Effect<void> => {
    const process = on.fleet[target ?? 0]!
    switch (kind) {
      case "kill":
        return process.strike("SIGKILL", forMs)
      case "stop":
        return process.strike("SIGTERM", forMs)
      case "brief freeze":
      case "long freeze":
        return process.freeze(forMs)
      case "database kill":
        return on.database.kill(forMs)
      case "authority down":
        return spell("down", forMs)
      case "authority busy":
        return spell("busy", forMs)
      case "authority slow":
        return spell("slow", forMs)
    }
  }
  yield* Effect.forEach(
    faults,
    (fault) =>
      Effect.sleep(Math.max(begin + fault.at - Date.now(), 0)).pipe(
        Effect.andThen(Effect.sync(() => on.noted({ ...fault, began: Date.now() }))),
        Effect.andThen(happen(fault))
      ),
    { concurrency: "unbounded", discard: true }
  )
})
