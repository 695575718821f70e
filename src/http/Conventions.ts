import { Context, Effect, Layer, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import { ApiError, type ErrorCode, type Violation } from "../../schemas/ApiError.ts"
import { type Version, versions } from "../../schemas/Version.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import {
  bodyBytesMax,
  Conventions,
  CurrentRequest,
  IdempotencyKey,
  idempotencyKeyMax,
  MayWait,
  OptionalBody
} from "../api/Conventions.ts"
import { fingerprint } from "../domain/Fingerprint.ts"
import { parseStrict } from "../domain/StrictJson.ts"
import { inTime } from "./Patience.ts"

const refuse = (code: ErrorCode, message: string, param?: string) =>
  Effect.fail(new ApiError({ code, message, ...(param === undefined ? {} : { param }) }))

const version = (header: string | undefined, standard: Version): Effect.Effect<Version, ApiError> => {
  if (header === undefined) return Effect.succeed(standard)
  const known = versions.find((candidate) => candidate === header)
  if (known !== undefined) return Effect.succeed(known)
  return refuse(
    "unsupported_version",
    `Svc-Version must be one of ${versions.join(", ")}; ${JSON.stringify(header.slice(0, 32))} is not. Leave the header out for the account's default, ${standard}.`,
    "Svc-Version"
  )
}

const idempotencyKey = (header: string | undefined, required: boolean): Effect.Effect<string | null, ApiError> => {
  const param = "Idempotency-Key"
  if (header === undefined || header === "") {
    if (!required) return Effect.succeed(null)
    return refuse(
      "idempotency_key_missing",
      `This request needs the header Idempotency-Key: any string of at most ${idempotencyKeyMax} characters (a UUID is a good one), the same on every retry.`,
      param
    )
  }
  if (header.length > idempotencyKeyMax) {
    return refuse(
      "idempotency_key_too_long",
      `Idempotency-Key must be at most ${idempotencyKeyMax} characters long; this one has ${header.length}.`,
      param
    )
  }
  if (!/^[\u0020-\u007e]+$/.test(header)) {
    return refuse("idempotency_key_invalid", "Idempotency-Key must consist of printable ASCII characters.", param)
  }
  return Effect.succeed(header)
}

const isJson = (contentType: string) =>
  /^application\/json\s*(;\s*charset=("utf-8"|utf-8)\s*)?$/i.test(contentType.trim())

const emptyBody = new Uint8Array(0)

const tooLarge = refuse(
  "request_too_large",
  `The body must be at most ${bodyBytesMax / 1024} KiB. Split the request; an invoice has at most 500 lines.`
)

/** The raw body, after its size and media type are known to be right. No body needs no media type. */
export const readBody = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  if (request.method === "GET" || request.method === "DELETE") return emptyBody
  if (Number(request.headers["content-length"] ?? 0) > bodyBytesMax) return yield* tooLarge
  const bytes = new Uint8Array(yield* request.arrayBuffer)
  if (bytes.length > 0 && !isJson(request.headers["content-type"] ?? "")) {
    return yield* refuse(
      "unsupported_media_type",
      "Send the body as JSON, with the header Content-Type: application/json."
    )
  }
  if (bytes.length > 0 && !/^(identity)?$/i.test(request.headers["content-encoding"]?.trim() ?? "")) {
    return yield* refuse("unsupported_media_type", "Send the body as it is, without Content-Encoding.")
  }
  return bytes
})

/** The JSON of a body, or undefined where there is none. */
export const parse = (bytes: Uint8Array): Effect.Effect<unknown, ApiError> =>
  bytes.length === 0
    ? Effect.undefined
    : Effect.fromResult(
        Result.mapError(parseStrict(bytes), (message) => new ApiError({ code: "malformed_json", message }))
      )

const refuseQuery = (url: string): Effect.Effect<void, ApiError> => {
  const [first, ...rest] = [...new URLSearchParams(url.slice(url.indexOf("?") + 1 || url.length)).keys()].map(
    (name): Violation => ({
      param: name,
      code: "parameter_unknown",
      message: `${name} is not known here; check its spelling or remove it.`
    })
  )
  return first === undefined ? Effect.void : Effect.fail(ApiError.fromViolations([first, ...rest]))
}

/** No text with U+0000 can be stored, so none can be looked for: it is not in the path of anything, nor in a value. */
const refuseNul = (url: string): Effect.Effect<void, ApiError> => {
  if (!url.includes("%00")) return Effect.void
  const [path = "", query = ""] = url.split("?")
  if (path.includes("%00")) {
    return refuse("resource_missing", "There is nothing at this path: no id holds the character U+0000 (%00).")
  }
  const [name = "query"] = [...new URLSearchParams(query)].find((pair) => pair.join("").includes("\0")) ?? []
  return refuse("parameter_invalid", `${name} must not hold the character U+0000 (%00).`, name)
}

// The order of the checks is part of the contract: size, media type, version, key, JSON.
export const layer = Layer.succeed(
  Conventions,
  (handler, { endpoint }) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const principal = yield* CurrentPrincipal
      const rule = Context.get(endpoint.annotations, IdempotencyKey)
      const bytes = yield* readBody(request)
      const resolved = yield* version(request.headers["svc-version"], principal.default_version)
      const key =
        rule === "ignored" ? null : yield* idempotencyKey(request.headers["idempotency-key"], rule === "required")
      const body = yield* parse(bytes)
      // A query that a schema describes is checked with the rest of the request.
      if (endpoint.query === undefined) yield* refuseQuery(request.url)
      yield* refuseNul(request.url)
      const isLeftOut = body === undefined && Context.get(endpoint.annotations, OptionalBody)
      if (endpoint.payload.size > 0 && body === undefined && !isLeftOut) {
        return yield* refuse("parameter_missing", "A body is required: send a JSON object.", "body")
      }
      if (endpoint.payload.size === 0 && body !== undefined && !isEmptyObject(body)) {
        return yield* refuse("parameter_unknown", "This request takes no body. Send none, or {}.", "body")
      }
      const path = request.url.split("?")[0] ?? ""
      const idempotency = key === null ? null : { key, fingerprint: fingerprint(request.method, path, body) }
      const answer = handler.pipe(
        Effect.provideService(CurrentRequest, { version: resolved, idempotency }),
        Effect.provideService(HttpServerRequest.HttpServerRequest, isLeftOut ? withEmptyObject(request) : request)
      )
      return yield* Context.get(endpoint.annotations, MayWait) ? answer : inTime(answer)
    }) as Effect.Effect<never>
)

/** The request as it would be with the body `{}`. */
const withEmptyObject = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest =>
  Object.create(request, {
    headers: { value: { ...request.headers, "content-type": "application/json" } },
    text: { value: Effect.succeed("{}") }
  })

const isEmptyObject = (body: unknown) =>
  typeof body === "object" && body !== null && !Array.isArray(body) && Object.keys(body).length === 0
