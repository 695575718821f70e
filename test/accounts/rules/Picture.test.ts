import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { inflateSync } from "node:zlib"
import { isWhole, readPicture } from "../../../src/accounts/rules/Picture.ts"
import { jpeg, png } from "./pictures.ts"

const palette = ["PLTE", Buffer.alloc(6)] as const

/** The picture, or the fault that was found in it or in its pixels. */
const verdict = (bytes: Uint8Array) => {
  const read = readPicture(bytes)
  if (Result.isFailure(read)) return read.failure
  if ("picture" in read.success) return read.success.picture
  const { raster } = read.success
  return isWhole(raster, inflateSync(raster.compressed)) ? raster.picture : "not whole"
}

const good: ReadonlyArray<readonly [name: string, bytes: Buffer, type: string]> = [
  ["grey", png(4, 3, { colorType: 0 }), "image/png"],
  ["black and white", png(9, 3, { colorType: 0, bits: 1 }), "image/png"],
  ["colour", png(4, 3), "image/png"],
  ["transparent, 16 bits", png(4, 3, { colorType: 6, bits: 16 }), "image/png"],
  ["palette", png(4, 3, { colorType: 3, extra: [palette, ["tRNS", Buffer.alloc(1)]] }), "image/png"],
  ["baseline", jpeg(4, 3), "image/jpeg"],
  ["progressive", jpeg(4, 3, 0xc2), "image/jpeg"],
  ["as wide as allowed", png(10_000, 3, { colorType: 0 }), "image/png"],
  ["grey JPEG", jpeg(4, 3, 0xc0, 8, 1), "image/jpeg"]
]

const whole = png(40, 30)
const changed = Buffer.from(whole)
changed.writeUInt8(changed.readUInt8(40) ^ 1, 40)

/** The data of the head of a PNG. */
const head = (width: number, height: number) => {
  const data = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 6, 0, 0, 0])
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  return data
}

/** A JPEG with bytes before its first segment. */
const inserted = (bytes: ReadonlyArray<number>) => {
  const file = jpeg(4, 3)
  return Buffer.concat([file.subarray(0, 2), Buffer.from(bytes), file.subarray(2)])
}

const bad: ReadonlyArray<readonly [name: string, bytes: Uint8Array, says: RegExp]> = [
  ["nothing", Buffer.alloc(0), /neither a PNG nor a JPEG/],
  ["a GIF", Buffer.from("GIF89a......"), /neither a PNG nor a JPEG/],
  ["a PDF", Buffer.from("%PDF-1.7"), /neither a PNG nor a JPEG/],
  ["200001 bytes", Buffer.alloc(200_001, 0xff), /200001 bytes.*at most 200000/],
  ["a truncated PNG", whole.subarray(0, -1), /damaged or cut short/],
  ["a PNG without its end", whole.subarray(0, -12), /damaged or cut short/],
  ["a PNG with bytes after its end", Buffer.concat([whole, Buffer.from("MZ")]), /damaged or cut short/],
  ["a PNG with another bit", changed, /damaged or cut short/],
  ["an animated PNG", png(4, 3, { extra: [["acTL", Buffer.alloc(8)]] }), /animated/],
  ["an interlaced PNG", png(4, 3, { interlace: 1 }), /interlaced/],
  ["a PNG of an unknown colour type", png(4, 3, { colorType: 5 }), /damaged/],
  ["a PNG of 4 bits in colour", png(4, 3, { bits: 4 }), /damaged/],
  ["a palette that is missing", png(4, 3, { colorType: 3 }), /damaged/],
  [
    "a transparent palette of 4 bits",
    png(4, 3, { bits: 4, colorType: 3, extra: [palette, ["tRNS", Buffer.alloc(1)]] }),
    /palette of fewer than 8 bits/
  ],
  ["a PNG with a second head", png(4, 3, { extra: [["IHDR", head(60_000, 60_000)]] }), /damaged/],
  ["a PNG with a frame of an animation", png(4, 3, { extra: [["fcTL", Buffer.alloc(26)]] }), /damaged/],
  ["a second palette", png(4, 3, { colorType: 3, extra: [palette, palette] }), /damaged/],
  ["a palette beside colours", png(4, 3, { extra: [palette] }), /damaged/],
  [
    "transparency beside transparent samples",
    png(4, 3, { colorType: 6, extra: [["tRNS", Buffer.alloc(2)]] }),
    /damaged/
  ],
  ["transparency of another length", png(4, 3, { extra: [["tRNS", Buffer.alloc(5)]] }), /damaged/],
  [
    "more transparency than palette",
    png(4, 3, { colorType: 3, extra: [palette, ["tRNS", Buffer.alloc(3)]] }),
    /damaged/
  ],
  ["a very long text", png(4, 3, { extra: [["tEXt", Buffer.alloc(60_000, 65)]] }), /damaged/],
  ["a PNG of too many pixels", png(1001, 1000), /1001 x 1000 pixels.*maximum is 1000000/],
  ["a PNG without a size", png(0, 10), /no pixels/],
  ["a PNG that is one pixel wide and very high", png(1, 1_000_000, { colorType: 0 }), /1 x 1000000.*at most 10000/],
  ["a PNG that is very wide and one pixel high", png(10_001, 1, { colorType: 0 }), /10001 x 1 .*at most 10000/],
  ["a PNG with fewer pixels than its head states", png(4, 3, { pixels: Buffer.alloc(38) }), /not whole/],
  ["a PNG with more pixels than its head states", png(4, 3, { pixels: Buffer.alloc(40) }), /not whole/],
  ["a PNG with an unknown filter", png(4, 3, { pixels: Buffer.alloc(39, 5) }), /not whole/],
  ["a truncated JPEG", jpeg(4, 3).subarray(0, -2), /damaged or cut short/],
  ["a JPEG without pixels", Buffer.from([0xff, 0xd8, 0xff, 0xd9]), /damaged or cut short/],
  ["a JPEG of too many pixels", jpeg(65_535, 16), /65535 x 16 pixels.*at most 10000/],
  ["a JPEG with fill bytes before its frame", inserted([0xff]), /cannot be printed/],
  [
    "a JPEG with arithmetic coding before its frame",
    inserted([0xff, 0xcc, 0, 8, 0, 0, 0, 0, 0, 0]),
    /cannot be printed/
  ],
  ["a JPEG with pixels before its frame", inserted([0xff, 0xda, 0, 4, 0, 0]), /cannot be printed/],
  ["a JPEG of no height", jpeg(4, 0), /no pixels/],
  ["a JPEG without loss", jpeg(4, 3, 0xc3), /kind that cannot be printed/],
  ["a JPEG of arithmetic", jpeg(4, 3, 0xc9), /kind that cannot be printed/],
  ["a JPEG of 12 bits", jpeg(4, 3, 0xc1, 12), /kind that cannot be printed/],
  ["a JPEG of two colours", jpeg(4, 3, 0xc0, 8, 2), /kind that cannot be printed/]
]

describe("readPicture", () => {
  it.each(good)("accepts a picture: %s", (_name, bytes, media_type) => {
    const width = media_type === "image/png" ? bytes.readUInt32BE(16) : 4
    assert.deepStrictEqual(verdict(bytes), { media_type, width, height: 3 } as never)
  })

  it.each(bad)("rejects %s", (_name, bytes, says) => {
    assert.match(String(verdict(bytes)), says)
  })

  it("never throws, wherever a file is truncated", () => {
    for (const file of [whole, jpeg(4, 3)]) {
      for (let end = 0; end < file.length; end++) assert.isString(verdict(file.subarray(0, end)), `${end} bytes`)
    }
  })
})
