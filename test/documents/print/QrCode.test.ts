import { assert, describe, it } from "@effect/vitest"
import { create } from "qrcode"
import { qrCode } from "../../../src/documents/print/QrCode.ts"

describe("QrCode", () => {
  it("draws every dark module of the code once, inside four light ones", () => {
    const text = "NumFac: SETP990000001\nhttps://example.com/é"
    const { data, size } = create(text, { errorCorrectionLevel: "M" }).modules
    const { runs, width } = qrCode(text)
    assert.strictEqual(width, size + 8)
    const drawn = Array.from({ length: width * width }, () => 0)
    for (const { length, x, y } of runs) {
      for (let step = 0; step < length; step++) drawn[y * width + x + step] = (drawn[y * width + x + step] ?? 0) + 1
    }
    for (let y = 0; y < width; y++) {
      for (let x = 0; x < width; x++) {
        const isInside = x >= 4 && y >= 4 && x < size + 4 && y < size + 4
        assert.strictEqual(drawn[y * width + x], isInside ? data[(y - 4) * size + x - 4] : 0, `${x}, ${y}`)
      }
    }
  })
})
