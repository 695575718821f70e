import PdfKit from "pdfkit"
import { printable, type PrintFont, printFonts, widthOf } from "./PrintFonts.ts"

/** The size of an A4 page and the margin around the printed content, in points. */
export const page = { width: 595.28, height: 841.89, margin: 36 }
export const contentWidth = page.width - 2 * page.margin

export const ink = {
  text: "#1f2328",
  quiet: "#5c6570",
  line: "#c9ced4",
  band: "#eef2f5",
  accent: "#0f4c68",
  mark: "#f3eaea"
}

export interface Style {
  readonly size: number
  readonly bold?: boolean
  readonly color?: string
  readonly align?: "left" | "right" | "center"
}

const lineHeight = 1.32

/** Breaks a text into lines that fit into `width`; a word that is too long for one line is split between two characters. */
const wrap = (font: PrintFont, text: string, size: number, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const space = widthOf(font, " ", size)
  let line = ""
  let used = 0
  const close = () => {
    lines.push(line)
    line = ""
    used = 0
  }
  for (const word of text.split(" ")) {
    const needed = widthOf(font, word, size)
    if (line !== "" && used + space + needed <= width) {
      line += ` ${word}`
      used += space + needed
      continue
    }
    if (line !== "") close()
    if (needed <= width) {
      line = word
      used = needed
      continue
    }
    for (const character of word) {
      const advance = widthOf(font, character, size)
      if (line !== "" && used + advance > width) close()
      line += character
      used += advance
    }
  }
  return [...lines, line]
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;"
}

/** Replaces control characters and lone surrogates, which the XML of the PDF's title and author cannot hold. */
const plain = (text: string) => text.toWellFormed().replaceAll(/[\p{Cc}\ufffe\uffff]+/gu, " ")

const escape = (text: unknown) =>
  typeof text === "string" ? text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "") : text

/** pdfkit writes the document's info (title, author) into the XML metadata without escaping; this class escapes the info first. */
class Pdf extends PdfKit {
  _addInfo() {
    const { info } = this
    this.info = Object.fromEntries(Object.entries(info).map(([name, value]) => [name, escape(value)]))
    const { _addInfo: write } = PdfKit.prototype as unknown as { readonly _addInfo: () => void }
    write.call(this)
    this.info = info
  }
}

/**
 * A PDF that is printed from the top of its current page down; `y` is the position of the next content. Widths, heights and
 * positions are in points. `isWhole` is false when the font lacked a character of a printed text.
 */
export class PrintedSheet {
  readonly pdf: PDFKit.PDFDocument
  readonly bytes: Promise<Uint8Array>
  y = page.margin
  isWhole = true
  private readonly fonts = printFonts()
  private readonly begin: (sheet: PrintedSheet) => void

  /** `begin` prints the content that every page has. */
  constructor(
    info: { readonly title: string; readonly author: string; readonly at: Date },
    begin: (sheet: PrintedSheet) => void
  ) {
    this.begin = begin
    this.pdf = new Pdf({
      size: "A4",
      margin: page.margin,
      autoFirstPage: false,
      bufferPages: true,
      lang: "es-CO",
      displayTitle: true,
      pdfVersion: "1.7",
      // The types of pdfkit allow only a font file here, but pdfkit also takes a font that has been read.
      font: this.fonts.regular.file as unknown as string,
      // The PDF's creation date is the document's issue time, so that the same document gives the same bytes.
      info: {
        Title: plain(info.title),
        Author: plain(info.author),
        Creator: "Folio",
        Producer: "Folio",
        CreationDate: info.at
      }
    })
    this.pdf.registerFont("regular", this.fonts.regular.file as unknown as string)
    this.pdf.registerFont("bold", this.fonts.bold.file as unknown as string)
    this.bytes = new Promise((resolve, reject) => {
      const chunks: Array<Uint8Array> = []
      this.pdf.on("data", (chunk: Uint8Array) => chunks.push(chunk))
      this.pdf.on("end", () => resolve(new Uint8Array(Buffer.concat(chunks))))
      this.pdf.on("error", reject)
    })
  }

  addPage(): void {
    this.pdf.addPage()
    this.y = page.margin
    this.begin(this)
  }

  /** Whether content of this height fits between `y` and the foot of the page. */
  fits(height: number): boolean {
    return this.y + height <= page.height - page.margin - 20
  }

  lines(text: string, style: Style, width: number): ReadonlyArray<string> {
    const shown = printable(text)
    this.isWhole &&= shown.isWhole
    return wrap(style.bold === true ? this.fonts.bold : this.fonts.regular, shown.text, style.size, width)
  }

  heightOf(text: string, style: Style, width: number): number {
    return this.lines(text, style, width).length * style.size * lineHeight
  }

  /** Prints text at a position, in as many lines as the text needs, and returns the height of the lines. */
  write(text: string, x: number, y: number, width: number, style: Style): number {
    const lines = this.lines(text, style, width)
    lines.forEach((line, index) => this.writeLine(line, x, y + index * style.size * lineHeight, width, style))
    return lines.length * style.size * lineHeight
  }

  /** Prints text on one line, in a smaller font size if the text is otherwise wider than `width`. */
  writeFitted(text: string, x: number, y: number, width: number, style: Style): void {
    const { text: shown, isWhole } = printable(text)
    this.isWhole &&= isWhole
    const needed = widthOf(style.bold === true ? this.fonts.bold : this.fonts.regular, shown, style.size)
    const size = needed <= width ? style.size : (style.size * width) / needed
    this.writeLine(shown, x, y + (style.size - size), width, { ...style, size })
  }

  private writeLine(line: string, x: number, y: number, width: number, style: Style): void {
    const { align = "left", bold = false, color = ink.text, size } = style
    const space = align === "left" ? 0 : width - widthOf(bold ? this.fonts.bold : this.fonts.regular, line, size)
    this.pdf
      .font(bold ? "bold" : "regular")
      .fontSize(size)
      .fillColor(color)
      .text(line, x + (align === "center" ? space / 2 : space), y, { lineBreak: false })
  }

  rule(y: number, { color = ink.line, thickness = 0.5, width = contentWidth, x = page.margin } = {}): void {
    this.pdf
      .moveTo(x, y)
      .lineTo(x + width, y)
      .lineWidth(thickness)
      .strokeColor(color)
      .stroke()
  }

  band(x: number, y: number, width: number, height: number, color = ink.band): void {
    this.pdf.rect(x, y, width, height).fill(color)
  }
}
