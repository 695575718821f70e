import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** `-f`: the file with the body of a request. */
export const file = (what: string): Flag.Flag<string> =>
  Flag.String("file").pipe(
    Flag.withAlias("f"),
    Flag.withMetavar("FILE"),
    Flag.withDescription(`${what} as JSON; - is standard input`)
  )

/** `--idempotency-key`: with it a repeated command does nothing twice. */
export const idempotencyKey = Flag.String("idempotency-key").pipe(
  Flag.withMetavar("KEY"),
  Flag.withDescription("The same on every repetition; a new one if left out"),
  Flag.optional,
  Flag.map(Option.getOrUndefined)
)

/** An optional text. */
export const text = (name: string, metavar: string, description: string): Flag.Flag<string | undefined> =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  )

/** `--since`, which `timeOf` reads. */
export const since = text("since", "TIME", "From this time on: 10m, 2h, 3d ago, or a date")

/** An id, the command's argument. */
export const id = (name: string, description: string): Argument.Argument<string> =>
  Argument.String(name).pipe(Argument.withDescription(description))

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
  all: Flag.Boolean("all").pipe(Flag.withDescription("All of them"), Flag.withDefault(false))
}

/** The size of a page that `--limit` and `--all` ask for. */
export const pageOf = ({ all, limit }: { readonly all: boolean; readonly limit: number }): number =>
  all ? 100 : Math.min(limit, 100)

/** As much of a list as `--limit` and `--all` ask for. */
export const asked =
  ({ all, limit }: { readonly all: boolean; readonly limit: number }) =>
  <A, E, R>(list: Stream.Stream<A, E, R>): Stream.Stream<A, E, R> =>
    all ? list : Stream.take(list, limit)
