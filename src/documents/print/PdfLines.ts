import type { Item } from "./content/Items.ts"
import type { PrintedContent } from "./content/PrintedContent.ts"
import { contentWidth, ink, linesOf, lowered, page, type Paragraph, type PrintedSheet } from "./PrintedSheet.ts"

type ColumnName = "code" | "description" | "quantity" | "price" | "taxes" | "value"

interface Column {
  readonly name: ColumnName
  readonly head: ReadonlyArray<string>
  readonly x: number
  readonly width: number
  readonly align: "left" | "right"
}

/** The columns of the table of lines, as wide as the texts of all lines need, and the sizes of the texts. */
export interface Table {
  readonly columns: ReadonlyArray<Column>
  /** The size of figures. */
  readonly size: number
  /** The size of descriptions. They wrap, so they stay readable next to figures of many digits. */
  readonly wordSize: number
  /** The space above and below the text of a line. */
  readonly space: number
}

const padding = 6

/** Tables with more lines than this have less space, so that they need fewer pages. */
const roomyLines = 12
const manyLines = 100

const headStyle = { size: 7.5, bold: true, color: ink.quiet } as const
const smaller = 1

const sizeMin = 5.5
const wordSizeMin = 7.5
const descriptionMin = 140
/** The maximum width of a column of codes or of taxes; longer texts wrap. */
const widthMax: Partial<Record<ColumnName, number>> = { code: 84, taxes: 92 }

/** The width at which the names of units wrap, as a multiple of the text size. */
const unitWidth = 6

const textsOf = (item: Item, name: ColumnName): ReadonlyArray<string> => {
  switch (name) {
    case "code":
      return [item.code]
    case "description":
      return []
    case "quantity":
      return [item.quantity]
    case "price":
      return [item.price]
    case "taxes":
      return item.taxes
    case "value":
      return [item.value]
  }
}

const headsOf = ({
  itemStyle,
  tongue
}: PrintedContent): ReadonlyArray<readonly [ColumnName, ReadonlyArray<string>]> => {
  const { each } = tongue
  const inCurrency = (words: string) => (itemStyle.currency === "COP" ? words : `${words} ${itemStyle.currency}`)
  return [
    ...(itemStyle.hasCodes ? [["code", each("Código", "Code")] as const] : []),
    ["description", each("Descripción", "Description")],
    ["quantity", each("Cantidad", "Quantity")],
    ["price", each(inCurrency("Precio"), "Price")],
    ...(itemStyle.taxes === "none"
      ? []
      : [["taxes", itemStyle.taxes === "vat" ? each("IVA", "VAT") : each("Impuestos", "Taxes")] as const]),
    ["value", each(inCurrency("Valor"), "Amount")]
  ]
}

/** Measures all lines, and chooses the largest text size that leaves enough width for the descriptions. */
export const tableOf = (sheet: PrintedSheet, content: PrintedContent): Table => {
  const heads = headsOf(content)
  const isRoomy = content.items.length <= roomyLines
  const sized = heads.map(([name, head]) => ({
    head: Math.max(...head.map((words) => sheet.widthOf(words, headStyle))),
    // The width at size 1, so that one measurement serves every size.
    body: content.items.reduce((widest, item) => {
      const unit = name === "quantity" && item.unit !== "" ? unitWidth : 0
      const widths = textsOf(item, name).map((words) => sheet.widthOf(words, { size: 1 }))
      return Math.max(widest, unit, ...widths)
    }, 0)
  }))
  const widthsAt = (size: number) =>
    heads.map(([name], index) => {
      const { body = 0, head = 0 } = sized[index] ?? {}
      // Half a point more, because the width of a whole text differs a little from the sum of its characters.
      return Math.max(head, Math.min(body * size, widthMax[name] ?? Infinity)) + 2 * padding + 0.5
    })
  const others = (widths: ReadonlyArray<number>) =>
    widths.reduce((sum, width, index) => (heads[index]?.[0] === "description" ? sum : sum + width), 0)
  const count = content.items.length
  const largest = isRoomy ? 9 : count <= manyLines ? 8.5 : 8
  let size = largest
  while (size > sizeMin && others(widthsAt(size)) > contentWidth - descriptionMin) size -= 0.25
  const widths = widthsAt(size)
  const taken = others(widths)
  // Figures too wide for the smallest size are printed smaller still.
  const scale = Math.min(1, (contentWidth - descriptionMin) / taken)
  let x = page.left
  const columns = heads.map(([name, head], index): Column => {
    const width = name === "description" ? contentWidth - taken * scale : (widths[index] ?? 0) * scale
    const column: Column = {
      name,
      head,
      x,
      width,
      align: name === "code" || name === "description" ? "left" : "right"
    }
    x += width
    return column
  })
  return { columns, size, wordSize: Math.max(size, wordSizeMin), space: isRoomy ? 6 : 2.5 }
}

