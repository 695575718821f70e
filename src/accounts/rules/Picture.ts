import { Result } from "effect"
import { crc32 } from "node:zlib"
import { type LogoImprint, pictureBytesMax } from "../../../schemas/Logo.ts"

/** The format of a picture and its size in pixels. */
export type Picture = Omit<LogoImprint, "sha256">

/** The maximum number of pixels of a picture: enough for any print, and few enough to decode in some milliseconds. */
export const pixelsMax = 1_000_000

/** The maximum width and height. The work on a picture grows with its rows, however few pixels a row has. */
const sideMax = 10_000

const saveAgain = "Save it again with a picture program, as a plain PNG or JPEG."

const sized = (picture: Picture): Result.Result<Picture, string> => {
  const { height, width } = picture
  if (width === 0 || height === 0) return Result.fail("The picture has no pixels.")
  if (Math.max(width, height) > sideMax) {
    return Result.fail(
      `The picture has ${width} x ${height} pixels; width and height must each be at most ${sideMax}. Make the picture smaller.`
    )
  }
  return width * height > pixelsMax
    ? Result.fail(
        `The picture has ${width} x ${height} pixels; the maximum is ${pixelsMax} in total, such as 2000 x 500. Make it smaller.`
      )
    : Result.succeed(picture)
}

/* PNG (ISO/IEC 15948): a signature and chunks, each with its length, its type, its data and a checksum. */

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

interface Chunk {
  readonly type: string
  readonly data: Buffer
}

const chunksOf = (file: Buffer): ReadonlyArray<Chunk> | null => {
  const chunks: Array<Chunk> = []
  for (let at = pngSignature.length; at < file.length;) {
    if (at + 12 > file.length) return null
    const end = at + 8 + file.readUInt32BE(at)
    if (end + 4 > file.length || crc32(file.subarray(at + 4, end)) !== file.readUInt32BE(end)) return null
    chunks.push({ type: file.toString("latin1", at + 4, at + 8), data: file.subarray(at + 8, end) })
    at = end + 4
    if (chunks.at(-1)?.type === "IEND") return at === file.length ? chunks : null
  }
  return null
}

/** The samples of a pixel and the bits that a sample may have, by colour type. */
const colorTypes: ReadonlyMap<number, { readonly samples: number; readonly bits: ReadonlyArray<number> }> = new Map([
  [0, { samples: 1, bits: [1, 2, 4, 8, 16] }],
  [2, { samples: 3, bits: [8, 16] }],
  [3, { samples: 1, bits: [1, 2, 4, 8] }],
  [4, { samples: 2, bits: [8, 16] }],
  [6, { samples: 4, bits: [8, 16] }]
])

const indexed = 3

/** The length of the transparency in bytes, by colour type and palette: none for a picture with transparent samples. */
const transparencyOf = (colorType: number, colors: number): ReadonlyArray<number> => {
  if (colorType === indexed) return Array.from({ length: colors }, (_, index) => index + 1)
  return colorType === 0 ? [2] : colorType === 2 ? [6] : []
}

/** The maximum bytes of a text in a picture: the printer reads each text as a whole. */
const textMax = 50_000

/**
 * Whether the chunks follow the standard, so that every printer reads the picture in the same way: at most one head,
 * one palette and one transparency, of the right lengths and before the pixels, and no animation.
 */
const areOrderly = (chunks: ReadonlyArray<Chunk>, colorType: number): boolean => {
  const sizes = (type: string) => chunks.filter((chunk) => chunk.type === type).map(({ data }) => data.length)
  const at = (type: string) => chunks.findIndex((chunk) => chunk.type === type)
  const [[palette = 0, ...palettes], [transparency, ...others]] = [sizes("PLTE"), sizes("tRNS")]
  const pixels = at("IDAT")
  return (
    sizes("IHDR").length === 1 &&
    palettes.length === 0 &&
    others.length === 0 &&
    (colorType === indexed ? palette > 0 && palette <= 768 && palette % 3 === 0 : at("PLTE") === -1) &&
    (transparency === undefined || transparencyOf(colorType, palette / 3).includes(transparency)) &&
    at("PLTE") < pixels &&
    at("tRNS") < pixels &&
    (at("tRNS") === -1 || at("PLTE") < at("tRNS")) &&
    sizes("fcTL").length + sizes("fdAT").length === 0 &&
    sizes("tEXt").every((size) => size <= textMax)
  )
}

/** The compressed pixels of a PNG, and the picture that they give if they are complete. */
export interface Raster {
  readonly picture: Picture
  /** The bytes of a row of pixels, including its filter byte. */
  readonly rowBytes: number
  readonly compressed: Uint8Array
}

/** The message of a PNG whose pixels do not match its header. */
export const damaged = `The PNG is damaged or cut short. ${saveAgain}`

