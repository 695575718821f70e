import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { ApiError } from "../../../schemas/ApiError.ts"
import { readParts, type SentFile } from "./Multipart.ts"

/** The content of a form: its fields in order, and its files by field name. */
export interface Form {
  /** The trimmed value of a field. Empty if the form has no field with this name. */
  readonly text: (name: string) => string
  /** The exact value of a field. */
  readonly raw: (name: string) => string
  /** All values of a field, such as checkboxes that share a name. */
  readonly all: (name: string) => ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
  /** The file of a field. Undefined if the person chose no file. */
  readonly file: (name: string) => SentFile | undefined
}

export const make = (
  fields: ReadonlyArray<readonly [name: string, value: string]>,
  files: ReadonlyMap<string, SentFile> = new Map()
): Form => {
  // A map, because a form may have thousands of fields and a page reads each of them.
  const values = new Map<string, Array<string>>()
  for (const [name, value] of fields) {
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  const all = (name: string): ReadonlyArray<string> => values.get(name) ?? []
  const raw = (name: string) => all(name)[0] ?? ""
  return {
    text: (name) => raw(name).trim(),
    raw,
    all,
    names: [...values.keys()],
    file: (name) => files.get(name)
  }
}

/** A form without fields, for a page before any input. */
export const empty = make([])

// More than the longest form has.
const fieldsMax = 2_000

const tooMany = new ApiError({
  code: "request_too_large",
  message: `A form takes at most ${fieldsMax} fields. Send the request to the API instead.`
})

const noForm = new ApiError({
  code: "unsupported_media_type",
  message: "The content type must be application/x-www-form-urlencoded or multipart/form-data."
})

/**
 * Reads the form of the current request. Fails with `unsupported_media_type`, and with `request_too_large` beyond the
 * limits.
 */
export const read = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase()
  if (type === "multipart/form-data") {
    const { fields, files } = yield* readParts
    return make(fields, files)
  }
  if (type !== "application/x-www-form-urlencoded") return yield* noForm
  const text = yield* request.text
  // Counts before parsing. Rejects the whole form, because a truncated form would have a different meaning.
  let count = 1
  for (let at = text.indexOf("&"); at !== -1 && count <= fieldsMax; at = text.indexOf("&", at + 1)) count++
  return count > fieldsMax ? yield* tooMany : make([...new URLSearchParams(text)])
})
