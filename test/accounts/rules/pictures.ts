import { crc32, deflateSync } from "node:zlib"

/** Handmade pictures, whole and damaged. */

const chunk = (type: string, data: Uint8Array) => {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(data.length)
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([head, body, sum])
}

const samples: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

interface PngOptions {
  readonly bits?: number
  readonly colorType?: number
  readonly interlace?: number
  /** Chunks between the head and the pixels. */
  readonly extra?: ReadonlyArray<readonly [type: string, data: Uint8Array]>
  /** The pixels, if they are not as many as the size requires. */
  readonly pixels?: Uint8Array
}

export const png = (width: number, height: number, options: PngOptions = {}): Buffer => {
  const { bits = 8, colorType = 2, extra = [], interlace = 0 } = options
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([bits, colorType, 0, 0, interlace], 8)
  const row = 1 + Math.ceil((width * (samples[colorType] ?? 1) * bits) / 8)
  const pixels = options.pixels ?? Buffer.alloc(Math.min(row * height, 50_000_000))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", head),
    ...extra.map(([type, data]) => chunk(type, data)),
    chunk("IDAT", deflateSync(pixels)),
    chunk("IEND", Buffer.alloc(0))
  ])
}

const segment = (marker: number, data: ReadonlyArray<number>) => [0xff, marker, 0, data.length + 2, ...data]

export const jpeg = (width: number, height: number, frame = 0xc0, bits = 8, colors = 3): Buffer =>
  Buffer.from([
    0xff,
    0xd8,
    ...segment(0xe0, [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]),
    ...segment(frame, [bits, height >> 8, height & 255, width >> 8, width & 255, colors, ...Array(colors * 3).fill(1)]),
    ...segment(0xda, [1, 1, 0, 0, 63, 0]),
    0x12,
    0xff,
    0x00,
    0x34,
    0xff,
    0xd0,
    0x56,
    0xff,
    0xd9
  ])
