import type { Foot } from "./content/Closing.ts"
import { contentWidth, dot, ink, page, type PrintedSheet, type Style } from "./PrintedSheet.ts"
import type { QrCode } from "./QrCode.ts"

/** Two dots of an image at 110 dots per inch: a code in such an image of the page, or a sharper one, can be read. */
const moduleSize = 2 * dot

/** The space between the QR code and the text, including the empty margin that readers need around a code. */
const gap = 16
const above = 10

const text: Style = { size: 7, color: ink.quiet }
const code: Style = { size: 6.6 }
const label: Style = { size: 7, bold: true, color: ink.quiet }
const warning: Style = { size: 7, bold: true }

const missingGlyphs = "Los caracteres que no pueden imprimirse se muestran como «?»; el texto completo está en el XML."

/** The height of the foot of every page, in points. */
export const footHeight = ({ width }: QrCode): number => width * moduleSize + above + 8

/** The QR code as a form that the PDF stores once, however many pages show it. */
const formOf = ({ pdf }: PrintedSheet, { runs, width }: QrCode) => {
  const form = pdf.ref({ Type: "XObject", Subtype: "Form", BBox: [0, 0, width, width], Resources: {} })
  form.end(`0 g\n${runs.map(({ length, x, y }) => `${x} ${y} ${length} 1 re`).join("\n")}\nf`)
  return form
}

/** The members of a page that this code uses, and that the types of pdfkit lack. */
interface Page {
  readonly xobjects: Record<string, unknown>
}

/**
 * Draws the foot of every page: the QR code, the CUFE or CUDE, the foot's text, and the page number. A document without
 * legal validity has no QR code, because a scan of the code seems to confirm the document.
 */
export const drawFeet = (sheet: PrintedSheet, qr: QrCode, foot: Foot) => {
  const { pdf } = sheet
  const size = qr.width * moduleSize
  const [x, y] = [page.left, page.height - page.bottom - size]
  const { url } = foot
  const [textX, width] = url === null ? [x, contentWidth] : [x + size + gap, contentWidth - size - gap]
  const form = url === null ? undefined : formOf(sheet, qr)
  const said = [
    ...foot.said.map((words) => sheet.paragraph(words, text, width)),
    ...(sheet.isWhole ? [] : [sheet.paragraph(missingGlyphs, warning, width)])
  ]
  const { count } = pdf.bufferedPageRange()
  for (let index = 0; index < count; index++) {
    pdf.switchToPage(index)
    sheet.rule(y - above, { color: ink.hairline })
    if (url !== null) {
      ;(pdf.page as unknown as Page).xobjects["Qr"] = form
      pdf.addContent(`q ${moduleSize} 0 0 ${moduleSize} ${x} ${y} cm /Qr Do Q`)
      pdf.link(x, y, size, size, url)
    }
    let below = y - 2
    sheet.writeFitted(foot.codeName, textX, below, width, label)
    below += 10
    sheet.writeFitted(foot.code, textX, below, width, code)
    below += 13
    for (const paragraph of said) {
      sheet.print(paragraph, textX, below, width)
      below += paragraph.height + 1.5
    }
    sheet.writeFitted(`Página ${index + 1} de ${count}`, textX, y + size - 9, width, { ...text, align: "right" })
  }
}
