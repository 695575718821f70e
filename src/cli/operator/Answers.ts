import { Console } from "effect"
import { toggle } from "../user/Flags.ts"

export const json = toggle("json", "Print one line of JSON")

/** Prints to standard output: `value` as one line of JSON for a program, or `lines` for a person. */
export const say = (asJson: boolean, value: unknown, lines: ReadonlyArray<string>) =>
  Console.log(asJson ? JSON.stringify(value) : lines.join("\n"))

/** Pads the cells of the rows, so that each column is as wide as its longest cell. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd()
  )
}