/** The position of the text in a column: the first column begins, and the last column ends, at the margin. */
const inner = ({ columns }: Table, column: Column) => {
  const isFirst = columns[0] === column
  const isLast = columns.at(-1) === column
  return {
    x: column.x + (isFirst ? 0 : padding),
    width: column.width - (isFirst ? 0 : padding) - (isLast ? 0 : padding)
  }
}

const headHeight = ({ columns }: Table) => Math.max(...columns.map(({ head }) => head.length)) * 10 + 8

const drawTableHead = (sheet: PrintedSheet, table: Table) => {
  const height = headHeight(table)
  for (const column of table.columns) {
    const { width, x } = inner(table, column)
    for (const [index, words] of column.head.entries()) {
      const style = { ...headStyle, bold: index === 0, align: column.align }
      sheet.writeFitted(words, x, sheet.y + 2 + index * 10, width, style)
    }
  }
  sheet.y += height
  sheet.rule(sheet.y)
}

const heightOf = (rows: ReadonlyArray<Paragraph>) => rows.reduce((sum, { height }) => sum + height, 0)

/** A text below the description that needs more lines than this extends to the right edge of the table. */
const narrowLines = 3

/** Lines taller than this are broken over pages; shorter ones move to the next page as a whole. */
const wholeMax = 150

/** Draws the columns next to the description, and returns the height of all columns. */
const drawBeside = (
  sheet: PrintedSheet,
  table: Table,
  item: Item,
  y: number,
  isOf: (name: ColumnName) => boolean
): number => {
  const { size, wordSize } = table
  const small = { size: size - smaller, color: ink.quiet }
  let height = 0
  for (const column of table.columns) {
    const { width, x } = inner(table, column)
    const { align, name } = column
    const isDrawn = isOf(name)
    // Figures are on the same baseline as the description.
    let below = y + lowered(size, wordSize)
    const wrapped = (words: string, style: { readonly size: number; readonly color?: string }) => {
      const paragraph = sheet.paragraph(words, { ...style, align }, width)
      if (isDrawn) sheet.print(paragraph, x, below, width)
      below += paragraph.height
    }
    const fitted = (words: string) => {
      if (isDrawn) sheet.writeFitted(words, x, below, width, { size, align })
      below += size * 1.36
    }
    if (name === "code" || name === "taxes") for (const words of textsOf(item, name)) wrapped(words, { size })
    if (name === "quantity") {
      fitted(item.quantity)
      if (item.unit !== "") wrapped(item.unit, small)
    }
    if (name === "price") fitted(item.price)
    if (name === "value") fitted(item.value)
    height = Math.max(height, below - y)
  }
  return height
}

/** Prints a line of the document. The first line of the document or of a page has the table's head above it. */
export const drawItem = (sheet: PrintedSheet, table: Table, item: Item, isFirst: boolean) => {
  const column = table.columns.find(({ name }) => name === "description") ?? table.columns[0]
  if (column === undefined) return
  const { space, wordSize } = table
  const { width, x } = inner(table, column)
  const detail = { size: wordSize - smaller, color: ink.quiet }
  const details = item.details.map((words) => ({ words, paragraph: sheet.paragraph(words, detail, width) }))
  const narrow = [
    ...linesOf(sheet.paragraph(item.description, { size: wordSize }, width)),
    ...details.flatMap(({ paragraph }) => (paragraph.lines.length > narrowLines ? [] : linesOf(paragraph)))
  ]
  const wide = details.flatMap(({ paragraph, words }) =>
    paragraph.lines.length > narrowLines ? linesOf(sheet.paragraph(words, detail, page.left + contentWidth - x)) : []
  )
  const beside = drawBeside(sheet, table, item, 0, () => false)
  const whole = Math.max(beside, heightOf(narrow)) + heightOf(wide)
  const needed = (whole <= wholeMax ? whole : Math.max(beside, narrow[0]?.height ?? 0)) + 2 * space
  const turn = () => {
    sheet.addPage()
    drawTableHead(sheet, table)
  }
  if (isFirst) {
    if (!sheet.fits(headHeight(table) + needed)) sheet.addPage()
    drawTableHead(sheet, table)
  } else if (sheet.fits(needed)) sheet.rule(sheet.y, { color: ink.hairline })
  else turn()
  sheet.y += space
  const draw = (rows: ReadonlyArray<Paragraph>) => {
    for (const row of rows) {
      if (!sheet.fits(row.height + space)) {
        turn()
        sheet.y += space
      }
      sheet.print(row, x, sheet.y, width)
      sheet.y += row.height
    }
  }
  const top = sheet.y
  const drawFigures = () => drawBeside(sheet, table, item, top, (name) => name !== "code")
  drawBeside(sheet, table, item, top, (name) => name === "code")
  // A screen reader reads the figures after the description, so both are on the same page.
  const isTogether = sheet.fits(heightOf(narrow) + space)
  if (!isTogether) drawFigures()
  draw(narrow)
  if (isTogether) {
    drawFigures()
    sheet.y = Math.max(sheet.y, top + beside)
  }
  draw(wide)
  sheet.y += space
}
