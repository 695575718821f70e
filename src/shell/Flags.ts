import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { flow } from "effect/Function"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** What the help says of a command, with examples of its use. */
export const described = (description: string, ...examples: ReadonlyArray<string>) =>
  flow(Command.withDescription(description), Command.withExamples(examples.map((command) => ({ command }))))

/** A flag that is given or not. */
export const toggle = (name: string, description: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** A text that must be given. */
export const required = (name: string, metavar: string, description: string): Flag.Flag<string> =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description))

const orUndefined = <A>(flag: Flag.Flag<A>): Flag.Flag<A | undefined> =>
  flag.pipe(Flag.optional, Flag.map(Option.getOrUndefined))

/** An optional text. */
export const text = (name: string, metavar: string, description: string): Flag.Flag<string | undefined> =>
  orUndefined(required(name, metavar, description))

/** Texts of a flag that may be repeated. */
export const texts = (name: string, metavar: string, description: string): Flag.Flag<ReadonlyArray<string>> =>
  required(name, metavar, description).pipe(Flag.atLeast(0), Flag.withDefault<ReadonlyArray<string>>([]))

/** One of several words, or none. */
export const choice = <const Words extends ReadonlyArray<string>>(name: string, words: Words, description: string) =>
  orUndefined(Flag.Literals(name, words).pipe(Flag.withMetavar(name.toUpperCase()), Flag.withDescription(description)))

/** `-f`: the file with the body of a request. */
export const file = (what: string): Flag.Flag<string> =>
  required("file", "FILE", `${what} as JSON; - is standard input`).pipe(Flag.withAlias("f"))

/** `--idempotency-key`: with it a repeated command does nothing twice. */
export const idempotencyKey = text("idempotency-key", "KEY", "The same on every repetition; a new one if left out")

/** `--since`, which `timeOf` reads. */
export const since = text("since", "TIME", "From this time on: 10m, 2h, 3d ago, or a date")

/** `--wait`: the command ends when the document has an outcome. */
export const wait = toggle("wait", "Wait for the outcome; exit code 1 unless it is accepted")

/** A text that the command is given without a flag. */
export const argument = (name: string, description: string): Argument.Argument<string> =>
  Argument.String(name).pipe(Argument.withDescription(description))

/** As `argument`, but it may be left out. */
export const argumentOrNone = (name: string, description: string): Argument.Argument<string | undefined> =>
  argument(name, description).pipe(Argument.optional, Argument.map(Option.getOrUndefined))

const atLeastOne = Flag.Int("limit").pipe(
  Flag.withMetavar("N"),
  Flag.filter(
    (count) => count > 0,
    (count) => `1 or more, not ${count}`
  )
)

/** `--limit` of what is followed: it ends after so many. */
export const end = atLeastOne.pipe(
  Flag.withDescription("End after so many; else Ctrl-C ends it"),
  Flag.withDefault(Infinity)
)

/** `--limit` and `--all`: how much of a list is shown. */
export const amount = {
  limit: atLeastOne.pipe(Flag.withDescription("How many at most; 20 if left out"), Flag.withDefault(20)),
  all: toggle("all", "All of them")
}

/** The size of a page that `--limit` and `--all` ask for. */
export const pageOf = ({ all, limit }: { readonly all: boolean; readonly limit: number }): number =>
  all ? 100 : Math.min(limit, 100)

/** As much of a list as `--limit` and `--all` ask for. */
export const asked =
  ({ all, limit }: { readonly all: boolean; readonly limit: number }) =>
  <A, E, R>(list: Stream.Stream<A, E, R>): Stream.Stream<A, E, R> =>
    all ? list : Stream.take(list, limit)

/** A query without what was not asked for. */
export const given = <Query extends object>(query: Query) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as {
    readonly [Name in keyof Query]?: Exclude<Query[Name], undefined>
  }