const rasterOf = (file: Buffer): Result.Result<Raster, string> => {
  const chunks = chunksOf(file)
  const [first] = chunks ?? []
  if (chunks === null || first?.type !== "IHDR" || first.data.length !== 13) return Result.fail(damaged)
  const has = (type: string) => chunks.some((chunk) => chunk.type === type)
  const [bits = 0, colorType = 0, compression, filter, interlace] = first.data.subarray(8)
  const color = colorTypes.get(colorType)
  if (color === undefined || !color.bits.includes(bits) || compression !== 0 || filter !== 0)
    return Result.fail(damaged)
  if (has("acTL")) return Result.fail(`The PNG is animated, which cannot be printed. ${saveAgain}`)
  if (interlace !== 0) return Result.fail(`The PNG is interlaced, which cannot be printed. ${saveAgain}`)
  if (!areOrderly(chunks, colorType)) return Result.fail(damaged)
  if (colorType === indexed && bits < 8 && has("tRNS")) {
    return Result.fail(`The PNG has a transparent palette of fewer than 8 bits, which cannot be printed. ${saveAgain}`)
  }
  const [width, height] = [first.data.readUInt32BE(0), first.data.readUInt32BE(4)]
  return Result.map(sized({ media_type: "image/png", width, height }), (picture) => ({
    picture,
    rowBytes: 1 + Math.ceil((width * color.samples * bits) / 8),
    compressed: Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data))
  }))
}

const lastFilter = 4

/** Whether decompressed pixels match a PNG: the right number of rows, each with a known filter. */
export const isWhole = ({ picture, rowBytes }: Raster, pixels: Uint8Array): boolean =>
  pixels.length === rowBytes * picture.height &&
  Array.from({ length: picture.height }, (_, row) => pixels[row * rowBytes] ?? 255).every(
    (filter) => filter <= lastFilter
  )

/* JPEG (ISO/IEC 10918): segments, each with a marker and a length, and compressed pixels after each start of scan. */

const startOfScan = 0xda
const endOfImage = 0xd9
/** Baseline, extended and progressive, all Huffman-coded: the kinds that PDF readers decode. */
const printedFrames: ReadonlyArray<number> = [0xc0, 0xc1, 0xc2]
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

const notBeforeFrame: ReadonlyArray<number> = [0xff, 0xc8, 0xcc, startOfScan]

const unprintable = `The JPEG is of a kind that cannot be printed. ${saveAgain}`
const cutShort = `The JPEG is damaged or cut short. ${saveAgain}`

/** The offset of the marker that ends the compressed pixels; stuffed zeros and restarts are part of them. */
const afterScan = (file: Buffer, from: number): number => {
  for (let at = from; at + 1 < file.length; at++) {
    const next = file[at + 1] ?? 0
    if (file[at] === 0xff && next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at
  }
  return file.length
}

const jpegOf = (file: Buffer): Result.Result<Picture, string> => {
  let found: Picture | null = null
  let hasScan = false
  for (let at = 2; at + 4 <= file.length || file[at + 1] === endOfImage;) {
    const marker = file[at + 1] ?? 0
    if (file[at] !== 0xff) break
    // The printer searches for the frame without regard to fill bytes, and takes arithmetic coding for a frame.
    if (found === null && notBeforeFrame.includes(marker)) return Result.fail(unprintable)
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (marker === endOfImage) return found === null || !hasScan ? Result.fail(cutShort) : sized(found)
    const length = file.readUInt16BE(at + 2)
    const end = at + 2 + length
    if (length < 2 || end > file.length) break
    if (isFrame(marker)) {
      if (found !== null || length < 8) break
      const [bits, samples] = [file[at + 4], file[at + 9] ?? 0]
      if (!printedFrames.includes(marker) || bits !== 8 || ![1, 3, 4].includes(samples)) {
        return Result.fail(unprintable)
      }
      found = { media_type: "image/jpeg", width: file.readUInt16BE(at + 7), height: file.readUInt16BE(at + 5) }
    }
    hasScan ||= marker === startOfScan
    at = marker === startOfScan ? afterScan(file, end) : end
  }
  return Result.fail(cutShort)
}

/** The raster of a PNG with compressed pixels, or the picture of a JPEG. */
export type Read = { readonly raster: Raster } | { readonly picture: Picture }

/**
 * Reads the format and size of a picture. Fails with a message that names the fault: the file is neither PNG nor JPEG,
 * is damaged, cut short, of a kind that cannot be printed, or has too many pixels.
 */
export const readPicture = (bytes: Uint8Array): Result.Result<Read, string> => {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (file.length > pictureBytesMax) {
    return Result.fail(`The picture has ${file.length} bytes, and may have at most ${pictureBytesMax}.`)
  }
  if (file.subarray(0, pngSignature.length).equals(pngSignature)) {
    return Result.map(rasterOf(file), (raster) => ({ raster }))
  }
  if (file[0] === 0xff && file[1] === 0xd8) return Result.map(jpegOf(file), (picture) => ({ picture }))
  return Result.fail("The body is neither a PNG nor a JPEG.")
}
