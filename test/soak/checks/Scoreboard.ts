import type { Broken } from "../../support/database/Promises.ts"

/** A promise with its violations; a measured value with its maximum; or information. */
export type Line =
  | { readonly name: string; readonly broken: Broken }
  | { readonly name: string; readonly value: number; readonly atMost: number }
  | { readonly name: string; readonly says: string }

const examplesMax = 5

const isKept = (line: Line) =>
  "broken" in line ? line.broken.length === 0 : "value" in line ? line.value <= line.atMost : true

export const brokenPromises = (lines: ReadonlyArray<Line>): ReadonlyArray<string> =>
  lines.filter((line) => !isKept(line)).map((line) => line.name)

const shown = (line: Line): ReadonlyArray<string> => {
  const name = line.name.padEnd(62)
  if ("says" in line) return [`     ${name} ${line.says}`]
  const mark = isKept(line) ? "ok  " : "FAIL"
  if ("value" in line) return [`${mark} ${name} ${line.value} / at most ${line.atMost}`]
  const examples = line.broken.slice(0, examplesMax).map((example) => `       ${example}`)
  return [`${mark} ${name} ${line.broken.length} / 0`, ...examples]
}

/** Prints each line with its value and the expected value. A broken promise also shows some of its violations. */
export const show = (lines: ReadonlyArray<Line>): string => lines.flatMap(shown).join("\n")

/** The `p` percentile of the values; 0 without values. */
export const percentile = (values: ReadonlyArray<number>, p: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(Math.ceil(values.length * p) - 1, 0)] ?? 0

export const spread = (values: ReadonlyArray<number>, unit: string): string =>
  values.length === 0
    ? "none"
    : `p50 ${percentile(values, 0.5)}  p95 ${percentile(values, 0.95)}  max ${percentile(values, 1)} ${unit} (${values.length})`

export const tallied = (counts: Iterable<readonly [string, number]>): string =>
  [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${count}`)
    .join(", ")
