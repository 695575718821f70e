import { Context, Effect, Layer, Result } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { hash } from "node:crypto"
import type { AccountMode } from "../../../schemas/Account.ts"
import { ApiError, type Violation } from "../../../schemas/ApiError.ts"
import type { ErrorCode } from "../../../schemas/ErrorCode.ts"
import { type Version, versions } from "../../../schemas/Version.ts"
import { CurrentPrincipal, KeyStillWorks, type Principal } from "../../api/Authorization.ts"
import {
  bodyBytesMax,
  CheckedAs,
  Conventions,
  Creation,
  CurrentRequest,
  FileBody,
  IdempotencyKey,
  idempotencyKeyMax,
  Judged,
  KeepsNumber,
  MayWait,
  OptionalBody,
  OwnTurn,
  Rules,
  WholeDocument
} from "../../api/Conventions.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"
import { violation } from "../../domain/documents/AuthorityRules.ts"
import { fingerprint } from "../../domain/requests/Fingerprint.ts"
import { parseStrict } from "../../domain/requests/StrictJson.ts"
import { Concurrency } from "../limits/Concurrency.ts"
import { BodyChecks } from "./BodyChecks.ts"
import { Exchange } from "./Exchange.ts"
import { folded, pathOf, queryOf } from "./Path.ts"
import { inTime } from "./Timeouts.ts"
import { RequestTurns, smallBytesMax } from "../limits/RequestTurns.ts"
import { shownName } from "./SchemaErrors.ts"
import { bodyFaults, holdsNul, inOrder, queryViolations, verdict } from "./Validation.ts"

const refuse = (code: ErrorCode, message: string, param?: string) =>
  Effect.fail(new ApiError({ code, message, ...(param === undefined ? {} : { param }) }))

const refuseAll = ([first, ...rest]: ReadonlyArray<Violation>): Effect.Effect<void, ApiError> =>
  first === undefined ? Effect.void : Effect.fail(ApiError.fromViolations([first, ...rest]))

const version = (standard: Version, header: string = standard): Effect.Effect<Version, ApiError> => {
  const known = versions.find((candidate) => candidate === header)
  if (known !== undefined) return Effect.succeed(known)
  return refuse(
    "unsupported_version",
    `Svc-Version must be one of ${versions.join(", ")}; ${JSON.stringify(header.slice(0, 32))} is not. Leave the header out for the account's default, ${standard}.`,
    "Svc-Version"
  )
}

const refuseKey = (fault: "missing" | "too_long" | "invalid", message: string) =>
  refuse(`idempotency_key_${fault}`, message, "Idempotency-Key")

const idempotencyKey = (required: boolean, header = ""): Effect.Effect<string | null, ApiError> => {
  if (header === "" && !required) return Effect.succeed(null)
  if (header === "") {
    return refuseKey(
      "missing",
      `This request needs the header Idempotency-Key: any string of at most ${idempotencyKeyMax} characters (a UUID is a good one), the same on every retry.`
    )
  }
  if (header.length > idempotencyKeyMax) {
    return refuseKey(
      "too_long",
      `Idempotency-Key must be at most ${idempotencyKeyMax} characters long; this one has ${header.length}.`
    )
  }
  if (/^[\u0020-\u007e]+$/.test(header)) return Effect.succeed(header)
  return refuseKey("invalid", "Idempotency-Key must consist of printable ASCII characters.")
}

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

const refuseBodyWith = (code: ErrorCode, message: string) =>
  Effect.fail(ApiError.fromViolations([violation("body", code, message, "schema")]))

export const noBody = refuseBodyWith("parameter_missing", "A body is required: send a JSON object.")

