import * as CliOutput from "effect/cli/CliOutput"

/** Colors a text for a terminal; without color support, leaves it unchanged. */
export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
}

// A terminal would execute control characters in a legal name or in a response, and some would break the line.
const control = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu

/** Foreign text that is safe for a terminal: on one line, without control characters. */
export const shown = (text: string): string => text.replaceAll(/[\t\n\r]+/g, " ").replaceAll(control, "\ufffd")

/** JSON text that is safe for a terminal: equal JSON, with control characters escaped. */
export const shownJson = (text: string): string =>
  text.replaceAll(control, (char) =>
    char === "\n"
      ? char
      : [...Array(char.length).keys()].map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")
  )

// Marks each code of `Paint` until the line is printed. A service cannot guess it, so `safe` removes the codes in its
// text.
const ours = crypto.getRandomValues(new Uint32Array(2)).join("")
const code = (number: number) => `\x1b[${ours};${number}m`
const ourCode = new RegExp(`(\\x1b\\[${ours};\\d+m)`)

const betweenCodes = (line: string, codeOf: (code: string) => string): string =>
  line
    .split(ourCode)
    .map((part, index) => (index % 2 === 1 ? codeOf(part) : shown(part)))
    .join("")

/**
 * The lines of an object's fields: each has its name and its value. Omits fields without a value. `width`: the column
 * width of the names.
 */
export const fieldLines = (
  rows: ReadonlyArray<readonly [name: string, value: string | null | undefined]>,
  { dim }: Paint,
  width?: number
): ReadonlyArray<string> => {
  const said = rows.flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, value] as const]))
  const wide = width ?? Math.max(...said.map(([name]) => name.length))
  return said.map(([name, value]) => `  ${dim(name.padEnd(wide))}  ${shown(value)}`)
}

/** The terminal's color codes. Print lines that have them with `safe`. */
export const paintFor = (canColor: boolean): Paint => {
  const painting = (number: number) => (text: string) => {
    const inner = betweenCodes(text, (own) => own)
    return canColor && text !== "" ? `${code(number)}${inner}${code(0)}` : inner
  }
  return { bold: painting(1), dim: painting(2), red: painting(31), green: painting(32), yellow: painting(33) }
}

/** A line to print: only the codes of `Paint` remain of its control characters. */
export const safe = (line: string): string => betweenCodes(line, (own) => own.replace(`${ours};`, ""))

/**
 * A column of a table: its heading and its cell for a row. A narrow terminal truncates cells, and omits a column that
 * is `whole`, for example of ids.
 */
export type Column<Row> = readonly [
  heading: string,
  cell: (row: Row, paint: Paint) => string | null | undefined,
  width?: "whole"
]

const gap = "  "
const narrowest = 8

/** The codes of `Paint` in a cell after `safe`. */
const painted = /(\x1b\[\d+m)/

/** The text of a cell on one line. */
const clean = (cell: string) => safe(cell.replaceAll(/[^\S\u00a0]+/g, " "))

/** The cell, truncated with an ellipsis if it is wider than `width`. */
const cut = (cell: string, width: number) => {
  if (CliOutput.displayWidth(cell) <= width) return cell
  // Created on demand: creation takes longer than loading most modules.
  const segmenter = new Intl.Segmenter()
  let left = width - 1
  let isFull = false
  const parts = cell.split(painted).map((part, index) => {
    if (index % 2 === 1) return part
    if (isFull) return ""
    let kept = ""
    for (const { segment } of segmenter.segment(part)) {
      left -= CliOutput.displayWidth(segment)
      if (left < 0) {
        isFull = true
        return `${kept}…`
      }
      kept += segment
    }
    return kept
  })
  return parts.join("")
}

const padded = (text: string, width: number) => text + " ".repeat(Math.max(0, width - CliOutput.displayWidth(text)))

const totalOf = (widths: ReadonlyArray<number | undefined>) =>
  widths.filter((width) => width !== undefined).reduce((total, width) => total + width + gap.length, -gap.length)

/** The column widths that fit into `available`; undefined for an omitted column. */
const fitting = <Row>(
  wanted: ReadonlyArray<number>,
  columns: ReadonlyArray<Column<Row>>,
  available: number
): ReadonlyArray<number | undefined> => {
  const widths: Array<number | undefined> = [...wanted]
  // The first column identifies the row, so it stays.
  for (let index = columns.length - 1; index > 0 && totalOf(widths) > available; index--) {
    if (columns[index]?.[2] === "whole") widths[index] = undefined
  }
  while (totalOf(widths) > available) {
    const widest = widths.reduce<number>(
      (found, width, index) =>
        columns[index]?.[2] !== "whole" && (width ?? 0) > (widths[found] ?? narrowest) ? index : found,
      -1
    )
    const width = widths[widest]
    if (width === undefined) break
    widths[widest] = width - 1
  }
  return widths
}

/** Makes the lines of a table page by page. The first page has the heading, and no column gets narrower. */
export const tableFor = <Row>(columns: ReadonlyArray<Column<Row>>, paint: Paint, available: number) => {
  const headings = columns.map(([heading]) => heading)
  let wanted: ReadonlyArray<number> = []
  return (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
    const cells = rows.map((row) => columns.map(([, cell]) => clean(cell(row, paint) ?? "")))
    const isFirst = wanted.length === 0
    wanted = columns.map((_, index) =>
      [headings, ...cells].reduce(
        (width, line) => Math.max(width, CliOutput.displayWidth(line[index] ?? "")),
        wanted[index] ?? 0
      )
    )
    const widths = fitting(wanted, columns, available)
    const lineOf = (line: ReadonlyArray<string>) =>
      line
        .flatMap((cell, index) => {
          const width = widths[index]
          return width === undefined ? [] : [padded(cut(cell, width), width)]
        })
        .join(gap)
        .trimEnd()
    return [...(isFirst ? [safe(paint.dim(lineOf(headings)))] : []), ...cells.map(lineOf)]
  }
}
