import { Effect } from "effect"
import { qrText } from "../rules/QrText.ts"
import type { FiscalDocument } from "../ubl/FiscalDocument.ts"
import { printedContent } from "./content/PrintedContent.ts"
import { drawClosing } from "./PdfClosing.ts"
import { drawFeet, footHeight } from "./PdfFoot.ts"
import { drawHeading, drawPageTop } from "./PdfHeading.ts"
import { drawItem, tableOf } from "./PdfLines.ts"
import { PrintedSheet } from "./PrintedSheet.ts"
import { qrCode } from "./QrCode.ts"

/** The number of lines to print before the fiber yields to other work. They take some milliseconds. */
const linesAtOnce = 20

const issuedAt = ({ issue_date, issue_time }: FiscalDocument) => new Date(`${issue_date}T${issue_time}`)

/**
 * Prints a document on letter paper, in Spanish, and also in English for a buyer abroad. The PDF's bytes are the same
 * for the same document and `logo`, the bytes of a PNG or JPEG. A character that the font lacks is printed as "?", with
 * a note at the foot of the pages. The printing of a long document yields to other work.
 */
export const renderPdf = Effect.fn("renderPdf")(function* (document: FiscalDocument, logo: Uint8Array | null = null) {
  const content = printedContent(document, logo)
  const code = qrCode(qrText(document))
  const info = {
    title: `${content.title[0]} ${document.full_number}`,
    author: document.issuer.legal_name,
    at: issuedAt(document)
  }
  const sheet = new PrintedSheet(info, footHeight(code), (started) => drawPageTop(started, content))
  sheet.addPage()
  drawHeading(sheet, content)
  yield* Effect.promise(() => sheet.pictureDrawn)
  const table = tableOf(sheet, content)
  yield* Effect.yieldNow
  for (const [index, item] of content.items.entries()) {
    if (index % linesAtOnce === linesAtOnce - 1) yield* Effect.yieldNow
    drawItem(sheet, table, item, index === 0)
  }
  drawClosing(sheet, content)
  yield* Effect.yieldNow
  drawFeet(sheet, code, content.foot)
  sheet.pdf.end()
  return yield* Effect.promise(() => sheet.bytes)
})
