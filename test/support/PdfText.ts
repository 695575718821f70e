import { inflateSync } from "node:zlib"

/** A piece of text on a page; `x` and `y` are the position of its baseline, in points from the top left. */
export interface Printed {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly size: number
  readonly width: number
}

const bodiesOf = (pdf: string) =>
  new Map(
    [...pdf.matchAll(/(?:^|\n)(\d+) 0 obj\n([^]*?)\nendobj/g)].map(([, id = "", body = ""]) => [id, body] as const)
  )

const streamOf = (body: string): string => {
  const stream = /\nstream\n([^]*)\nendstream$/.exec(body)?.[1] ?? ""
  return body.includes("/FlateDecode") ? inflateSync(Buffer.from(stream, "latin1")).toString("latin1") : stream
}

const reference = (body: string, name: string) => new RegExp(`/${name} (\\d+) 0 R`).exec(body)?.[1] ?? ""

const characters = (hex: string) => Buffer.from(hex, "hex").swap16().toString("utf16le")

/** The characters of a font's glyphs: its ToUnicode map. */
const glyphsOf = (cmap: string) => {
  const glyphs = new Map<string, string>()
  for (const [, first = "", , list = ""] of cmap.matchAll(/<(\w{4})> <(\w{4})> \[([^\]]*)\]/g)) {
    for (const [index, [, hex = ""]] of [...list.matchAll(/<([\w ]*)>/g)].entries()) {
      // A character beyond U+FFFF is written as two parts with a space between.
      const text = characters(hex.replaceAll(" ", ""))
      glyphs.set((Number.parseInt(first, 16) + index).toString(16).padStart(4, "0"), text)
    }
  }
  return glyphs
}

/** The widths of a font's glyphs, as fractions of the font size. */
const widthsOf = (descendant: string) =>
  (/\/W \[0 \[([^\]]*)\]\]/.exec(descendant)?.[1] ?? "").split(" ").map((width) => Number(width) / 1000)

/** The bodies of a PDF's objects, and its pages in order. */
const readPdf = (bytes: Uint8Array) => {
  const bodies = bodiesOf(Buffer.from(bytes).toString("latin1"))
  const bodyOf = (id: string) => bodies.get(id) ?? ""
  const tree = [...bodies.values()].find((body) => body.includes("/Type /Pages")) ?? ""
  const kids = /\/Kids \[([^\]]*)\]/.exec(tree)?.[1] ?? ""
  const pages = [...kids.matchAll(/(\d+) 0 R/g)].map(([, id = ""]) => bodyOf(id))
  const contentOf = (page: string) => streamOf(bodyOf(reference(page, "Contents")))
  return { bodyOf, contentOf, pages }
}

/** The drawing instructions of each page. */
export const pdfDrawings = (bytes: Uint8Array): ReadonlyArray<string> => {
  const { contentOf, pages } = readPdf(bytes)
  return pages.map(contentOf)
}

/** The text of each page in drawing order, as a viewer copies it. */
export const pdfPages = (bytes: Uint8Array): ReadonlyArray<ReadonlyArray<Printed>> => {
  const { bodyOf, contentOf, pages } = readPdf(bytes)
  const known = new Map<string, { readonly characters: Map<string, string>; readonly widths: ReadonlyArray<number> }>()
  const fontOf = (id: string) => {
    const font = known.get(id) ?? {
      characters: glyphsOf(streamOf(bodyOf(reference(bodyOf(id), "ToUnicode")))),
      widths: widthsOf(bodyOf(/\/DescendantFonts \[(\d+) 0 R\]/.exec(bodyOf(id))?.[1] ?? ""))
    }
    known.set(id, font)
    return font
  }
  return pages.map((page) => {
    const height = Number(/\/MediaBox \[0 0 \S+ (\S+)\]/.exec(page)?.[1])
    const fontList = /\/Font <<([^>]*)>>/.exec(bodyOf(reference(page, "Resources")))?.[1] ?? ""
    const fonts = new Map(
      [...fontList.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name = "", id = ""]) => [name, fontOf(id)] as const)
    )
    return [...contentOf(page).matchAll(/BT\n1 0 0 1 (\S+) (\S+) Tm\n\/(F\d+) (\S+) Tf\n([^]*?)ET/g)].map(
      ([, x = "", y = "", font = "", size = "", shown = ""]) => {
        const { characters: of, widths } = fonts.get(font) ?? { characters: new Map<string, string>(), widths: [] }
        const glyphs = [...shown.matchAll(/<(\w+)>/g)].flatMap(([, hex = ""]) => hex.match(/.{4}/g) ?? [])
        return {
          text: glyphs.map((glyph) => of.get(glyph) ?? "\ufffd").join(""),
          x: Number(x),
          y: height - Number(y),
          size: Number(size),
          width: glyphs.reduce((sum, glyph) => sum + (widths[Number.parseInt(glyph, 16)] ?? 0), 0) * Number(size)
        }
      }
    )
  })
}
