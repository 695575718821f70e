import { Arbitrary, Cause, Effect, Schema } from "effect"
import { type Report, run } from "../Run.ts"
import { type OwnCommands, withOwn } from "../steps/OwnCommands.ts"
import { type Sequence, sequences } from "../steps/Steps.ts"
import type { World } from "../worlds/World.ts"

/** A failed sequence, shrunk as far as possible. */
export interface Failure {
  /** The model's findings in the shortest sequence. */
  readonly findings: ReadonlyArray<string>
  readonly shortest: Sequence
  /** Number of steps of the first failed sequence, and its index. */
  readonly firstLength: number
  readonly run: number
  /** Replay string that repeats exactly this failure. */
  readonly replay: string
}

/** Result of a check. */
export interface Checked {
  /** Number of sequences run, including those of the shrinking. */
  readonly runs: number
  /** Outcomes that the sequences met, with their counts. */
  readonly met: ReadonlyMap<string, number>
  /** Null if no sequence has failed. */
  readonly failure: Failure | null
}

/** Selects the sequences of a check, and their number. */
export interface CheckOptions {
  /** Number of sequences; 100 if omitted. */
  readonly runs?: number
  /** The same seed gives the same sequences. */
  readonly seed?: string | number
  /** Replay string of an earlier failure; the other options are then ignored. */
  readonly replay?: string
  /** The sequences to draw from; the whole workload if omitted. */
  readonly sequences?: Arbitrary.Arbitrary<Sequence>
  /** Outcomes without which a check proves nothing; those of `promised` if omitted. A replay looks for none. */
  readonly mustMeet?: ReadonlyArray<string>
  /** Your own commands, drawn among the steps of each sequence. A replay needs the same ones. */
  readonly own?: OwnCommands
}

/** The outcome that every workload must meet: an invoice that the authority accepted. */
const promised = ["ended: accepted_by_authority"]

/**
 * The check found no violation, but did not meet all outcomes of `mustMeet`: it proves less than it seems to. The
 * message names the missing outcomes, and the outcomes met.
 */
export class OutcomesMissing extends Schema.TaggedError<OutcomesMissing>()("OutcomesMissing", {
  missing: Schema.Array(Schema.String),
  message: Schema.String
}) {}

// At this size a sequence may have any length.
const size = 64
const shrinksMax = 1_000

/**
 * Runs sequences of the workload against a world, each from a fresh start, and stops at the first one with a finding.
 * It then shrinks that sequence while a finding remains. Fails with `OutcomesMissing` if no sequence fails and an
 * outcome of `mustMeet` never happened.
 *
 * @param fresh returns the world in its initial state; called once per sequence
 */
export const check = Effect.fnUntraced(function* <E, R>(
  fresh: (sequence: Sequence) => Effect.Effect<World, E, R>,
  options: CheckOptions = {}
) {
  const { mustMeet = promised, own, replay, runs: runsMax = 100, seed, sequences: base = sequences } = options
  const met = new Map<string, number>()
  let runs = 0

  const property = Effect.fnUntraced(function* (sequence: Sequence) {
    runs += 1
    const report = yield* Effect.flatMap(fresh(sequence), (world) => run(world, sequence, own)).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.succeed<Pick<Report, "findings" | "met">>({ findings: [Cause.pretty(cause)], met: new Map() })
      )
    )
    for (const [what, count] of report.met) met.set(what, (met.get(what) ?? 0) + count)
    return report.findings.length === 0 || (yield* Effect.fail(report.findings))
  })

  const from = own === undefined ? base : withOwn(base, own)
  const result = yield* Arbitrary.checkEffect(from, property, {
    runs: runsMax,
    size,
    maxShrinks: shrinksMax,
    seed,
    replay
  })
  const checked = { runs, met, failure: null }
  if (result._tag === "Passed") {
    const missing = replay === undefined ? mustMeet.filter((what) => !met.has(what)) : []
    if (missing.length === 0) return checked satisfies Checked as Checked
    const seen = [...met].map(([what, count]) => `  ${count} × ${what}`).toSorted()
    const message = [`${runs} sequences never met: ${missing.join(", ")}. They met:`, ...seen].join("\n")
    return yield* new OutcomesMissing({ missing, message })
  }
  if (result._tag !== "Falsified") return yield* Effect.die(new Error(Arbitrary.formatCheckFailure(result)))
  const findings = result.failure._tag === "PropertyError" ? result.failure.error : []
  return {
    ...checked,
    failure: {
      findings,
      shortest: result.shrunkInput,
      firstLength: result.initialInput.steps.length,
      run: result.runs,
      replay: result.replay
    }
  } satisfies Checked as Checked
})

/** Formats a failure: the shortest steps, the findings, and the replay string. */
export const describe = ({ findings, firstLength, replay, run: at, shortest }: Failure): string =>
  [
    `Sequence ${at} failed. ${shortest.steps.length} of its ${firstLength} steps reproduce it (seed ${shortest.seed}):`,
    ...shortest.steps.map((step) => `  ${JSON.stringify(step)}`),
    "Findings:",
    ...findings.map((finding) => `  ${finding}`),
    `Replay it with: '${replay}'`
  ].join("\n")
