import { Context, Effect, Layer, Result } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { ApiError } from "../../schemas/ApiError.ts"
import type { ErrorCode } from "../../schemas/ErrorCode.ts"
import { type Version, versions } from "../../schemas/Version.ts"
import { CurrentPrincipal, KeyStillWorks } from "../api/Authorization.ts"
import {
  bodyBytesMax,
  Conventions,
  CurrentRequest,
  IdempotencyKey,
  idempotencyKeyMax,
  Judged,
  MayWait,
  OptionalBody,
  OwnTurn,
  Rules,
  WholeDocument
} from "../api/Conventions.ts"
import { withRule } from "../domain/AuthorityRules.ts"
import { fingerprint } from "../domain/Fingerprint.ts"
import { parseStrict } from "../domain/StrictJson.ts"
import { Exchange } from "./Exchange.ts"
import { pathOf, queryOf } from "./Path.ts"
import { inTime } from "./Patience.ts"
import { RequestTurns, smallBytesMax } from "./RequestTurns.ts"
import { shownName } from "./SchemaErrors.ts"
import { bodyViolations, queryViolations } from "./Validation.ts"
import { verdict } from "./Verdict.ts"

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

const bodiless: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE"])
const emptyBody = new Uint8Array(0)

const tooLarge = refuse(
  "request_too_large",
  `The body must be at most ${bodyBytesMax / 1024} KiB. Split the request; an invoice has at most 500 lines.`
)

/** The raw body, after its size and media type are known to be right. No body needs no media type. */
export const readBody = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  if (bodiless.has(request.method)) return emptyBody
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

type Violations = ReturnType<typeof bodyViolations>

const refuseAll = ([first, ...rest]: Violations): Effect.Effect<void, ApiError> =>
  first === undefined ? Effect.void : Effect.fail(ApiError.fromViolations([first, ...rest]))

/** What is wrong with the JSON of a body, with the authority's rules where the body makes a document or a part of one. */
const faultsOf = (endpoint: HttpApiEndpoint.Top, body: unknown): Violations => {
  const subject = Context.get(endpoint.annotations, Rules)
  const violations = bodyViolations(endpoint, body)
  return subject === null ? violations : violations.map(withRule(subject))
}

/** Refuses JSON that is no such body. */
export const refuseBody = (endpoint: HttpApiEndpoint.Top, body: unknown) => refuseAll(faultsOf(endpoint, body))

/** No text with U+0000 can be stored, so none can be looked for: it is not in the path of anything, nor in a value. */
const refuseNul = (url: string): Effect.Effect<void, ApiError> => {
  if (!url.includes("%00")) return Effect.void
  if (pathOf(url).includes("%00")) {
    return refuse("resource_missing", "There is nothing at this path: no id holds the character U+0000 (%00).")
  }
  const [name = "query"] = [...new URLSearchParams(queryOf(url))].find((pair) => pair.join("").includes("\0")) ?? []
  const shown = shownName(name)
  return refuse("parameter_invalid", `${shown} must not hold the character U+0000 (%00).`, shown)
}

const bytesOf = ({ body }: HttpServerResponse.HttpServerResponse) =>
  "contentLength" in body ? (body.contentLength ?? 0) : 0

// The order of the checks is part of the contract: size, media type, version, key, JSON.
export const layer = Layer.effect(
  Conventions,
  Effect.map(RequestTurns, (turns) => (handler, { endpoint }) => {
    const isRead = endpoint.method === "GET" && !Context.get(endpoint.annotations, OwnTurn)
    const work = Context.get(endpoint.annotations, WholeDocument)
    const check = Effect.fnUntraced(function* (bytes: Uint8Array) {
      yield* yield* KeyStillWorks
      const request = yield* HttpServerRequest.HttpServerRequest
      const query = yield* HttpServerRequest.ParsedSearchParams
      const principal = yield* CurrentPrincipal
      const rule = Context.get(endpoint.annotations, IdempotencyKey)
      const resolved = yield* version(request.headers["svc-version"], principal.default_version)
      const key =
        rule === "ignored" ? null : yield* idempotencyKey(request.headers["idempotency-key"], rule === "required")
      const body = yield* parse(bytes)
      if (endpoint.query === undefined) yield* refuseAll(queryViolations(endpoint, query))
      yield* refuseNul(request.url)
      if (endpoint.query !== undefined) yield* refuseAll(queryViolations(endpoint, query))
      const isLeftOut = body === undefined && Context.get(endpoint.annotations, OptionalBody)
      if (endpoint.payload.size > 0 && body === undefined && !isLeftOut) {
        return yield* refuse("parameter_missing", "A body is required: send a JSON object.", "body")
      }
      if (endpoint.payload.size === 0 && body !== undefined && !isEmptyObject(body)) {
        return yield* refuse("parameter_unknown", "This request takes no body. Send none, or {}.", "body")
      }
      const faults = faultsOf(endpoint, isLeftOut ? {} : body)
      // JSON that is no such body is judged like one that breaks a rule. What is no JSON has failed before.
      if (faults.length > 0 && Context.get(endpoint.annotations, Judged))
        return { answer: Effect.succeed(verdict(faults)) }
      yield* refuseAll(faults)
      const idempotency =
        key === null ? null : { key, fingerprint: fingerprint(request.method, pathOf(request.url), body) }
      const answer = handler.pipe(
        Effect.provideService(CurrentRequest, { version: resolved, idempotency }),
        Effect.provideService(HttpServerRequest.HttpServerRequest, isLeftOut ? withEmptyObject(request) : request)
      )
      return { answer: Context.get(endpoint.annotations, MayWait) ? answer : inTime(answer) }
    })
    return Effect.gen(function* () {
      const bytes = yield* readBody(yield* HttpServerRequest.HttpServerRequest)
      const of = yield* CurrentPrincipal
      const checked = check(bytes)
      if (isRead) {
        const answered = Effect.flatMap(checked, ({ answer }) => answer)
        return yield* turns.read(of, answered, bytesOf)
      }
      const isSmall = bytes.length <= smallBytesMax
      const { answer } = yield* isSmall ? checked : turns.check(of, bytes.length, work === "sent", checked)
      if (work === null || work === "sent") return yield* answer
      const exchange = yield* Exchange
      return yield* turns.carryOut(of, work, answer, (response) => exchange.document_bytes ?? bytesOf(response))
    }) as Effect.Effect<never>
  })
)

/** The request as it would be with the body `{}`. */
const withEmptyObject = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest =>
  Object.create(request, {
    headers: { value: { ...request.headers, "content-type": "application/json" } },
    text: { value: Effect.succeed("{}") }
  })

const isEmptyObject = (body: unknown) =>
  typeof body === "object" && body !== null && !Array.isArray(body) && Object.keys(body).length === 0
