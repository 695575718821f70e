/** A cell of a table: a text, or an amount as the API writes it ("1190000.00"). */
export type Cell = string | { readonly amount: string }

/** How a spreadsheet of the reader's country reads a file: what separates cells, and how amounts are written. */
const styles = { en: { separator: ",", point: "." }, es: { separator: ";", point: "," } }

// A spreadsheet takes a cell that begins like this for a formula, and runs it.
const formula = /^[\s]*[=+\-@\t\r＝＋－＠]/

const written = (cell: Cell, point: string): string => {
  if (typeof cell !== "string") return cell.amount.replace(".", point)
  const safe = formula.test(cell) ? `'${cell}` : cell
  return `"${safe.replaceAll('"', '""')}"`
}

/** The rows as the lines of a CSV file in the language of the reader. */
export const csvLines = (language: "en" | "es", rows: ReadonlyArray<ReadonlyArray<Cell>>): string => {
  const { point, separator } = styles[language]
  return rows.map((row) => `${row.map((cell) => written(cell, point)).join(separator)}\r\n`).join("")
}

/** What a CSV file begins with, so that a spreadsheet reads it as UTF-8. */
export const byteOrderMark = "\ufeff"
