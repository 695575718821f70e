import { createRequire } from "node:module"
import PdfKit from "pdfkit"

interface Glyph {
  readonly advanceWidth: number
}

/** The members that this code uses of a font that pdfkit has read. */
interface FontFile {
  readonly unitsPerEm: number
  readonly glyphsForString: (text: string) => ReadonlyArray<Glyph>
  readonly hasGlyphForCodePoint: (codePoint: number) => boolean
}

/**
 * A font that places glyphs next to each other by their advance widths, without shaping (kerning, ligatures). Shaping
 * takes a hundred times as long, and Latin, Greek and Cyrillic text reads well without it. Two characters may share a
 * glyph, such as "µ" and "μ", and the font would keep the first requested character for all documents. Here each
 * character has its own glyph, because a document must not depend on earlier documents.
 */
const unshaped = (font: FontFile): FontFile => {
  const known = new Map<string, Glyph>()
  const glyphOf = (character: string): Glyph => {
    const found = known.get(character)
    if (found !== undefined) return found
    const glyph: Glyph = Object.create(font.glyphsForString(character)[0] ?? null, {
      codePoints: { value: [character.codePointAt(0)] }
    })
    known.set(character, glyph)
    return glyph
  }
  return Object.create(font, {
    layout: {
      value: (text: string) => {
        const glyphs = Array.from(text, glyphOf)
        const positions = glyphs.map(({ advanceWidth }) => ({
          xAdvance: advanceWidth,
          yAdvance: 0,
          xOffset: 0,
          yOffset: 0
        }))
        return {
          glyphs,
          positions,
          get advanceWidth() {
            return positions.reduce((width, { xAdvance }) => width + xAdvance, 0)
          }
        }
      }
    }
  })
}

const resolve = createRequire(import.meta.url).resolve

/**
 * Reads a font file through a temporary pdfkit document, because only pdfkit can read the file. By default, pdfkit
 * would read the file again for every document, which takes most of the time of a short document.
 */
const read = (name: string): FontFile => {
  const options = { font: resolve(`@expo-google-fonts/noto-sans/${name}`), autoFirstPage: false }
  const document = new PdfKit(options) as unknown as Readonly<Record<"_font", { readonly font: FontFile }>>
  return unshaped(document["_font"].font)
}

export interface PrintFont {
  readonly file: FontFile
  /** The width of each character measured so far, as a fraction of the font size. */
  readonly advances: Map<string, number>
}

const load = (name: string): PrintFont => ({ file: read(name), advances: new Map() })

let fonts: { readonly regular: PrintFont; readonly bold: PrintFont } | undefined

/** Noto Sans, read on its first use. */
export const printFonts = () =>
  (fonts ??= {
    regular: load("400Regular/NotoSans_400Regular.ttf"),
    bold: load("700Bold/NotoSans_700Bold.ttf")
  })

/** The width of a text, in points. */
export const widthOf = ({ advances, file }: PrintFont, text: string, size: number): number => {
  let width = 0
  for (const character of text) {
    let advance = advances.get(character)
    if (advance === undefined) {
      advance = (file.glyphsForString(character)[0]?.advanceWidth ?? 0) / file.unitsPerEm
      advances.set(character, advance)
    }
    width += advance
  }
  return width * size
}

/** Text with only characters of the font, and without spaces to reduce: nearly every text. */
const latin = /^[\u0020-\u007e\u00a0-\u00ac\u00ae-\u017e−]*$/

/** The replacement for a character that the font cannot show. */
const substitute = "?"

/**
 * The text in the form that the font can show: composed, without invisible characters. A character without a glyph is
 * replaced by its plainest form ("𝒳" by "X"), or else by "?". `isWhole` is false if the text has such a "?", which the
 * document must mention. Several spaces become one. A no-break space stays one, and `widthOf` gives it the width of a
 * space.
 */
export const printable = (text: string): { readonly text: string; readonly isWhole: boolean } => {
  if (latin.test(text) && !text.includes("  ")) return { text, isWhole: true }
  const { file } = printFonts().regular
  const has = (part: string) => [...part].every((character) => file.hasGlyphForCodePoint(character.codePointAt(0) ?? 0))
  let isWhole = true
  const composed = text.normalize("NFC").replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
  let shown = ""
  for (const character of composed.replaceAll(/[^\S\u00a0]+/gu, " ")) {
    if (has(character)) {
      shown += character
      continue
    }
    const plain = character.normalize("NFKD").replaceAll(/\s+/gu, " ")
    const isShown = plain !== "" && has(plain)
    shown += isShown ? plain : substitute
    isWhole &&= isShown
  }
  return { text: shown, isWhole }
}
