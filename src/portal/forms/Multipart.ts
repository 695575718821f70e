import { Effect, Stream } from "effect"
import { HttpServerRequest, Multipart } from "effect/http"
import { ApiError } from "../../../schemas/ApiError.ts"
import { bodyBytesMax } from "../../runtime/Limits.ts"
import { pictureBytesMax } from "../../../schemas/Logo.ts"

/** A file that a person chose in a form. */
export interface SentFile {
  /** Its name on the person's machine: any text. */
  readonly name: string
  /** All bytes of the file. Empty if the file is larger than `fileBytesMax`. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly isTooLarge: boolean
}

/** The content of a form with files: its fields in order, and the chosen files by field name. */
interface SentParts {
  readonly fields: ReadonlyArray<readonly [name: string, value: string]>
  readonly files: ReadonlyMap<string, SentFile>
}

/** The largest file that Folio keeps, in bytes: more than the API accepts for any kind of file. */
export const fileBytesMax = pictureBytesMax + 1

// Reads even an oversized logo to its end, so that the page can show the error next to the field: a browser shows no
// page if the server breaks off an upload.
const uploadBytesMax = 24 * 1024 * 1024
const partsMax = 100
// More than any form has. Keeps an upload close to the memory of the largest JSON request.
const filesMax = 2

const limits = Multipart.limitsServices({
  maxParts: partsMax,
  maxFieldSize: bodyBytesMax,
  maxTotalSize: uploadBytesMax
})

const tooLarge = new ApiError({
  code: "request_too_large",
  message: `A form takes fields of at most ${bodyBytesMax / 1024} KiB together, ${filesMax} files and ${uploadBytesMax / 1024 / 1024} MiB in all. Choose a smaller file.`
})

const unreadable = new ApiError({
  code: "malformed_json",
  message: "Folio could not read the complete form. Send it again."
})

const refusalOf = ({ reason }: Multipart.MultipartError) =>
  reason._tag === "Parse" || reason._tag === "InternalError" ? unreadable : tooLarge

/** The bytes of a file up to the limit. Reads and drops the rest, so that memory never holds more than the limit. */
const kept = ({ content, name }: Multipart.File): Effect.Effect<SentFile, Multipart.MultipartError> =>
  Effect.gen(function* () {
    const chunks: Array<Uint8Array> = []
    let size = 0
    yield* Stream.runForEach(content, (chunk) =>
      Effect.sync(() => {
        size += chunk.length
        if (size > fileBytesMax) chunks.length = 0
        else chunks.push(chunk)
      })
    )
    const isTooLarge = size > fileBytesMax
    return { name, bytes: isTooLarge ? new Uint8Array(0) : new Uint8Array(Buffer.concat(chunks)), isTooLarge }
  })

/**
 * Reads the form of a `multipart/form-data` request. Writes nothing to disk. Omits file fields without a file. Fails
 * with `request_too_large`, or with `malformed_json` if the body is not a form.
 */
export const readParts: Effect.Effect<SentParts, ApiError, HttpServerRequest.HttpServerRequest> = Effect.gen(
  function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const fields: Array<readonly [string, string]> = []
    const files = new Map<string, SentFile>()
    let fieldsSize = 0
    const keepField = ({ key, value }: Multipart.Field) => {
      fieldsSize += key.length + value.length
      if (fieldsSize > bodyBytesMax) return Effect.fail(tooLarge)
      fields.push([key, value])
      return Effect.void
    }
    yield* request.multipartStream.pipe(
      Stream.runForEach((part) =>
        part._tag === "Field"
          ? keepField(part)
          : Effect.flatMap(kept(part), (file) => {
              if (file.name !== "" || file.bytes.length > 0) files.set(part.key, file)
              return files.size > filesMax ? Effect.fail(tooLarge) : Effect.void
            })
      ),
      Effect.provideContext(limits),
      Effect.mapError((error) => (error instanceof ApiError ? error : refusalOf(error)))
    )
    return { fields, files }
  }
)
