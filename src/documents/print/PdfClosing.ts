import type { PrintedContent } from "./content/PrintedContent.ts"
import type { Block } from "./content/Said.ts"
import type { Sum } from "./content/Sums.ts"
import { blockTitle } from "./PdfHeading.ts"
import {
  contentWidth,
  ink,
  linesOf,
  lowered,
  page,
  type Paragraph,
  type PrintedSheet,
  type Style
} from "./PrintedSheet.ts"

const left = page.left
const gap = 24
const rowSpace = 4

const plain: Style = { size: 9 }
const styles: Record<NonNullable<Sum["tone"]>, Style> = {
  quiet: { size: 8.5, color: ink.quiet },
  net: { size: 9.5, bold: true },
  all: { size: 11.5, bold: true }
}

const styleOf = ({ tone }: Sum) => (tone === undefined ? plain : styles[tone])

const amountMax = 170
const widthMin = 250
const widthMax = 330

interface Sums {
  readonly x: number
  readonly width: number
  readonly amountWidth: number
  readonly rows: ReadonlyArray<{ readonly sum: Sum; readonly label: Paragraph; readonly height: number }>
  readonly height: number
}

/** The totals as rows of a label and an amount, at the right of the page. */
const sumsOf = (sheet: PrintedSheet, { sums }: PrintedContent): Sums => {
  const widest = (texts: (sum: Sum) => string) =>
    Math.max(...sums.map((sum) => sheet.widthOf(texts(sum), styleOf(sum))))
  const amountWidth =
    Math.min(
      amountMax,
      widest(({ amount }) => amount)
    ) + 2
  const width = Math.max(widthMin, Math.min(widthMax, widest(({ label }) => label) + amountWidth + 14))
  const rows = sums.map((sum) => {
    const label = sheet.paragraph(sum.label, styleOf(sum), width - amountWidth - 12)
    return { sum, label, height: label.height + rowSpace + (sum.tone === "all" ? 6 : 0) }
  })
  const height = rows.reduce((total, row) => total + row.height, 0)
  return { x: left + contentWidth - width, width, amountWidth, rows, height }
}

const drawSum = (sheet: PrintedSheet, { amountWidth, width, x }: Sums, { label, sum }: Sums["rows"][number]) => {
  const style = styleOf(sum)
  let y = sheet.y
  if (sum.tone === "all") {
    sheet.rule(y + 2, { x, width, color: ink.text, thickness: 1 })
    y += 6
  }
  sheet.print(label, x, y, width)
  sheet.writeFitted(sum.amount, x + width - amountWidth, y, amountWidth, { ...style, align: "right" })
}

const togetherMax = 480

const note: Style = { size: 8.5 }

/** The printed lines of blocks, from the first title to the last text, each with its space above. */
const remarkLines = (sheet: PrintedSheet, blocks: ReadonlyArray<Block>, width: number) =>
  blocks.flatMap(({ said, title }, block) => {
    const paragraphs = [
      sheet.paragraph(title, blockTitle, width),
      ...said.map(({ text }) => sheet.paragraph(text, note, width))
    ]
    return paragraphs.flatMap((paragraph, index) =>
      linesOf(paragraph).map((line, at) => ({
        paragraph: line,
        above: at > 0 ? 0 : index > 0 ? 2 : block > 0 ? 10 : 0
      }))
    )
  })

/** Draws the payment instructions and the notes from `sheet.y` down, over as many pages as they need. */
const drawRemarks = (sheet: PrintedSheet, lines: ReturnType<typeof remarkLines>, width: number) => {
  for (const { above, paragraph } of lines) {
    if (!sheet.fits(above + paragraph.height)) sheet.addPage()
    else sheet.y += above
    sheet.print(paragraph, left, sheet.y, width)
    sheet.y += paragraph.height
  }
}

/**
 * Draws the totals at the right with the amount in words, and the payment instructions and notes next to them, or below
 * if they are long.
 */
export const drawClosing = (sheet: PrintedSheet, content: PrintedContent) => {
  const sums = sumsOf(sheet, content)
  const words = sheet.paragraph(content.inWords, { size: 8.5, color: ink.quiet, align: "right" }, contentWidth)
  sheet.rule(sheet.y, { color: ink.hairline })
  sheet.y += 10
  // The totals stay together, unless they are longer than a page.
  if (!sheet.fits(Math.min(sums.height + words.height + 6, togetherMax))) sheet.addPage()
  const [top, pages] = [sheet.y, sheet.pdf.bufferedPageRange().count]
  const besideWidth = contentWidth - sums.width - gap
  const beside = remarkLines(sheet, content.remarks, besideWidth)
  const besideHeight = beside.reduce((sum, { above, paragraph }) => sum + above + paragraph.height, 0)
  const isBeside =
    besideHeight <= sums.height + 60 && sheet.fits(Math.max(besideHeight, sums.height + words.height + 6))
  for (const row of sums.rows) {
    if (!sheet.fits(row.height)) sheet.addPage()
    drawSum(sheet, sums, row)
    sheet.y += row.height
  }
  if (!sheet.fits(words.height + 4)) sheet.addPage()
  const wordsWidth = isBeside && beside.length > 0 ? sums.width : contentWidth
  const said = isBeside ? sheet.paragraph(content.inWords, words.style, wordsWidth) : words
  sheet.y += 4
  sheet.print(said, left + contentWidth - wordsWidth, sheet.y, wordsWidth)
  sheet.y += said.height
  if (beside.length === 0) return
  if (isBeside && sheet.pdf.bufferedPageRange().count === pages) {
    const below = sheet.y
    sheet.y = top + lowered(7.5, 9)
    drawRemarks(sheet, beside, besideWidth)
    sheet.y = Math.max(sheet.y, below)
    return
  }
  sheet.y += 14
  drawRemarks(sheet, remarkLines(sheet, content.remarks, contentWidth), contentWidth)
}
