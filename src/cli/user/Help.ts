import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import type { FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Misuse } from "./Failures.ts"
import { make as makeOutput } from "./Output.ts"
import { type Paint, paintFor, safe } from "./Table.ts"

/** The command group that the help lists on one line, without descriptions. */
export const operatorsGroup = "OPERATOR COMMANDS"

const lineMax = 80
const gap = "  "

const wrapped = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1)
    if (last !== undefined && CliOutput.displayWidth(`${last} ${word}`) <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

type Row = readonly [name: string, text: string]

/** Two columns below a heading: names and descriptions, wrapped to the width of a terminal. */
const section = (heading: string, rows: ReadonlyArray<Row>, { bold, green }: Paint): ReadonlyArray<string> => {
  if (rows.length === 0) return []
  const width = Math.max(...rows.map(([name]) => CliOutput.displayWidth(name)))
  const left = gap.length + width + gap.length
  const lines = rows.flatMap(([name, text]) =>
    wrapped(text, lineMax - left).map((line, index) =>
      `${gap}${index === 0 ? green(name) + " ".repeat(width - CliOutput.displayWidth(name)) : " ".repeat(width)}${gap}${line}`.trimEnd()
    )
  )
  return ["", bold(heading), ...lines]
}

const choices = /\s*\(choices: ([^)]*)\)$/

/** The name of a flag with its type, or with its choices if they are short. */
const flagRow = ({ aliases, description, name, required, type }: FlagDoc): Row => {
  const text = Option.getOrElse(description, () => "")
  const given = choices.exec(text)?.[1]?.replaceAll(", ", "|")
  const isShort = given !== undefined && given.length <= 12
  const taken = type === "boolean" ? "" : ` ${isShort ? given : type}`
  return [
    [...aliases, `--${name}`].join(", ") + taken,
    (required ? "(required) " : "") + (isShort ? text.replace(choices, "") : text)
  ]
}

/** The help text of a command, short enough for one screen. */
const helpText = (doc: HelpDoc, paint: Paint): string => {
  const { args = [], commandPath = [], examples = [], flags, globalFlags = [], subcommands = [] } = doc
  const described = subcommands.filter(({ group }) => group !== operatorsGroup)
  const named = subcommands.filter(({ group }) => group === operatorsGroup)
  const isRoot = commandPath.length <= 1
  const oneLine = (heading: string, text: string) =>
    heading.length + gap.length + text.length <= lineMax
      ? [`${paint.bold(heading)}${gap}${text}`]
      : [paint.bold(heading), ...wrapped(text, lineMax - gap.length).map((line) => gap + line)]
  return [
    ...wrapped(doc.description, lineMax),
    // Without an empty line, so that all commands fit on a terminal of 24 lines.
    ...(isRoot ? [] : [""]),
    ...oneLine("USAGE", doc.usage),
    ...section(
      "ARGUMENTS",
      args.map((arg) => [arg.variadic ? `${arg.name}...` : arg.name, Option.getOrElse(arg.description, () => "")]),
      paint
    ),
    ...section("FLAGS", flags.map(flagRow), paint),
    ...described.flatMap(({ commands, group }) =>
      section(
        group ?? "COMMANDS",
        commands.map((command) => [command.name, command.shortDescription ?? command.description]),
        paint
      ).slice(isRoot ? 1 : 0)
    ),
    ...named.flatMap(({ commands, group = "" }) => oneLine(group, commands.map(({ name }) => name).join(", "))),
    ...(isRoot ? oneLine("GLOBAL FLAGS", globalFlags.map(({ name }) => `--${name}`).join(", ")) : []),
    ...(examples.length === 0 || isRoot ? [] : [""]),
    ...examples.flatMap(({ command }) => oneLine("EXAMPLE", command))
  ]
    .map(safe)
    .join("\n")
}

const onOneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim()

/** Prints the full help only on request. A usage error prints one line and a hint. */
const presenter = CliOutput.layerPresenter({
  present: Effect.fnUntraced(function* (event) {
    if (event._tag === "InvalidInvocation") {
      // Effect writes its suggestion for a mistyped word on a line below the message, without a full stop between them.
      const message = event.errors
        .map((error) => onOneLine(error.message.replace(/\s+Did you mean this\?\s+(.*)/s, ". Did you mean $1?")))
        .join(" ")
      const hint = `Help: ${event.commandPath.join(" ")} --help`
      const capabilities = yield* TerminalCapabilities.TerminalCapabilities
      return yield* makeOutput(false, capabilities).failure(new Misuse({ message, hint }))
    }
    return yield* CliOutput.defaultPresenter.present(event)
  })
})

const formatter = Layer.unwrap(
  Effect.map(TerminalCapabilities.TerminalCapabilities, ({ canColor }) =>
    CliOutput.layer({
      ...CliOutput.defaultFormatter({ colors: canColor }),
      formatHelpDoc: (doc) => helpText(doc, paintFor(canColor))
    })
  )
)

/** The format of every command's help, version and usage errors. */
export const layer = Layer.mergeAll(
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Wizard, GlobalFlag.Completions] }),
  formatter,
  presenter
)
