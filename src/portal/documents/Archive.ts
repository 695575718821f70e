import { Effect } from "effect"
import { Zip, type ZipInputFile } from "fflate"
import { crc32, deflateRaw } from "node:zlib"

/** How a ZIP file names the two ways in which a file stands in it. */
const [stored, deflated] = [0, 8]

const deflate = (bytes: Uint8Array) =>
  Effect.callback<Uint8Array<ArrayBuffer>>((resume) => {
    deflateRaw(bytes, (error, result) =>
      resume(error === null ? Effect.succeed(new Uint8Array(result)) : Effect.die(error))
    )
  })

/** A ZIP file in the making. Files are compressed beside the event loop: dozens of long documents would hold up every other request. */
export const makeArchive = () => {
  const chunks: Array<Uint8Array> = []
  const zip = new Zip((_, chunk) => void chunks.push(chunk))
  return {
    /** Adds a file. `isCompressed`: its bytes are compressed already, as those of a PDF are. */
    add: Effect.fnUntraced(function* (filename: string, bytes: Uint8Array<ArrayBuffer>, isCompressed = false) {
      const data = isCompressed ? bytes : yield* deflate(bytes)
      const compression = isCompressed ? stored : deflated
      const entry: ZipInputFile = { filename, size: bytes.length, crc: crc32(bytes), compression }
      zip.add(entry)
      entry.ondata?.(null, data, true)
    }),
    /** The whole file. Nothing may be added afterwards. */
    end: Effect.sync((): Uint8Array => {
      zip.end()
      return Buffer.concat(chunks)
    })
  }
}
