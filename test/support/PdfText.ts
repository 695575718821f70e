import { inflateSync } from "node:zlib"

/** A piece of text on a page; `x` and `y` in points from the top left. */
export interface Printed {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly size: number
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

/** What the glyphs of a font stand for: its ToUnicode map. */
const glyphsOf = (cmap: string) => {
  const glyphs = new Map<string, string>()
  for (const [, first = "", , list = ""] of cmap.matchAll(/<(\w{4})> <(\w{4})> \[([^\]]*)\]/g)) {
    for (const [index, [, hex = ""]] of [...list.matchAll(/<(\w*)>/g)].entries()) {
      glyphs.set((Number.parseInt(first, 16) + index).toString(16).padStart(4, "0"), characters(hex))
    }
  }
  return glyphs
}

/** The text of each page, in the order in which it was drawn, read back as a viewer would that copies it. */
export const pdfPages = (bytes: Uint8Array): ReadonlyArray<ReadonlyArray<Printed>> => {
  const bodies = bodiesOf(Buffer.from(bytes).toString("latin1"))
  const bodyOf = (id: string) => bodies.get(id) ?? ""
  const tree = [...bodies.values()].find((body) => body.includes("/Type /Pages")) ?? ""
  const kids = /\/Kids \[([^\]]*)\]/.exec(tree)?.[1] ?? ""
  return [...kids.matchAll(/(\d+) 0 R/g)].map(([, id = ""]) => {
    const page = bodyOf(id)
    const fontList = /\/Font <<([^>]*)>>/.exec(bodyOf(reference(page, "Resources")))?.[1] ?? ""
    const fonts = new Map(
      [...fontList.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name = "", font = ""]) => [
        name,
        glyphsOf(streamOf(bodyOf(reference(bodyOf(font), "ToUnicode"))))
      ])
    )
    const content = streamOf(bodyOf(reference(page, "Contents")))
    return [...content.matchAll(/BT\n1 0 0 1 (\S+) (\S+) Tm\n\/(F\d+) (\S+) Tf\n([^]*?)ET/g)].map(
      ([, x = "", y = "", font = "", size = "", shown = ""]) => ({
        text: [...shown.matchAll(/<(\w+)>/g)]
          .flatMap(([, hex = ""]) => hex.match(/.{4}/g) ?? [])
          .map((glyph) => fonts.get(font)?.get(glyph) ?? "\ufffd")
          .join(""),
        x: Number(x),
        y: 841.89 - Number(y),
        size: Number(size)
      })
    )
  })
}
