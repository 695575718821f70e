import type { Tax } from "../../../schemas/Line.ts"
import { amountInWords } from "../../domain/documents/AmountInWords.ts"
import { cents, decimal } from "../../domain/documents/Decimal.ts"
import { catalogueUrl } from "../../domain/documents/QrText.ts"
import type { FiscalDocument } from "../ubl/FiscalDocument.ts"
import { contentWidth, ink, page, type PrintedSheet, type Style } from "./PrintedSheet.ts"
import { codeName, figures, percent, resolutionWords, taxName, titleOf } from "./PrintedWords.ts"
import type { qrCode } from "./QrCode.ts"

const left = page.margin
const totalsWidth = 220
const taxesWidth = contentWidth - totalsWidth - 16
const text: Style = { size: 7.5 }
const head: Style = { size: 7.5, bold: true, color: ink.accent }
const row = 12

/** The tax amounts of a document by tax code, each summed over all rates. */
const byCode = (taxes: ReadonlyArray<Tax>): ReadonlyArray<readonly [name: string, amount: string]> =>
  [...Map.groupBy(taxes, ({ code }) => code)].map(([code, entries]) => [
    taxName(code),
    decimal(entries.reduce((sum, { value }) => sum + cents(value), 0n))
  ])

const drawAmount = (sheet: PrintedSheet, name: string, amount: string, y: number, style: Style) => {
  const x = left + contentWidth - totalsWidth
  sheet.writeFitted(name, x + 8, y, 92, style)
  sheet.writeFitted(figures(amount), x + 100, y, totalsWidth - 108, { ...style, align: "right" })
}

const taxCells = ({ base, code, rate, value }: Tax) => [taxName(code), percent(rate), figures(base), figures(value)]
const taxPlaces = [0, 0.34, 0.48, 0.74].map((part) => part * taxesWidth)

const drawTaxRow = (sheet: PrintedSheet, cells: ReadonlyArray<string>, style: Style) => {
  for (const [index, cell] of cells.entries()) {
    const place = taxPlaces[index] ?? 0
    const width = (taxPlaces[index + 1] ?? taxesWidth) - place - 4
    sheet.writeFitted(cell, left + place, sheet.y, width, { ...style, align: index < 1 ? "left" : "right" })
  }
  sheet.y += row
}

const drawTaxHead = (sheet: PrintedSheet) => drawTaxRow(sheet, ["Impuesto", "Tarifa", "Base", "Valor"], head)

/** Draws the taxes by code and rate at the left, the totals at the right, and the amount in words below both. */
export const drawTotals = (sheet: PrintedSheet, { currency, kind, totals }: FiscalDocument) => {
  const codes = byCode(totals.taxes)
  const totalsHeight = (codes.length + 1) * row + 34
  sheet.y += 8
  if (!sheet.fits(totalsHeight)) sheet.addPage()
  const top = sheet.y
  let y = top
  for (const [name, amount] of [["Subtotal", totals.line_extension_amount] as const, ...codes]) {
    drawAmount(sheet, name, amount, y, text)
    y += row
  }
  sheet.band(left + contentWidth - totalsWidth, y, totalsWidth, 22)
  drawAmount(
    sheet,
    `${kind === "credit_note" ? "Total nota" : "Total a pagar"} ${currency}`,
    totals.payable_amount,
    y + 5,
    { size: 9, bold: true }
  )
  const below = y + 28

  const pages = sheet.pdf.bufferedPageRange().count
  if (totals.taxes.length > 0) drawTaxHead(sheet)
  for (const tax of totals.taxes) {
    if (!sheet.fits(row)) {
      sheet.addPage()
      drawTaxHead(sheet)
    }
    drawTaxRow(sheet, taxCells(tax), text)
  }
  sheet.y += 4
  if (sheet.pdf.bufferedPageRange().count === pages) sheet.y = Math.max(sheet.y, below)

  const words = `Son: ${amountInWords(totals.payable_amount, currency)}${currency === "COP" ? " M/CTE" : ""}.`
  const style: Style = { size: 8.5, bold: true }
  if (!sheet.fits(sheet.heightOf(words, style, contentWidth) + 4)) sheet.addPage()
  sheet.y += sheet.write(words, left, sheet.y + 2, contentWidth, style) + 6
}

const qrSize = 96

const missingGlyphs = "Los caracteres que no pueden imprimirse se muestran como «?»; el texto completo está en el XML."

/** Draws the end of the document: the QR code `code`, the CUFE or CUDE, the resolution of the number, and the URL to verify at. */
export const drawClosing = (sheet: PrintedSheet, document: FiscalDocument, code: ReturnType<typeof qrCode>) => {
  const x = left + qrSize + 12
  const width = contentWidth - qrSize - 12
  const resolution = resolutionWords(document)
  const url = catalogueUrl(document.environment, document.cufe)
  const statement = `Representación gráfica de la ${titleOf(document).toLowerCase()}. El documento con validez legal es el XML firmado digitalmente.`
  const said: ReadonlyArray<readonly [words: string, style: Style]> = [
    [`${codeName(document)}:`, head],
    [document.cufe, text],
    ...(resolution === undefined ? [] : [[resolution, text] as const]),
    [statement, text],
    [`Verifique este documento en ${url}`, { ...text, color: ink.quiet }],
    ...(sheet.isWhole ? [] : [[missingGlyphs, { ...text, bold: true }] as const])
  ]
  const height = Math.max(
    qrSize,
    said.reduce((sum, [words, style]) => sum + sheet.heightOf(words, style, width) + 3, 0)
  )
  if (!sheet.fits(height + 10)) sheet.addPage()
  sheet.rule(sheet.y + 2)
  sheet.y += 8
  // A white background hides the watermark, because QR readers need the light modules to be light.
  sheet.band(left, sheet.y, qrSize, qrSize, "#ffffff")
  const module = qrSize / code.width
  for (const run of code.runs) {
    sheet.pdf.rect(left + run.x * module, sheet.y + run.y * module, run.length * module, module)
  }
  sheet.pdf.fill("#000000")
  sheet.pdf.link(left, sheet.y, qrSize, qrSize, url)
  let y = sheet.y
  for (const [words, style] of said) y += sheet.write(words, x, y, width, style) + 3
  sheet.y += height
}
