import { Effect } from "effect"
import { qrText } from "../../domain/documents/QrText.ts"
import type { FiscalDocument } from "../ubl/FiscalDocument.ts"
import { drawClosing, drawTotals } from "./PdfClosing.ts"
import { drawHeading, drawPageTop } from "./PdfHeading.ts"
import { drawLine, drawTableHead } from "./PdfLines.ts"
import { testMark, titleOf } from "./PrintedWords.ts"
import { contentWidth, ink, page, PrintedSheet } from "./PrintedSheet.ts"
import { qrCode } from "./QrCode.ts"

/** The number of lines that are printed, in some milliseconds, before the fiber yields to other work. */
const linesAtOnce = 20

const watermark = ({ pdf }: PrintedSheet) => {
  const [x, y] = [page.width / 2, page.height / 2]
  pdf.save().rotate(-52, { origin: [x, y] })
  pdf
    .font("bold")
    .fontSize(56)
    .fillColor(ink.mark)
    .text(testMark, x - pdf.widthOfString(testMark) / 2, y - 36, { lineBreak: false })
  pdf.restore()
}

const numberPages = (sheet: PrintedSheet, document: FiscalDocument) => {
  const { count } = sheet.pdf.bufferedPageRange()
  const style = { size: 7, color: ink.quiet } as const
  const y = page.height - page.margin - 10
  for (let index = 0; index < count; index++) {
    sheet.pdf.switchToPage(index)
    sheet.rule(y - 4)
    sheet.write(`${titleOf(document)} ${document.full_number}`, page.margin, y, contentWidth, style)
    sheet.write(`Página ${index + 1} de ${count}`, page.margin, y, contentWidth, { ...style, align: "right" })
  }
}

const issuedAt = ({ issue_date, issue_time }: FiscalDocument) => new Date(`${issue_date}T${issue_time}`)

/**
 * Prints a document in Spanish on A4: a PDF whose bytes are always the same for the same document. A character that the font
 * lacks is printed as "?", and the last page then says so. The printing of a long document yields to other work in between.
 */
export const renderPdf = Effect.fn("renderPdf")(function* (document: FiscalDocument) {
  const info = {
    title: `${titleOf(document)} ${document.full_number}`,
    author: document.issuer.legal_name,
    at: issuedAt(document)
  }
  const isTest = document.environment === "2"
  const sheet = new PrintedSheet(info, (started) => {
    if (isTest) watermark(started)
    drawPageTop(started, document)
  })
  sheet.addPage()
  drawHeading(sheet, document)
  drawTableHead(sheet, document)
  for (const [index, line] of document.lines.entries()) {
    if (index % linesAtOnce === linesAtOnce - 1) yield* Effect.yieldNow
    drawLine(sheet, document, line, index + 1)
  }
  drawTotals(sheet, document)
  drawClosing(sheet, document, qrCode(qrText(document)))
  yield* Effect.yieldNow
  numberPages(sheet, document)
  sheet.pdf.end()
  return yield* Effect.promise(() => sheet.bytes)
})
