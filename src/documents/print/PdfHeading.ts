import type { Block } from "./content/Said.ts"
import type { PrintedContent } from "./content/PrintedContent.ts"
import { contentWidth, ink, lowered, page, type Paragraph, type PrintedSheet, type Style } from "./PrintedSheet.ts"

const left = page.left
const bandHeight = 17
const text: Style = { size: 9 }
const quiet: Style = { size: 9, color: ink.quiet }
export const blockTitle: Style = { size: 7.5, bold: true, color: ink.quiet }
const gap = 20

/** The style of a name, which may have 450 characters. The longer the name, the smaller the size. */
const named = (name: string, size: number): Style => ({
  size: name.length <= 60 ? size : name.length <= 160 ? Math.min(size, 10) : 8,
  bold: true
})

/** Draws the marks of a document, each a band across the very top of the page, away from the figures. */
const drawBands = (sheet: PrintedSheet, { marks }: PrintedContent) => {
  for (const [index, { background, color, text: words }] of marks.entries()) {
    const y = index * bandHeight
    sheet.pdf.rect(0, y, page.width, bandHeight).fill(background)
    sheet.writeFitted(words, left, y + 3, contentWidth, { size: 8, color, align: "center" })
  }
  if (marks.length > 0) sheet.y = marks.length * bandHeight + 23
}

const acrossStyle: Style = { size: 44, bold: true, color: "#f3d3cd", align: "center" }

/** Draws large, pale words from corner to corner, beneath the content of the page. */
const drawAcross = (sheet: PrintedSheet, words: string) => {
  const [x, y, width] = [page.width / 2, page.height / 2, contentWidth * 1.6]
  sheet.pdf.save().rotate(-50, { origin: [x, y] })
  sheet.writeFitted(words, x - width / 2, y - acrossStyle.size / 2, width, acrossStyle)
  sheet.pdf.restore()
}

/** A text on one line, truncated with "…" if it is too long: the first page has the whole text. */
const cut = (sheet: PrintedSheet, words: string, style: Style, width: number) => {
  const [first = "", ...rest] = sheet.paragraph(words, style, width).lines
  return rest.length === 0 ? first : `${first.slice(0, -1)}…`
}

/** Draws the top of every page: the marks and, from the second page on, the issuer and the full number. */
export const drawPageTop = (sheet: PrintedSheet, content: PrintedContent) => {
  if (content.across !== undefined) drawAcross(sheet, content.across)
  drawBands(sheet, content)
  if (sheet.pdf.bufferedPageRange().count === 1) return
  const { seller, sellerId, title } = content
  const small: Style = { size: 8, bold: true }
  const half = contentWidth / 2 - gap / 2
  sheet.writeFitted(cut(sheet, seller.name, small, half), left, sheet.y, half, small)
  sheet.writeFitted(`${title[0]} ${content.number}`, left + contentWidth - half, sheet.y, half, {
    ...small,
    align: "right"
  })
  sheet.writeFitted(sellerId, left, sheet.y + 11, half, { size: 8, color: ink.quiet })
  sheet.y += 34
}

const logoHeight = 46
const logoWidth = 170
const titleWidth = 205

const drawLogo = (sheet: PrintedSheet, logo: Uint8Array | null): number => {
  // A picture that cannot be read is omitted: a document must be printed.
  const isDrawn = logo !== null && sheet.picture(logo, left, sheet.y, logoWidth, logoHeight)
  return isDrawn ? logoHeight + 9 : 0
}

/** Draws title, number and time of issue at the right, and returns their height. */
const drawTitle = (sheet: PrintedSheet, { issued, number, title }: PrintedContent, accent: string): number => {
  const x = left + contentWidth - titleWidth
  let y = sheet.y
  const put = (words: string, style: Style) => {
    y += sheet.write(words, x, y, titleWidth, { ...style, align: "right" })
  }
  for (const [index, words] of title.entries()) put(words, { size: 10 - index, bold: index === 0, color: accent })
  sheet.writeFitted(number, x, y, titleWidth, { size: 20, bold: true, align: "right" })
  y += 28
  for (const words of issued) put(words, quiet)
  return y - sheet.y
}

const drawSeller = (sheet: PrintedSheet, { seller }: PrintedContent, y: number): number => {
  const width = contentWidth - titleWidth - gap
  let below = y
  below += sheet.write(seller.name, left, below, width, named(seller.name, 13)) + 1
  for (const { text: words, tone } of seller.said) {
    below += sheet.write(words, left, below, width, tone === "quiet" ? quiet : text) + 1
  }
  return below
}

