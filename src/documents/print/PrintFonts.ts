import { createRequire } from "node:module"
import PdfKit from "pdfkit"

interface Glyph {
  readonly advanceWidth: number
}

/** The members used here of a font that pdfkit has read. */
interface FontFile {
  readonly unitsPerEm: number
  readonly glyphsForString: (text: string) => ReadonlyArray<Glyph>
  readonly hasGlyphForCodePoint: (codePoint: number) => boolean
}

/**
 * A font that places glyphs side by side by their advance widths, without shaping (kerning, ligatures). Shaping takes a hundred
 * times as long, and Latin, Greek and Cyrillic text reads well without shaping.
 *
 * Two characters may share a glyph, such as "µ" and "μ", and the font keeps the character that was asked for first, in whichever
 * document. Each character has a glyph of its own here, because a document must not depend on what was printed before.
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
 * Reads a font file through a throwaway pdfkit document, because only pdfkit can read the file. Left to itself, pdfkit would read
 * the file again for every document, which is most of the time that a short document takes.
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

/** Noto Sans, read when it is first needed. */
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

/** Text of which the font has every character, and that has no space to reduce: that is nearly every text. */
const latin = /^[\u0020-\u007e\u00a0-\u00ac\u00ae-\u017e−]*$/

/** The replacement for a character that the font cannot show. */
const substitute = "?"

/**
 * The text as the font can show it: composed, without invisible characters. A character without a glyph is replaced by its
 * plainest form ("𝒳" by "X"), or else by "?". `isWhole` is false when the text has such a "?", which the reader must be told.
 * Spaces are reduced to one; a no-break space stays one, and is for `widthOf` as wide as a space.
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
