import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { flow } from "effect/Function"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** Adds a description and examples to a command's help. */
export const described = (description: string, ...examples: ReadonlyArray<string>) =>
  flow(Command.withDescription(description), Command.withExamples(examples.map((command) => ({ command }))))

/** A boolean flag, false by default. */
export const toggle = (name: string, description: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** A required text flag. */
export const required = (name: string, metavar: string, description: string): Flag.Flag<string> =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description))

const orUndefined = <A>(flag: Flag.Flag<A>): Flag.Flag<A | undefined> =>
  flag.pipe(Flag.optional, Flag.map(Option.getOrUndefined))

/** An optional text flag. */
export const text = (name: string, metavar: string, description: string): Flag.Flag<string | undefined> =>
  orUndefined(required(name, metavar, description))

/** A text flag that may be repeated. */
export const texts = (name: string, metavar: string, description: string): Flag.Flag<ReadonlyArray<string>> =>
  required(name, metavar, description).pipe(Flag.atLeast(0), Flag.withDefault<ReadonlyArray<string>>([]))

/** An optional flag whose value is one of several words. */
export const choice = <const Words extends ReadonlyArray<string>>(name: string, words: Words, description: string) =>
  orUndefined(Flag.Literals(name, words).pipe(Flag.withMetavar(name.toUpperCase()), Flag.withDescription(description)))

/** `-f`: the file with a request body. */
export const file = (what: string): Flag.Flag<string> =>
  required("file", "FILE", `${what} as JSON; - is standard input`).pipe(Flag.withAlias("f"))

/** `--idempotency-key`: repeating a command with the same key has no second effect. */
export const idempotencyKey = text("idempotency-key", "KEY", "Idempotency key for retries; if omitted, a new one")

/** `--since`, which `timeOf` reads. */
export const since = text("since", "TIME", "Since this time: 10m, 2h or 3d ago, or a date")

/** `--wait`: end the command when the document has an outcome. */
export const wait = toggle("wait", "Wait for the outcome; exit code 1 unless accepted")

/** A positional text argument. */
export const argument = (name: string, description: string): Argument.Argument<string> =>
  Argument.String(name).pipe(Argument.withDescription(description))

/** An optional positional text argument. */
export const argumentOrNone = (name: string, description: string): Argument.Argument<string | undefined> =>
  argument(name, description).pipe(Argument.optional, Argument.map(Option.getOrUndefined))

const atLeastOne = Flag.Int("limit").pipe(
  Flag.withMetavar("N"),
  Flag.filter(
    (count) => count > 0,
    (count) => `1 or more, not ${count}`
  )
)

/** `--limit` of a command that follows events or requests: end after this many. */
export const end = atLeastOne.pipe(
  Flag.withDescription("End after N lines; if omitted, Ctrl-C ends it"),
  Flag.withDefault(Infinity)
)

/** `--limit` and `--all`: how much of a list to show. */
export const amount = {
  limit: atLeastOne.pipe(Flag.withDescription("List at most N; 20 if omitted"), Flag.withDefault(20)),
  all: toggle("all", "List all")
}

/** The page size for `--limit` and `--all`. */
export const pageOf = ({ all, limit }: { readonly all: boolean; readonly limit: number }): number =>
  all ? 100 : Math.min(limit, 100)

/** The part of a list that `--limit` and `--all` select. */
export const asked =
  ({ all, limit }: { readonly all: boolean; readonly limit: number }) =>
  <A, E, R>(list: Stream.Stream<A, E, R>): Stream.Stream<A, E, R> =>
    all ? list : Stream.take(list, limit)

/** A query without its undefined parameters. */
export const given = <Query extends object>(query: Query) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as {
    readonly [Name in keyof Query]?: Exclude<Query[Name], undefined>
  }