/** Draws the headline: the amount due and the due date, over a tint of the issuer's colour. */
const drawDue = (sheet: PrintedSheet, { due }: PrintedContent, tint: string) => {
  const inner = contentWidth - 28
  const amount: Style = { size: 17, bold: true, align: "right" }
  const amountWidth = sheet.widthOf(due.amount, amount)
  const bold: Style = { size: 10, bold: true }
  const plain: Style = { size: 10 }
  const width = inner - Math.min(amountWidth, inner / 2) - gap
  const first = sheet.widthOf(`${due.words} `, plain)
  const isOneLine = first + sheet.widthOf(due.until, bold) <= width
  const height = 14 + 24 + (isOneLine ? 0 : 8) + (due.english === undefined ? 0 : 13)
  if (!sheet.fits(height)) sheet.addPage()
  sheet.pdf.roundedRect(left, sheet.y, contentWidth, height, 7).fill(tint)
  const x = left + 14
  const y = sheet.y + 7
  const base = y + (isOneLine ? lowered(10, 17) : 0)
  sheet.writeFitted(due.words, x, base + (isOneLine ? 0 : 1), isOneLine ? first : width, plain)
  sheet.writeFitted(
    due.until,
    isOneLine ? x + first : x,
    isOneLine ? base : base + 15,
    isOneLine ? width - first : width,
    bold
  )
  if (due.english !== undefined) {
    sheet.writeFitted(due.english, x, base + (isOneLine ? 15 : 30), width, { size: 9, color: ink.quiet })
  }
  sheet.writeFitted(due.amount, x + inner / 2, y + (isOneLine ? 0 : 3), inner / 2, amount)
  sheet.y += height + 18
}

interface Laid {
  readonly paragraphs: ReadonlyArray<Paragraph>
  readonly height: number
}

/** A block as paragraphs of a given width, ready to be drawn. */
const laid = (sheet: PrintedSheet, { said, title }: Block, width: number): Laid => {
  const paragraphs = [
    sheet.paragraph(title, blockTitle, width),
    ...said.map(({ text: words, tone }) =>
      sheet.paragraph(words, tone === "bold" ? { ...named(words, 9.5) } : tone === "quiet" ? quiet : text, width)
    )
  ]
  return { paragraphs, height: paragraphs.reduce((sum, { height }) => sum + height, 2) }
}

const drawLaid = (sheet: PrintedSheet, { paragraphs }: Laid, x: number, y: number, width: number) => {
  let below = y
  for (const [index, paragraph] of paragraphs.entries()) {
    sheet.print(paragraph, x, below, width)
    below += paragraph.height + (index === 0 ? 2 : 0)
  }
}

const blockGap = 10

/** Draws blocks in columns over as many pages as they need. Each block goes to the highest free position. */
const drawBlocks = (
  sheet: PrintedSheet,
  blocks: ReadonlyArray<Block>,
  x: number,
  width: number,
  columns: number
): number => {
  const columnWidth = (width - gap * (columns - 1)) / columns
  let tops = Array.from({ length: columns }, () => sheet.y)
  for (const block of blocks) {
    const one = laid(sheet, block, columnWidth)
    const column = tops.indexOf(Math.min(...tops))
    sheet.y = tops[column] ?? sheet.y
    if (!sheet.fits(one.height)) {
      sheet.addPage()
      tops = tops.map(() => sheet.y)
    }
    const at = tops.indexOf(Math.min(...tops))
    drawLaid(sheet, one, x + at * (columnWidth + gap), sheet.y, columnWidth)
    tops[at] = sheet.y + one.height + blockGap
  }
  return Math.max(...tops)
}

/** The buyer's share of the width. */
const buyerShare = 0.4

/** The maximum height of the buyer next to the terms. */
const besideMax = 150

const drawParties = (sheet: PrintedSheet, { buyer, correction, terms }: PrintedContent) => {
  if (correction !== undefined) sheet.y = drawBlocks(sheet, [correction], left, contentWidth, 1) + 6
  const width = contentWidth * buyerShare - gap
  const beside = laid(sheet, buyer, width)
  if (beside.height > besideMax) {
    sheet.y = drawBlocks(sheet, [buyer], left, contentWidth, 1)
    sheet.y = drawBlocks(sheet, terms, left, contentWidth, 3)
  } else {
    const first = laid(sheet, terms[0] ?? buyer, (contentWidth * (1 - buyerShare) - gap) / 2)
    if (!sheet.fits(Math.max(beside.height, first.height))) sheet.addPage()
    const [top, pages] = [sheet.y, sheet.pdf.bufferedPageRange().count]
    drawLaid(sheet, beside, left, top, width)
    const x = left + contentWidth * buyerShare
    const below = drawBlocks(sheet, terms, x, contentWidth * (1 - buyerShare), 2)
    const isOnePage = sheet.pdf.bufferedPageRange().count === pages
    sheet.y = isOnePage ? Math.max(below, top + beside.height + blockGap) : below
  }
  sheet.y += 6
}

/** Draws title, issuer, headline, buyer and terms. Moves `sheet.y` down to the start of the lines. */
export const drawHeading = (sheet: PrintedSheet, content: PrintedContent) => {
  const { accent, tint } = content.colors
  const titled = drawTitle(sheet, content, accent)
  const top = sheet.y
  const below = drawSeller(sheet, content, top + drawLogo(sheet, content.logo))
  sheet.y = Math.max(top + titled, below) + 16
  drawDue(sheet, content, tint)
  drawParties(sheet, content)
}
