import { assert, describe, it } from "@effect/vitest"
import { create } from "qrcode"
import { qrCode } from "../../../src/documents/print/QrCode.ts"

describe("QrCode", () => {
  it("draws every dark module of the code once", () => {
    const text = "NumFac: SETP990000001\nhttps://example.com/é"
    const { data, size } = create(text, { errorCorrectionLevel: "L" }).modules
    const { runs, width } = qrCode(text)
    assert.strictEqual(width, size)
    const drawn = Array.from({ length: width * width }, () => 0)
    for (const { length, x, y } of runs) {
      for (let step = 0; step < length; step++) drawn[y * width + x + step] = (drawn[y * width + x + step] ?? 0) + 1
    }
    assert.deepStrictEqual(drawn, [...data])
  })
})
