import { PDFiumLibrary } from "@hyzyla/pdfium"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import decodeQr from "qr/decode.js"
import { renderPdf } from "../../../src/documents/print/Pdf.ts"
import { qrText } from "../../../src/documents/rules/QrText.ts"
import { describeLive } from "../../support/Tests.ts"
import { samples } from "./PrintedSamples.ts"

/** A PDF reader, which shows pages as a viewer does. */
class Pdfium extends Context.Service<Pdfium, PDFiumLibrary>()("test/Pdfium") {
  static readonly layer = Layer.effect(
    Pdfium,
    Effect.acquireRelease(
      Effect.promise(() => PDFiumLibrary.init()),
      (library) => Effect.sync(() => library.destroy())
    )
  )
}

// A little more than 110 / 72, so that the width of the picture is not rounded down.
const scale = 110 / 72 + 1e-9

/** Every page of a PDF as a picture of 110 dots per inch. */
const picturesOf = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const library = yield* Pdfium
  const document = yield* Effect.acquireRelease(
    Effect.promise(() => library.loadDocument(bytes)),
    (loaded) => Effect.sync(() => loaded.destroy())
  )
  return yield* Effect.forEach(document.pages(), (page) =>
    Effect.promise(() => page.render({ scale, render: "bitmap" }))
  )
})

interface Picture {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

/** The lower left corner of a page, in which the code is found faster than on the whole page. */
const corner = ({ data, height, width }: Picture): Picture => {
  const [columns, rows] = [300, 260]
  const part = new Uint8Array(columns * rows * 4)
  for (let row = 0; row < rows; row++) {
    const from = (height - rows + row) * width * 4
    part.set(data.subarray(from, from + columns * 4), row * columns * 4)
  }
  return { data: part, height: rows, width: columns }
}

/** The text of the QR code in a picture, or the reason why none can be read. */
const readQr = (picture: Picture): string => {
  try {
    return decodeQr(picture)
  } catch (cause) {
    return String(cause)
  }
}

describeLive(Pdfium.layer)("a picture of a page, at 110 dots per inch", (it) => {
  it.effect.each(Object.entries(samples))("has a readable QR code: %s", function* ([, document]) {
    const pictures = yield* Effect.scoped(picturesOf(yield* renderPdf(document)))
    assert.isAtLeast(pictures.length, 1)
    for (const picture of pictures) {
      assert.deepStrictEqual([picture.width, picture.height], [935, 1210])
      assert.strictEqual(readQr(corner(picture)), qrText(document))
    }
  })
})
