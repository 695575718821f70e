import { Console } from "effect"
import { Flag } from "effect/cli"

export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Answer with one line of JSON"),
  Flag.withDefault(false)
)

/** Says a value to a program, or what it comes to to a person. */
export const say = (asJson: boolean, value: unknown, lines: ReadonlyArray<string>) =>
  Console.log(asJson ? JSON.stringify(value) : lines.join("\n"))

/** Columns as wide as what is in them. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd()
  )
}
