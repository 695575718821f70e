import type { Line } from "../../../schemas/Line.ts"
import type { FiscalDocument } from "../ubl/FiscalDocument.ts"
import { contentWidth, ink, page, type PrintedSheet, type Style } from "./PrintedSheet.ts"
import { figures, percent, taxName, unitName } from "./PrintedWords.ts"

interface Column {
  readonly name: string
  readonly width: number
  readonly align: "left" | "right"
}

const columns: ReadonlyArray<Column> = [
  { name: "#", width: 22, align: "left" },
  { name: "Descripción", width: 169, align: "left" },
  { name: "Cantidad", width: 64, align: "right" },
  { name: "Unidad", width: 54, align: "left" },
  { name: "Vr. unitario", width: 76, align: "right" },
  { name: "Impuestos", width: 56, align: "left" },
  { name: "Valor", width: contentWidth - 441, align: "right" }
]

const padding = 4
const text: Style = { size: 7.5 }

const places = columns.map((_, index) => columns.slice(0, index).reduce((x, { width }) => x + width, page.margin))

/** The position, width and alignment of the text in a column. */
const cell = (index: number) => ({
  x: (places[index] ?? 0) + padding,
  width: (columns[index]?.width ?? 0) - 2 * padding,
  align: columns[index]?.align ?? "left"
})

/** Draws the head of the table, on a new page unless the head and a line or two below it fit on this page. */
export const drawTableHead = (sheet: PrintedSheet, { currency }: FiscalDocument) => {
  if (!sheet.fits(60)) sheet.addPage()
  sheet.band(page.margin, sheet.y, contentWidth, 16, ink.accent)
  for (const [index, { name }] of columns.entries()) {
    const { align, width, x } = cell(index)
    const shown = name === "Valor" ? `Valor ${currency}` : name
    sheet.writeFitted(shown, x, sheet.y + 3, width, { size: 7.5, bold: true, color: "#ffffff", align })
  }
  sheet.y += 18
}

const taxWords = ({ taxes }: Line): ReadonlyArray<string> =>
  taxes.filter(({ code }) => code !== "ZZ").map(({ code, rate }) => `${taxName(code)} ${percent(rate)}`)

/** The text of a line in each column. Words (an array) may wrap to several printed lines; figures (a string) never wrap. */
const cells = (line: Line, number: number): ReadonlyArray<string | ReadonlyArray<string>> => {
  const taxes = taxWords(line)
  return [
    String(number),
    [line.description],
    figures(line.quantity),
    [unitName(line.unit_code)],
    figures(line.unit_price),
    taxes.length === 0 ? "—" : taxes,
    figures(line.line_extension_amount)
  ]
}

/** Prints a line of the document. When the page is full, starts a new page with the table's head first. */
export const drawLine = (sheet: PrintedSheet, document: FiscalDocument, line: Line, number: number) => {
  const said = cells(line, number)
  const heights = said.map((words, index) =>
    typeof words === "string"
      ? text.size * 1.32
      : words.reduce((height, word) => height + sheet.heightOf(word, text, cell(index).width), 0)
  )
  const height = Math.max(...heights) + 5
  if (!sheet.fits(height)) {
    sheet.addPage()
    drawTableHead(sheet, document)
  }
  for (const [index, words] of said.entries()) {
    const { align, width, x } = cell(index)
    if (typeof words === "string") {
      sheet.writeFitted(words, x, sheet.y + 2, width, { ...text, align })
      continue
    }
    let y = sheet.y + 2
    for (const word of words) y += sheet.write(word, x, y, width, text)
  }
  sheet.y += height
  sheet.rule(sheet.y - 1)
}
