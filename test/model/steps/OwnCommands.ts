import { Arbitrary, Effect, Schema } from "effect"
import type { Collection, OwnChange, Thing } from "../checks/Journal.ts"
import type { Reply, World } from "../worlds/World.ts"
import type { OwnStep, Sequence } from "./Steps.ts"

/** A request of a team's own command. */
export interface OwnRequest {
  readonly method: string
  readonly path: string
  /** Sent as JSON; no body if omitted. */
  readonly body?: object
  /** The Idempotency-Key; none if omitted. */
  readonly key?: string
  /** The book whose first API key is used, by its index in the world; the first book if omitted. */
  readonly book?: number
}

/** Tools of a team's own command while it runs, and its reports to the model. */
export interface Stage {
  readonly world: World
  /**
   * Whether machines, messages or the database may fail in this sequence: then responses may be missing, or be a 5xx.
   */
  readonly isRough: boolean
  /** Objects of a collection known to exist, oldest first: a response or an event showed each of them. */
  readonly known: (collection: Collection) => ReadonlyArray<Thing>
  /**
   * Sends a request that the model does not check, and waits for its response: null after 40 s without one. Follow-up
   * work of the response is then still running.
   */
  readonly ask: (request: OwnRequest) => Effect.Effect<Reply | null>
  /**
   * Sends a creation request that the model checks and records like its own. The model adds its marker to the
   * `metadata` of the body and changes nothing else.
   */
  readonly create: (
    collection: Collection,
    request: Omit<OwnRequest, "method" | "path"> & { readonly body: object }
  ) => Effect.Effect<Reply | null>
  /**
   * Announces to the model that the command is about to cancel or retry an invoice, which no step of the model does.
   */
  readonly mayBe: (invoice: string, change: OwnChange) => void
  /** Reports a violation: the sequence fails. */
  readonly wrong: (finding: string) => void
}

/** A command of a team. */
export interface OwnCommand<Input, State> {
  /** Input of the command, as values that JSON can show. A failed sequence is shrunk to smaller inputs. */
  readonly input: Arbitrary.Arbitrary<Input>
  /** Frequency relative to the team's other commands; 1 if omitted. */
  readonly often?: number
  /** Runs the command. A failure or defect is a finding, including a failed assertion. */
  readonly run: (input: Input, state: State, stage: Stage) => Effect.Effect<unknown, unknown>
}

/** The commands of a team, ready to be drawn among the steps of sequences. */
export interface OwnCommands {
  readonly steps: Arbitrary.Arbitrary<OwnStep>
  /** Begins a sequence; returns the function that runs its own steps, and the check at its end. */
  readonly begin: (stage: Stage) => {
    readonly run: (step: OwnStep) => Effect.Effect<unknown, unknown>
    readonly end: Effect.Effect<unknown, unknown>
  }
}

// Per sequence, which has up to 28 other steps.
const ownMax = 12
const placeMax = 28

/**
 * The commands of a team, which `check` draws among the steps of each sequence.
 *
 * @param options.begin initial state of the team's own model, before the first step of a sequence
 * @param options.commands the commands by name; a step of a sequence is printed with its name and input
 * @param options.end checks the final state, after the service has completed all work
 */
export const ownCommands = <State, Inputs extends Readonly<Record<string, unknown>>>(options: {
  readonly begin: () => State
  readonly commands: { readonly [Name in keyof Inputs]: OwnCommand<Inputs[Name], State> }
  readonly end?: (state: State, stage: Stage) => Effect.Effect<unknown, unknown>
}): OwnCommands => {
  const commands = new Map<string, OwnCommand<unknown, State>>(Object.entries(options.commands))
  const names = [...commands].flatMap(([name, { often = 1 }]) => Array.from({ length: often }, () => name))
  return {
    steps: Arbitrary.flatMap(Arbitrary.schema(Schema.Literals(names)), (name) =>
      Arbitrary.map(commands.get(name)!.input, (input): OwnStep => ({ do: "own", name, input }))
    ),
    begin: (stage) => {
      const state = options.begin()
      return {
        run: ({ input, name }) => Effect.suspend(() => commands.get(name)!.run(input, state, stage)),
        end: Effect.suspend(() => options.end?.(state, stage) ?? Effect.void)
      }
    }
  }
}

/** Sequences that include steps of a team's own: `check` draws from them if `own` is given. */
export const withOwn = (
  sequences: Arbitrary.Arbitrary<Sequence>,
  { steps }: OwnCommands
): Arbitrary.Arbitrary<Sequence> => {
  const place = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: placeMax })))
  const own = Arbitrary.array(Arbitrary.all({ place, step: steps }), { maxLength: ownMax })
  return Arbitrary.map(Arbitrary.all({ sequence: sequences, own }), ({ own: added, sequence }) => {
    const all = [...sequence.steps]
    // From the last index to the first, so that no insertion moves another.
    for (const { place: at, step } of added.toSorted((a, b) => b.place - a.place)) all.splice(at, 0, step)
    return { ...sequence, steps: all }
  })
}
