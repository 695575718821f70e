import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Violation } from "../client/Interface.ts"
import type { Failure } from "./Failures.ts"
import { type Column, type Paint, paintFor, safe, shown, tableFor } from "./Table.ts"
import * as Flags from "./Flags.ts"

/** `--json`: what a pipe gets, at a terminal as well. */
export const Json = GlobalFlag.Setting("json")({
  flag: Flags.toggle("json", "Print one JSON object a line, as in a pipe")
})

/** Many messages begin with the field, which then is not named twice. */
const violationOf = ({ message, param }: Violation) =>
  message.startsWith(param ?? "body") ? message : `${param ?? "body"}: ${message}`

const detailsOf = (failure: Failure): ReadonlyArray<string> => {
  const hint = failure.hint === undefined ? [] : [failure.hint]
  if (failure._tag !== "Refused") return hint
  const { doc_url, errors = [], param, request_id } = failure.body.error
  // The message of an error is that of its first violation.
  const violations = errors.length > 1 ? errors.map(violationOf).filter((line) => line !== failure.message) : []
  const field = errors.length <= 1 && param !== undefined && param !== null ? [`field: ${param}`] : []
  return [...hint, ...field, ...violations, `see ${doc_url} (request ${request_id})`]
}

/**
 * What a command prints. Standard output has its answer: for a person tables and words at a terminal, and for a program one JSON
 * object a line and nothing else. Standard error has what is said beside the answer.
 */
export class Output extends Context.Service<
  Output,
  {
    /** Whether standard output is read by a program. */
    readonly isJson: boolean
    readonly paint: Paint
    /** Prints one object; `lines` show it at a terminal. */
    readonly one: (value: unknown, lines: (paint: Paint) => ReadonlyArray<string>) => Effect.Effect<void>
    /** Prints the rows of a table; `none` is said in place of a table without any. */
    readonly rows: <Row>(
      rows: ReadonlyArray<Row>,
      columns: ReadonlyArray<Column<Row>>,
      none?: string
    ) => Effect.Effect<void>
    /** Prints the rows of a table as they come; `none` is said when there was none. */
    readonly list: <Row, E, R>(
      rows: Stream.Stream<Row, E, R>,
      columns: ReadonlyArray<Column<Row>>,
      none?: string
    ) => Effect.Effect<void, E, R>
    /** Says something to the person at the terminal, beside the answer; a program is told nothing. */
    readonly say: (line: (paint: Paint) => string) => Effect.Effect<void>
    /** Shows the person at the terminal that something is under way, when it takes longer than a second. */
    readonly during: (what: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    readonly failure: (failure: Failure) => Effect.Effect<void>
  }
>()("folio/shell/Output") {
  /** Asks the terminal and `--json`. */
  static readonly layer = Layer.effect(
    Output,
    Effect.gen(function* () {
      const capabilities = yield* TerminalCapabilities.TerminalCapabilities
      return Output.of(make(yield* Json, capabilities))
    })
  )
}

const print = (lines: ReadonlyArray<string>) => (lines.length === 0 ? Effect.void : Console.log(lines.join("\n")))

const frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"

/** Draws a turning mark and `what` on standard error from the second second on, and wipes both away in the end. */
const turning = (what: string, { dim }: Paint) => {
  let count = 0
  const draw = Effect.sync(() => {
    const line = `${frames[count % frames.length]} ${what} … ${Math.floor(count / 10) + 1} s`
    process.stderr.write(`\r\x1b[K${safe(dim(line))}`)
    count++
  })
  const wipe = Effect.sync(() => {
    if (count > 0) process.stderr.write("\r\x1b[K")
  })
  return Effect.sleep(1_000).pipe(
    Effect.andThen(Effect.forever(Effect.andThen(draw, Effect.sleep(100)))),
    Effect.ensuring(wipe)
  )
}

/** The output when the command line could not be read, so that `--json` is not known. */
export const make = (
  json: boolean,
  { canAnimate, canColor }: TerminalCapabilities.TerminalCapabilities
): Output["Service"] => {
  const isJson = json || !canAnimate
  const paint = paintFor(canColor && !isJson)
  const say: Output["Service"]["say"] = (line) => (isJson ? Effect.void : Console.error(safe(line(paint))))
  const list: Output["Service"]["list"] = (rows, columns, none = "None.") =>
    Effect.suspend(() => {
      const linesOf = isJson
        ? (page: ReadonlyArray<unknown>) => page.map((row) => JSON.stringify(row))
        : tableFor(columns, paint, process.stdout.columns || 80)
      let isEmpty = true
      return Stream.runForEachArray(rows, (page) => {
        isEmpty = isEmpty && page.length === 0
        // A program that reads may have enough after the first line: each is written by itself, so that the next one finds that out.
        return isJson ? Effect.forEach(linesOf(page), (line) => print([line]), { discard: true }) : print(linesOf(page))
      }).pipe(Effect.andThen(Effect.suspend(() => (isEmpty ? say(({ dim }) => dim(none)) : Effect.void))))
    })
  return {
    isJson,
    paint,
    one: (value, lines) => print(isJson ? [JSON.stringify(value)] : lines(paint).map(safe)),
    rows: (rows, columns, none) => list(Stream.fromArray(rows), columns, none),
    list,
    say,
    during: (what) => (effect) =>
      isJson || !process.stderr.isTTY
        ? effect
        : Effect.scoped(Effect.andThen(Effect.forkScoped(turning(what, paint)), effect)),
    failure: (failure) =>
      isJson && failure._tag === "Refused"
        ? Console.error(JSON.stringify(failure.body))
        : Console.error(
            [
              safe(`${paint.red("folio:")} ${failure.message}`),
              ...detailsOf(failure).map((line) => `  ${shown(line)}`)
            ].join("\n")
          )
  }
}
