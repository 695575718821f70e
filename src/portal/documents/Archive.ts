import { Effect } from "effect"
import { Zip, type ZipInputFile } from "fflate"
import { crc32, deflateRaw } from "node:zlib"

/** The two compression methods of a file in a ZIP file. */
const [stored, deflated] = [0, 8]

const deflate = (bytes: Uint8Array) =>
  Effect.callback<Uint8Array<ArrayBuffer>>((resume) => {
    deflateRaw(bytes, (error, result) =>
      resume(error === null ? Effect.succeed(new Uint8Array(result)) : Effect.die(error))
    )
  })

/**
 * Builds a ZIP file. Compresses off the event loop, because dozens of long documents would delay all other requests.
 */
export const makeArchive = () => {
  const chunks: Array<Uint8Array> = []
  const zip = new Zip((_, chunk) => void chunks.push(chunk))
  return {
    /** Adds a file. `isCompressed`: the bytes are compressed already, as in a PDF. */
    add: Effect.fnUntraced(function* (filename: string, bytes: Uint8Array<ArrayBuffer>, isCompressed = false) {
      const data = isCompressed ? bytes : yield* deflate(bytes)
      const compression = isCompressed ? stored : deflated
      const entry: ZipInputFile = { filename, size: bytes.length, crc: crc32(bytes), compression }
      zip.add(entry)
      entry.ondata?.(null, data, true)
    }),
    /** The complete ZIP file. No file may be added afterwards. */
    end: Effect.sync((): Uint8Array => {
      zip.end()
      return Buffer.concat(chunks)
    })
  }
}
