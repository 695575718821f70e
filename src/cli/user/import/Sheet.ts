import { parse } from "csv-parse/sync"

/** A row of a sheet: its line number in the file, and its cells that are not empty. */
export interface Row {
  readonly line: number
  readonly cells: Readonly<Record<string, string>>
}

export interface Sheet {
  readonly delimiter: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
}

const delimiters = [",", ";", "\t"] as const

/** The line that tells Excel a sheet's delimiter. */
const delimiterLine = /^"?sep=([,;\t])"?[ \t]*(?:\n|$)/i

/** The most frequent delimiter in the first line, outside quotes: a comma, a semicolon or a tab. */
const delimiterOf = (text: string) => {
  const heading = (text.split("\n", 1)[0] ?? "").replaceAll(/"[^"]*"/g, "")
  const counts = delimiters.map((one) => [heading.split(one).length, one] as const)
  return counts.toSorted(([a], [b]) => b - a)[0]?.[1] ?? ","
}

interface Parsed {
  readonly record: ReadonlyArray<string>
  readonly raw: string
  readonly info: { readonly lines: number }
}

/** Parses comma-separated values (RFC 4180) as spreadsheets write them, with a byte order mark and other delimiters. */
export const sheetOf = (content: string): Sheet | string => {
  // Within quotes, the parser counts CR LF as two lines.
  const whole = content.replace(/^\ufeff/, "").replaceAll("\r\n", "\n")
  const named = delimiterLine.exec(whole)?.[1]
  // Leave an empty line, so that the line numbers still match the file.
  const text = whole.replace(delimiterLine, "\n")
  const delimiter = named ?? delimiterOf(text)
  let parsed: ReadonlyArray<Parsed>
  try {
    parsed = parse(text, {
      delimiter,
      info: true,
      raw: true,
      relax_column_count: true,
      skip_empty_lines: true
    }) as never
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  const [head, ...body] = parsed
  const columns = (head?.record ?? []).map((column) => column.trim())
  const double = columns.find((column, index) => columns.indexOf(column) !== index)
  if (double !== undefined) return `The column ${JSON.stringify(double)} occurs twice.`
  const rows: Array<Row> = []
  for (const { info, raw, record } of body) {
    const line = info.lines - (raw.trim().split("\n").length - 1)
    if (record.slice(columns.length).some((cell) => cell.trim() !== "")) {
      return `Line ${line} has ${record.length} fields, but the first line has ${columns.length} columns.`
    }
    const cells = columns.map((column, index) => [column, (record[index] ?? "").trim()] as const)
    const filled = cells.filter(([, cell]) => cell !== "")
    if (filled.length > 0) rows.push({ line, cells: Object.fromEntries(filled) })
  }
  return { delimiter, columns, rows }
}

const quoted = (cell: string, delimiter: string) =>
  /["\r\n]/.test(cell) || cell.includes(delimiter) || cell !== cell.trim() ? `"${cell.replaceAll('"', '""')}"` : cell

/** Writes a line of a sheet. */
export const lineOf = (cells: ReadonlyArray<string>, delimiter: string): string =>
  `${cells.map((cell) => quoted(cell, delimiter)).join(delimiter)}\r\n`
