import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Violation } from "../../clients/typescript/Interface.ts"
import type { Failure } from "./Failures.ts"
import { type Column, type Paint, paintFor, safe, shown, tableFor } from "./Table.ts"
import * as Flags from "./Flags.ts"

/** `--json`: print JSON lines at a terminal too, as in a pipe. */
export const Json = GlobalFlag.Setting("json")({
  flag: Flags.toggle("json", "Print one JSON object per line, as in a pipe")
})

/** Many messages begin with the field's name: do not print the name twice. */
const violationOf = ({ message, param }: Violation) =>
  message.startsWith(param ?? "body") ? message : `${param ?? "body"}: ${message}`

const detailsOf = (failure: Failure): ReadonlyArray<string> => {
  const hint = failure.hint === undefined ? [] : [failure.hint]
  if (failure._tag !== "Refused") return hint
  const { doc_url, errors = [], param, request_id } = failure.body.error
  // An error's message equals its first violation's.
  const violations = errors.length > 1 ? errors.map(violationOf).filter((line) => line !== failure.message) : []
  const field = errors.length <= 1 && param !== undefined && param !== null ? [`field: ${param}`] : []
  return [...hint, ...field, ...violations, `see ${doc_url} (request ${request_id})`]
}

/**
 * The output of a command. Standard output has the result: tables and text at a terminal, and one JSON object per line
 * and nothing else for a program. Standard error has progress and other remarks.
 */
export class Output extends Context.Service<
  Output,
  {
    /** Whether a program reads standard output. */
    readonly isJson: boolean
    readonly paint: Paint
    /** Prints one object; at a terminal, as `lines`. */
    readonly one: (value: unknown, lines: (paint: Paint) => ReadonlyArray<string>) => Effect.Effect<void>
    /** Prints the rows of a table, or `none` for an empty table. */
    readonly rows: <Row>(
      rows: ReadonlyArray<Row>,
      columns: ReadonlyArray<Column<Row>>,
      none?: string
    ) => Effect.Effect<void>
    /** Prints the rows of a table as they arrive, or `none` for an empty table. */
    readonly list: <Row, E, R>(
      rows: Stream.Stream<Row, E, R>,
      columns: ReadonlyArray<Column<Row>>,
      none?: string
    ) => Effect.Effect<void, E, R>
    /** Prints a remark at a terminal, on standard error. Prints nothing for a program. */
    readonly say: (line: (paint: Paint) => string) => Effect.Effect<void>
    /** Shows at a terminal that an effect is running, if it takes longer than a second. */
    readonly during: (what: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    readonly failure: (failure: Failure) => Effect.Effect<void>
  }
>()("folio/cli/user/Output") {
  /** The format depends on the terminal and on `--json`. */
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

/** After one second, draws a spinner and `what` on standard error. Erases both at the end. */
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

/** Makes the output. Used directly for a command line that cannot be parsed, so that `--json` is unknown. */
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
        // The reading program may close the pipe after the first line. Separate writes let the next one detect that.
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
