import { Effect, Stream } from "effect"
import { HttpServerRequest, Multipart } from "effect/http"
import { ApiError } from "../../../schemas/ApiError.ts"
import { bodyBytesMax } from "../../api/Conventions.ts"
import { pictureBytesMax } from "../../../schemas/Logo.ts"

/** A file that a person chose in a form. */
export interface SentFile {
  /** Its name on the person's machine: any text. */
  readonly name: string
  /** All of its bytes; none when the file is larger than `fileBytesMax`. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly isTooLarge: boolean
}

/** What a form with files sent: its fields in their order, and the files that were chosen, by the name of their field. */
interface SentParts {
  readonly fields: ReadonlyArray<readonly [name: string, value: string]>
  readonly files: ReadonlyMap<string, SentFile>
}

/** The largest file that is kept, in bytes: more than the API takes of any kind of file. */
export const fileBytesMax = pictureBytesMax + 1

// A photo in the place of a logo is read to its end, so that the page can say beside the field that the file is too large: a browser
// shows no page to somebody whose upload is broken off.
const uploadBytesMax = 24 * 1024 * 1024
const partsMax = 100
// More than any form has, and few enough that no upload holds more than a request with JSON of the largest size, by and large.
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
  message: "The form could not be read to its end. Send it again."
})

const refusalOf = ({ reason }: Multipart.MultipartError) =>
  reason._tag === "Parse" || reason._tag === "InternalError" ? unreadable : tooLarge

/** The bytes of a file up to the limit. The rest is read and dropped, so that no more than the limit is ever held. */
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
 * The form that the request sends as `multipart/form-data`. Nothing is written to disk. A field for a file in which none was chosen is
 * left out. Fails with `request_too_large`, or with `malformed_json` for a body that is no form.
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