const tooLarge = refuse(
  "request_too_large",
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
const isLarge = ({ headers, method }: HttpServerRequest.HttpServerRequest) =>
  !bodiless.has(method) &&
  (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > smallBytesMax)

/** Reads the raw body. Fails with `request_too_large` or `unsupported_media_type`; an empty body needs no media type. */
export const readBody = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, file: File = null) {
  if (bodiless.has(request.method)) return emptyBody
  const most = file?.bytesMax ?? bodyBytesMax
  const overgrown = file === null ? tooLarge : refuse("request_too_large", `The body must be ${file.what}.`)
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

/** Fails with the violations of a JSON body that does not fit the endpoint's schema, without the names of the authority's rules. */
export const refuseBody = (endpoint: HttpApiEndpoint.Top, body: unknown) =>
  refuseAll(bodyFaults(endpoint, body).violations)

/**
 * Makes the function that finds what is wrong with a JSON body that does not fit its endpoint's schema: the violations of the schema,
 * which name the authority's rules if the body makes a document or a part of one, and what the other checks find in the rest.
 */
const makeViolations = Effect.gen(function* () {
  const checks = yield* BodyChecks
  const { named } = (yield* NationalProfile).rules
  return Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top, body: unknown, account: AccountMode) {
    const { faults, violations } = bodyFaults(endpoint, body)
    const subject = Context.get(endpoint.annotations, Rules)
    const ofSchema = subject === null ? violations : violations.map(named(subject))
    const kind = Context.get(endpoint.annotations, CheckedAs)
    if (kind === null || faults.length === 0 || holdsNul(body)) return ofSchema
    const ofRest = yield* inTime(
      checks.rest(kind, account, body, faults, Context.get(endpoint.annotations, KeepsNumber))
    )
    return inOrder(endpoint, [...ofSchema, ...ofRest])
  })
})

/** Refuses U+0000, which PostgreSQL cannot store: `resource_missing` for the path, `parameter_invalid` for the query. */
const refuseNul = (url: string): Effect.Effect<void, ApiError> => {
  if (!url.includes("%00")) return Effect.void
  if (pathOf(url).includes("%00")) {
    return refuse("resource_missing", "There is nothing at this path: no id holds the character U+0000 (%00).")
  }
  const [name = "query"] = [...new URLSearchParams(queryOf(url))].find((pair) => pair.join("").includes("\0")) ?? []
  const shown = shownName(name)
  const message = `${shown} must not hold the character U+0000 (%00).`
  return refuseAll([violation(shown, "parameter_invalid", message, "storable_text")])
}

// The handler parses the body again, with `JSON.parse`, which misreads some names with escapes (`StrictJson.ts`). So a body with a backslash
// is written again for the handler, with as few escapes as JSON needs: none in a name, because no request takes a name that needs one.
const backslash = 0x5c

const bytesOf = ({ body }: HttpServerResponse.HttpServerResponse) =>
  "contentLength" in body ? (body.contentLength ?? 0) : 0

