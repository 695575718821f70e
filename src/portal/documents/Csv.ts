/** A cell of a table: a text, or an amount as the API writes it ("1190000.00"). */
export type Cell = string | { readonly amount: string }

/** The cell separator and the decimal separator that spreadsheets in each language expect. */
const styles = { en: { separator: ",", point: "." }, es: { separator: ";", point: "," } }

// A spreadsheet runs a cell with this start as a formula.
const formula = /^[\s]*[=+\-@\t\r＝＋－＠]/

const written = (cell: Cell, point: string): string => {
  if (typeof cell !== "string") return cell.amount.replace(".", point)
  const safe = formula.test(cell) ? `'${cell}` : cell
  return `"${safe.replaceAll('"', '""')}"`
}

/** The rows as lines of a CSV file, in the reader's language. */
export const csvLines = (language: "en" | "es", rows: ReadonlyArray<ReadonlyArray<Cell>>): string => {
  const { point, separator } = styles[language]
  return rows.map((row) => `${row.map((cell) => written(cell, point)).join(separator)}\r\n`).join("")
}

/** The start of a CSV file, so that spreadsheets read it as UTF-8. */
export const byteOrderMark = "\ufeff"
