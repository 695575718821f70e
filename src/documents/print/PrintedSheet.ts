import PdfKit from "pdfkit"
import { printable, type PrintFont, printFonts, widthOf } from "./PrintFonts.ts"

/**
 * A dot of an image at 110 dots per inch. QR codes are drawn on whole dots, so that such an image shows sharp modules.
 */
export const dot = 72 / 110

/** The size of a page of letter paper and of the space around the printed content, in points. */
export const page = { width: 612, height: 792, left: 72 * dot, top: 40, bottom: 55 * dot }
export const contentWidth = page.width - 2 * page.left

export const ink = {
  text: "#1d1d1b",
  quiet: "#62625d",
  line: "#cfcec8",
  hairline: "#e4e3dd"
}

export interface Style {
  readonly size: number
  readonly bold?: boolean
  readonly color?: string
  readonly align?: "left" | "right" | "center"
}

/** A text that is broken into lines, ready to be printed. */
export interface Paragraph {
  readonly lines: ReadonlyArray<string>
  readonly style: Style
  readonly height: number
}

/** The lines of a paragraph, each as a paragraph of its own. */
export const linesOf = ({ height, lines, style }: Paragraph): ReadonlyArray<Paragraph> =>
  lines.map((line) => ({ lines: [line], style, height: height / lines.length }))

const lineHeight = 1.36

/** The height of the letters above the baseline, as a fraction of the font size. */
const ascent = 1.069

/** The offset at which a smaller text begins, so that it shares the baseline of a larger text. */
export const lowered = (size: number, larger: number): number => (larger - size) * ascent

/**
 * Breaks a text into lines that fit into `width`. A word that is too long for one line is split between two characters.
 */
const wrap = (font: PrintFont, text: string, size: number, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const space = widthOf(font, " ", size)
  let line = ""
  let used = 0
  const close = () => {
    // A dot at the end of a line has nothing to separate.
    lines.push(line.replace(/ ·$/u, ""))
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

/**
 * The member that this code uses of a picture that pdfkit has opened: pdfkit calls it after it has unpacked the
 * picture's pixels.
 */
interface Picture {
  finalize?: () => void
}

/** The member that this code uses of a PDF, and that the types of pdfkit lack. */
interface Opening {
  readonly openImage: (bytes: Buffer) => Picture
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

/**
 * pdfkit writes the document's info (title, author) into the XML metadata without escaping; this class escapes the info
 * first.
 */
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
 * A PDF that is printed from the top of its current page down; `y` is the position of the next content. Widths, heights
 * and positions are in points. `isWhole` is false if the font lacked a character of a printed text.
 */
export class PrintedSheet {
  readonly pdf: PDFKit.PDFDocument
  readonly bytes: Promise<Uint8Array>
  y = page.top
  /** The lower limit of a page's content: its foot. */
  readonly bottom: number
  isWhole = true
  /**
   * Settles when the picture is in the PDF. Content printed earlier would be before or after the picture in the file by
   * chance, and the bytes of the PDF would differ each time.
   */
  pictureDrawn = Promise.resolve()
  private readonly fonts = printFonts()
  private isBold: boolean | undefined
  private readonly begin: (sheet: PrintedSheet) => void

  /** `begin` prints the content at the top of every page; `footHeight` stays free at the foot of every page. */
  constructor(
    info: { readonly title: string; readonly author: string; readonly at: Date },
    footHeight: number,
    begin: (sheet: PrintedSheet) => void
  ) {
    this.begin = begin
    this.bottom = page.height - page.bottom - footHeight
    this.pdf = new Pdf({
      size: "LETTER",
      margin: 0,
      autoFirstPage: false,
      bufferPages: true,
      lang: "es-CO",
      displayTitle: true,
      pdfVersion: "1.7",
      // The types of pdfkit allow only a font file here, but pdfkit also accepts a font that has been read.
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
    this.y = page.top
    this.begin(this)
  }

  /** Whether content of this height fits between `y` and the foot of the page. */
  fits(height: number): boolean {
    return this.y + height <= this.bottom
  }

  /** The width of a text on one line. */
  widthOf(text: string, { bold = false, size }: Style): number {
    return widthOf(bold ? this.fonts.bold : this.fonts.regular, this.shown(text), size)
  }

  paragraph(text: string, style: Style, width: number): Paragraph {
    const lines = wrap(style.bold === true ? this.fonts.bold : this.fonts.regular, this.shown(text), style.size, width)
    return { lines, style, height: lines.length * style.size * lineHeight }
  }

  /** Prints a paragraph from a position down, up to `width` for text that is not aligned left. */
  print({ lines, style }: Paragraph, x: number, y: number, width: number): void {
    lines.forEach((line, index) => this.printLine(line, x, y + index * style.size * lineHeight, width, style))
  }

  /** Prints text at a position, in as many lines as it needs, and returns the height of the lines. */
  write(text: string, x: number, y: number, width: number, style: Style): number {
    const paragraph = this.paragraph(text, style, width)
    this.print(paragraph, x, y, width)
    return paragraph.height
  }

  /** Prints text on one line, in a smaller font size if the text is otherwise wider than `width`. */
  writeFitted(text: string, x: number, y: number, width: number, style: Style): void {
    const needed = this.widthOf(text, style)
    const size = needed <= width ? style.size : (style.size * width) / needed
    this.printLine(this.shown(text), x, y + lowered(size, style.size), width, { ...style, size })
  }

  private shown(text: string): string {
    const shown = printable(text)
    this.isWhole &&= shown.isWhole
    return shown.text
  }

  private printLine(line: string, x: number, y: number, width: number, style: Style): void {
    const { align = "left", bold = false, color = ink.text, size } = style
    const space = align === "left" ? 0 : width - widthOf(bold ? this.fonts.bold : this.fonts.regular, line, size)
    // pdfkit searches its fonts for each choice of a font.
    if (this.isBold !== bold) this.pdf.font(bold ? "bold" : "regular")
    this.isBold = bold
    this.pdf
      .fontSize(size)
      .fillColor(color)
      .text(line.replaceAll("\u00a0", " "), x + (align === "center" ? space / 2 : space), y, { lineBreak: false })
  }

  /** Prints a picture, a PNG or JPEG, as large as fits into a box. Returns whether the picture can be read. */
  picture(bytes: Uint8Array, x: number, y: number, width: number, height: number): boolean {
    let image: Picture
    try {
      image = (this.pdf as unknown as Opening).openImage(Buffer.from(bytes))
    } catch {
      return false
    }
    const { finalize } = image
    if (finalize !== undefined) {
      this.pictureDrawn = new Promise((resolve) => {
        image.finalize = () => {
          finalize.call(image)
          resolve()
        }
      })
    }
    this.pdf.image(image as unknown as Buffer, x, y, { fit: [width, height] })
    return true
  }

  rule(y: number, { color = ink.line, thickness = 0.6, width = contentWidth, x = page.left } = {}): void {
    this.pdf
      .moveTo(x, y)
      .lineTo(x + width, y)
      .lineWidth(thickness)
      .strokeColor(color)
      .stroke()
  }
}
