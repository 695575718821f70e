import { Arbitrary, Effect, Schema } from "effect"
import type { Collection, OwnChange, Thing } from "../checks/Journal.ts"
import type { Reply, World } from "../worlds/World.ts"
import type { OwnStep, Sequence } from "./Steps.ts"

/** A request of a team's own command. */
export interface OwnRequest {
  readonly method: string
  readonly path: string
  /** Sent as JSON; none if left out. */
  readonly body?: object
  /** The Idempotency-Key; none if left out. */
  readonly key?: string
  /** Whose first API key it is sent with: the book's place among those of the world; the first book's if left out. */
  readonly book?: number
}

/** What a team's own command has at hand while it runs, and what it must tell the model. */
export interface Stage {
  readonly world: World
  /** Whether machines, tells or the database may fail in this sequence: then answers may be missing, or be a 5xx. */
  readonly isRough: boolean
  /** What is known to exist in a collection, oldest first: what somebody was shown. */
  readonly known: (collection: Collection) => ReadonlyArray<Thing>
  /**
   * Sends a request that the model does not judge, and waits for its answer: null when there is none within 40 s. What follows from
   * the answer is still under way then.
   */
  readonly ask: (request: OwnRequest) => Effect.Effect<Reply | null>
  /**
   * Sends a request that creates something, and that the model judges and remembers like its own. The model marks it in the
   * `metadata` of the body, which is otherwise sent as it is.
   */
  readonly create: (
    collection: Collection,
    request: Omit<OwnRequest, "method" | "path"> & { readonly body: object }
  ) => Effect.Effect<Reply | null>
  /** Tells the model that the command is about to cancel or to retry an invoice, which no step of the model's own does. */
  readonly mayBe: (invoice: string, change: OwnChange) => void
  /** Says that something must not be. The sequence has failed then. */
  readonly wrong: (finding: string) => void
}

/** A command of a team's own. */
export interface OwnCommand<Input, State> {
  /** What the command is run with, as values that JSON can show. A sequence that fails is made shorter with smaller inputs. */
  readonly input: Arbitrary.Arbitrary<Input>
  /** How often it is drawn beside the other commands of the team; 1 if left out. */
  readonly often?: number
  /** Runs the command. What fails or dies here is found wrong, an assertion that does not hold among it. */
  readonly run: (input: Input, state: State, stage: Stage) => Effect.Effect<unknown, unknown>
}

/** The commands of a team, ready to be drawn among the steps of sequences. */
export interface OwnCommands {
  readonly steps: Arbitrary.Arbitrary<OwnStep>
  /** Begins a sequence; gives what carries out its own steps, and what looks at its end. */
  readonly begin: (stage: Stage) => {
    readonly run: (step: OwnStep) => Effect.Effect<unknown, unknown>
    readonly end: Effect.Effect<unknown, unknown>
  }
}

// Of a sequence, which has up to 28 steps besides.
const ownMax = 12
const placeMax = 28

/**
 * The commands of a team, which `check` draws among the steps of each sequence.
 *
 * @param options.begin     what the team's own model knows before the first step of a sequence
 * @param options.commands  the commands by name; a step of a sequence is printed with name and input
 * @param options.end       looks whether all is as it must be, when the service has nothing left to do
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

/** Sequences with steps of a team's own among the others: what `check` draws from when it is given `own`. */
export const withOwn = (
  sequences: Arbitrary.Arbitrary<Sequence>,
  { steps }: OwnCommands
): Arbitrary.Arbitrary<Sequence> => {
  const place = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: placeMax })))
  const own = Arbitrary.array(Arbitrary.all({ place, step: steps }), { maxLength: ownMax })
  return Arbitrary.map(Arbitrary.all({ sequence: sequences, own }), ({ own: added, sequence }) => {
    const all = [...sequence.steps]
    // From the last place to the first, so that none of them moves another.
    for (const { place: at, step } of added.toSorted((a, b) => b.place - a.place)) all.splice(at, 0, step)
    return { ...sequence, steps: all }
  })
}
