import { Effect, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { ErrorCode } from "../../../schemas/ErrorCode.ts"
import { bodyBytesMax, type FileBody } from "../../api/Conventions.ts"
import { violation } from "../../domain/documents/AuthorityRules.ts"
import { parseStrict } from "../../domain/requests/StrictJson.ts"
import { smallBytesMax } from "../limits/RequestTurns.ts"

/** The refusal of a body as a whole. */
export const bodyError = (code: ErrorCode, message: string) =>
  ApiError.fromViolations([violation("body", code, message, "schema")])

export const noBody = bodyError("parameter_missing", "A body is required: send a JSON object.")

const asJson = "send the body as JSON, with the header Content-Type: application/json."

/** What is wrong with the media type of a JSON body, and what to do; null for `application/json`, alone or with `charset=utf-8`. */
const jsonFault = (contentType: string): string | null => {
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim())
  if (type === "") return `The request has a body and no Content-Type: ${asJson}`
  if (type.toLowerCase() !== "application/json") return `Content-Type is ${shownType(type)}: ${asJson}`
  const named = parameters.map((parameter) => [parameter.split("=", 1)[0]?.toLowerCase() ?? "", parameter] as const)
  const other = named.find(([name]) => name !== "charset")
  if (other !== undefined)
    return `Content-Type has the parameter ${shownType(other[1])}, which JSON does not have: ${asJson}`
  if (named.length > 1) return `Content-Type has charset ${named.length} times: ${asJson}`
  const charset = named[0]?.[1].replace(/^charset=/i, "")
  return charset === undefined || /^("utf-8"|utf-8)$/i.test(charset)
    ? null
    : `Content-Type has the charset ${shownType(charset)}; the body must be in utf-8, written so: ${asJson}`
}

const shownType = (text: string) => JSON.stringify(text.slice(0, 64))

const bodiless: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE"])
const emptyBody = new Uint8Array(0)

const tooLarge = (message: string) => new ApiError({ code: "request_too_large", message })
const jsonTooLarge = tooLarge(
  `The body must be at most ${bodyBytesMax / 1024} KiB. Split the request; an invoice has at most 500 lines.`
)

type File = typeof FileBody.Service

/**
 * Refuses a media type or a content coding that the request may not have. The answer names the right one: in `Accept`, or in
 * `Accept-Encoding`, which tells a client that the fault is the coding (RFC 9110, 12.5.3).
 */
const refuseType = (message: string, headers: Readonly<Record<string, string>>) =>
  Effect.fail(new ApiError({ code: "unsupported_media_type", message, headers }))

/** What is wrong with the media type of a body, and what to do; null if nothing is. */
const typeFault = (file: File, contentType: string): string | null => {
  if (file === null) return jsonFault(contentType)
  return file.mediaTypes.includes(contentType.trim().toLowerCase())
    ? null
    : `Send ${file.what} as the body, with the header Content-Type: ${file.mediaTypes.join(" or ")}.`
}

/** Whether a request has a body whose length is above that of small bodies, or is not told in advance. */
export const isLarge = ({ headers, method }: HttpServerRequest.HttpServerRequest) =>
  !bodiless.has(method) &&
  (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > smallBytesMax)

/** Reads the raw body. Fails with `request_too_large` or `unsupported_media_type`; an empty body needs no media type. */
export const readBody = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, file: File = null) {
  if (bodiless.has(request.method)) return emptyBody
  const most = file?.bytesMax ?? bodyBytesMax
  const overgrown = file === null ? jsonTooLarge : tooLarge(`The body must be ${file.what}.`)
  if (Number(request.headers["content-length"] ?? 0) > most) return yield* overgrown
  const bytes = new Uint8Array(yield* request.arrayBuffer)
  if (bytes.length > most) return yield* overgrown
  if (bytes.length === 0) return bytes
  const fault = typeFault(file, request.headers["content-type"] ?? "")
  if (fault !== null) {
    return yield* refuseType(fault, { Accept: file === null ? "application/json" : file.mediaTypes.join(", ") })
  }
  const coding = request.headers["content-encoding"]?.trim() ?? ""
  if (!/^(identity)?$/i.test(coding)) {
    return yield* refuseType(
      `The body has the Content-Encoding ${shownType(coding)}: send the body as it is, without Content-Encoding.`,
      { "Accept-Encoding": "identity" }
    )
  }
  return bytes
})

/** Parses a body as strict JSON; undefined for an empty body. Fails with `malformed_json`. */
export const parse = (bytes: Uint8Array): Effect.Effect<unknown, ApiError> =>
  bytes.length === 0
    ? Effect.undefined
    : Effect.fromResult(
        Result.mapError(parseStrict(bytes), (message) => new ApiError({ code: "malformed_json", message }))
      )