// The order of the checks is part of the contract: size, media type, version, idempotency key, JSON.
export const layer = Layer.effect(
  Conventions,
  Effect.map(
    Effect.all([RequestTurns, Concurrency, makeViolations]),
    ([turns, concurrency, violationsOf]) =>
      (handler, { endpoint }) => {
        const isRead = endpoint.method === "GET" && !Context.get(endpoint.annotations, OwnTurn)
        const work = Context.get(endpoint.annotations, WholeDocument)
        const isCreation = Context.get(endpoint.annotations, Creation)
        const file = Context.get(endpoint.annotations, FileBody)
        const check = Effect.fnUntraced(function* (bytes: Uint8Array) {
          yield* yield* KeyStillWorks
          const request = yield* HttpServerRequest.HttpServerRequest
          const query = folded(yield* HttpServerRequest.ParsedSearchParams)
          const principal = yield* CurrentPrincipal
          const rule = Context.get(endpoint.annotations, IdempotencyKey)
          const { "idempotency-key": sentKey, "svc-version": sentVersion } = request.headers
          const resolved = yield* version(principal.default_version, sentVersion)
          const key = rule === "ignored" ? null : yield* idempotencyKey(rule === "required", sentKey)
          const exchange = yield* Exchange
          exchange.version = resolved
          exchange.idempotency_key = key ?? undefined
          const body = file === null ? yield* parse(bytes) : fileOf(bytes)
          // A file is not written to the request log.
          exchange.sent = { bytes: bytes.length, json: file !== null || bytes.length === 0 ? null : bytes }
          if (endpoint.query === undefined) yield* refuseAll(queryViolations(endpoint, query))
          yield* refuseNul(request.url)
          if (endpoint.query !== undefined) yield* refuseAll(queryViolations(endpoint, query))
          const isLeftOut = body === undefined && Context.get(endpoint.annotations, OptionalBody)
          if (endpoint.payload.size > 0 && body === undefined && !isLeftOut) {
            return yield* file === null ? noBody : refuseBodyWith("parameter_missing", `Send ${file.what} as the body.`)
          }
          if (endpoint.payload.size === 0 && body !== undefined && JSON.stringify(body) !== "{}") {
            return yield* refuseBodyWith("parameter_unknown", "This request takes no body. Send none, or {}.")
          }
          const faults = file === null ? yield* violationsOf(endpoint, isLeftOut ? {} : body, principal) : []
          // A validation request answers a body that does not fit the schema with a verdict. Malformed JSON has failed before.
          if (faults.length > 0 && Context.get(endpoint.annotations, Judged))
            return { answer: Effect.succeed(verdict(faults)) }
          yield* refuseAll(faults)
          const idempotency =
            key === null ? null : { key, fingerprint: fingerprint(request.method, pathOf(request.url), body) }
          const isWrittenAnew = isLeftOut || (file === null && bytes.includes(backslash))
          const readable = isWrittenAnew ? withBody(request, isLeftOut ? {} : body) : request
          const answer = handler.pipe(
            Effect.provideService(CurrentRequest, { version: resolved, idempotency }),
            Effect.provideService(
              HttpServerRequest.ParsedSearchParams,
              query as Record<string, string | Array<string>>
            ),
            Effect.provideService(HttpServerRequest.HttpServerRequest, readable)
          )
          return { answer: Context.get(endpoint.annotations, MayWait) ? answer : inTime(answer) }
        })
        const answered = Effect.fnUntraced(function* (
          request: HttpServerRequest.HttpServerRequest,
          principal: Principal
        ) {
          if (isCreation) yield* turns.admit(principal)
          const bytes = yield* readBody(request, file)
          const exchange = yield* Exchange
          exchange.sent = { bytes: bytes.length, json: null }
          const checked = check(bytes)
          if (isRead) {
            const read = Effect.flatMap(checked, ({ answer }) => answer)
            return yield* turns.read(principal, read, bytesOf)
          }
          const isSmall = bytes.length <= smallBytesMax
          if (isCreation && isSmall) {
            return yield* turns.create(
              principal,
              Effect.flatMap(checked, ({ answer }) => answer)
            )
          }
          const { answer } = yield* isSmall ? checked : turns.check(principal, bytes.length, work === "sent", checked)
          if (isCreation) return yield* turns.create(principal, answer)
          if (work === null || work === "sent") return yield* answer
          return yield* turns.carryOut(
            principal,
            work,
            answer,
            (response) => exchange.document_bytes ?? bytesOf(response)
          )
        })
        return Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const principal = yield* CurrentPrincipal
          const answer = answered(request, principal)
          return yield* isLarge(request) ? concurrency.large(principal)(answer) : answer
        }) as Effect.Effect<never>
      }
  )
)

/** A file as the fingerprint of its request knows it. */
const fileOf = (bytes: Uint8Array) => (bytes.length === 0 ? undefined : { sha256: hash("sha256", bytes, "hex") })

/** A copy of the request with this body, for an endpoint whose body was left out, or has escapes that the handler would misread. */
const withBody = (request: HttpServerRequest.HttpServerRequest, body: unknown): HttpServerRequest.HttpServerRequest =>
  Object.create(request, {
    headers: { value: { ...request.headers, "content-type": "application/json" } },
    text: { value: Effect.succeed(JSON.stringify(body)) }
  })
