import { Arbitrary, Cause, Effect, Schema } from "effect"
import { type Report, run } from "../Run.ts"
import { type OwnCommands, withOwn } from "../steps/OwnCommands.ts"
import { type Sequence, sequences } from "../steps/Steps.ts"
import type { World } from "../worlds/World.ts"

/** A sequence that has failed, as short as it was found. */
export interface Failure {
  /** What the model finds wrong with the shortest sequence that was found. */
  readonly findings: ReadonlyArray<string>
  readonly shortest: Sequence
  /** How many steps the first sequence that failed had, and which one it was. */
  readonly firstLength: number
  readonly run: number
  /** Repeats exactly this failure, with `replay`. */
  readonly replay: string
}

/** What a check has found. */
export interface Checked {
  /** How many sequences were run, those on the way to the shortest among them. */
  readonly runs: number
  /** What the sequences met, and how often. */
  readonly met: ReadonlyMap<string, number>
  /** Null when no sequence has failed. */
  readonly failure: Failure | null
}

/** Which sequences a check runs, and how many. */
export interface CheckOptions {
  /** How many sequences; 100 where it is left out. */
  readonly runs?: number
  /** The same seed gives the same sequences. */
  readonly seed?: string | number
  /** The failure that an earlier check has told of; the other options do not count then. */
  readonly replay?: string
  /** Which sequences; those of the whole workload where it is left out. */
  readonly sequences?: Arbitrary.Arbitrary<Sequence>
  /** Outcomes without which a check proves nothing; those of `promised` if omitted. A replay looks for none. */
  readonly mustMeet?: ReadonlyArray<string>
  /** Commands of one's own, to be drawn among the steps of each sequence. A replay needs the same ones. */
  readonly own?: OwnCommands
}

/** What every workload has to meet: an invoice that the authority accepted. */
const promised = ["ended: accepted_by_authority"]

/**
 * The check found nothing wrong, and did not meet all outcomes of `mustMeet`: it proves less than it seems to. The message names the missing
 * outcomes, and what was met.
 */
export class OutcomesMissing extends Schema.TaggedError<OutcomesMissing>()("OutcomesMissing", {
  missing: Schema.Array(Schema.String),
  message: Schema.String
}) {}

// At this size a sequence may have any length.
const size = 64
const shrinksMax = 1_000

/**
 * Runs sequences of the workload against a world, each from a fresh start, and stops at the first one that the model finds
 * wrong. That one is made shorter as long as something stays wrong. Fails with `OutcomesMissing` if no sequence is wrong and an outcome
 * of `mustMeet` never happened.
 *
 * @param fresh  gives the world as it is before a sequence; it is asked once for each
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

/** What a failed check has to say: the steps that are enough, what is wrong, and the string that replays it. */
export const describe = ({ findings, firstLength, replay, run: at, shortest }: Failure): string =>
  [
    `Sequence ${at} failed. Of its ${firstLength} steps these ${shortest.steps.length} are enough (seed ${shortest.seed}):`,
    ...shortest.steps.map((step) => `  ${JSON.stringify(step)}`),
    "What is wrong:",
    ...findings.map((finding) => `  ${finding}`),
    `Replay it with: '${replay}'`
  ].join("\n")
