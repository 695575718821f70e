import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { ApiError } from "../../../schemas/ApiError.ts"
import { readParts, type SentFile } from "./Multipart.ts"

/** What a form sent: its fields in their order, and its files by the name of their field. */
export interface Form {
  /** The value of a field without white space around it; empty if the form has no such field. */
  readonly text: (name: string) => string
  /** The value of a field exactly as it was sent. */
  readonly raw: (name: string) => string
  /** All values of a field, such as those of checkboxes that share a name. */
  readonly all: (name: string) => ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
  /** The file of a field; undefined if none was chosen. */
  readonly file: (name: string) => SentFile | undefined
}

export const make = (
  fields: ReadonlyArray<readonly [name: string, value: string]>,
  files: ReadonlyMap<string, SentFile> = new Map()
): Form => {
  // Looked up and never searched for: a form may have thousands of fields, of which a page asks for each.
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

/** The form without fields, which a page shows before anything was typed. */
export const empty = make([])

// More than the longest form has.
const fieldsMax = 2_000

const tooMany = new ApiError({
  code: "request_too_large",
  message: `A form takes at most ${fieldsMax} fields. Send the request to the API instead.`
})

const noForm = new ApiError({
  code: "unsupported_media_type",
  message: "Send what a form of the portal sends: application/x-www-form-urlencoded or multipart/form-data."
})

/** Reads the form that the current request sends. Fails with `unsupported_media_type`, and with `request_too_large` beyond the limits. */
export const read = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase()
  if (type === "multipart/form-data") {
    const { fields, files } = yield* readParts
    return make(fields, files)
  }
  if (type !== "application/x-www-form-urlencoded") return yield* noForm
  const text = yield* request.text
  // Counted before the text is taken apart, and refused, because a form of which a part were left out would mean something else.
  let count = 1
  for (let at = text.indexOf("&"); at !== -1 && count <= fieldsMax; at = text.indexOf("&", at + 1)) count++
  return count > fieldsMax ? yield* tooMany : make([...new URLSearchParams(text)])
})
