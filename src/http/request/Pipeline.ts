import { Context, Effect, Layer, Option, Result } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { hash } from "node:crypto"
import type { AccountMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { ErrorCode } from "../../../schemas/ErrorCode.ts"
import { type Version, versions } from "../../../schemas/Version.ts"
import { CurrentPrincipal, type Principal } from "../../api/Authorization.ts"
import { Conventions, CurrentRequest, Handling, type HandlingValues, idempotencyKeyMax } from "../../api/Conventions.ts"
import { bodyBytesMax } from "../../runtime/Limits.ts"
import { refuse as refuseAll } from "../../accounts/Command.ts"
import { Idempotency } from "../../accounts/store/Idempotency.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"
import { fingerprint } from "../../runtime/json/Fingerprint.ts"
import { Concurrency } from "../limits/Concurrency.ts"
import { RequestTurns, smallBytesMax } from "../limits/RequestTurns.ts"
import { SpentKeys } from "../limits/SpentKeys.ts"
import { respond } from "./Ask.ts"
import * as BodyChecks from "./BodyChecks.ts"
import { KeyStillWorks } from "./Caller.ts"
import { Exchange, pathOf, queryOf } from "./Exchange.ts"
import { shownName } from "./SchemaErrors.ts"
import { inTime } from "../../runtime/PortCall.ts"
import { decodeBody, holdsNul, inOrder, queryViolations, verdict } from "./Validation.ts"
import { parseStrict } from "../../runtime/json/StrictJson.ts"

/*
 * The stages of a request to the API. Their order is part of the contract; each may end the request with an `ApiError`.
 *
 *  1. envelope    id, size of URL and headers, repeated headers; around all later stages: log line, metrics, the form
 *                 of errors (Envelope)
 *  2. route       path and method (makeKnownRoutes in Http, for 405)
 *  3. caller      API key, portal session or signed link; rate limit, requests under way, capability (Authentication)
 *  4. admission   no creation if the account's drafts wait too long, or if it would get no turn (RequestTurns.admit)
 *  5. body        size, media type, coding (readBody); around 4 to 10: few large bodies at a time (Concurrency.large)
 *  6. turn        the account's turn for reads, creations, large bodies and whole documents (RequestTurns); then a
 *                 check that the key still works
 *  7. headers     Svc-Version, Idempotency-Key
 *  8. JSON        strict, parsed once (parse)
 *  9. content     query, then body: schema and rules, all violations together (Validation, BodyChecks)
 * 10. handler     with the body as decoded by stage 9, within 15 s (routes); a change asks the account's actor (Ask)
 *
 * This file has the stages from 4 on. `runtime/server/Server` has the limits of the server itself (connections, time
 * for headers).
 */

/** The error for a body as a whole. */
const bodyError = (code: ErrorCode, message: string) =>
  ApiError.fromViolations([violation("body", code, message, "schema")])

export const bodyMissing = bodyError("parameter_missing", "A body is required: send a JSON object.")

const asJson = "send the body as JSON, with the header Content-Type: application/json."

/** The fault of a JSON body's media type and the advice; null for `application/json`, alone or with `charset=utf-8`. */
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
    : `Content-Type has the charset ${shownType(charset)}; only utf-8 is allowed: ${asJson}`
}

const shownType = (text: string) => JSON.stringify(text.slice(0, 64))

const bodiless: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE"])
const emptyBody = new Uint8Array(0)

const tooLarge = (message: string) => new ApiError({ code: "request_too_large", message })
const jsonTooLarge = tooLarge(
  `The body must be at most ${bodyBytesMax / 1024} KiB. Split the request; an invoice has at most 500 lines.`
)

type File = NonNullable<HandlingValues["file"]>

/**
 * Rejects a media type or a content coding. The response names the right one: in `Accept`, or in `Accept-Encoding`,
 * which shows a client that the coding is the fault (RFC 9110, 12.5.3).
 */
const refuseType = (message: string, headers: Readonly<Record<string, string>>) =>
  Effect.fail(new ApiError({ code: "unsupported_media_type", message, headers }))

/** The fault of a body's media type and the advice; null if the media type is right. */
const typeFault = (file: File | undefined, contentType: string): string | null => {
  if (file === undefined) return jsonFault(contentType)
  return file.mediaTypes.includes(contentType.trim().toLowerCase())
    ? null
    : `Send ${file.what} as the body, with the header Content-Type: ${file.mediaTypes.join(" or ")}.`
}

/** Whether a request has a body above the length of small bodies, or of unknown length. */
const isLarge = ({ headers, method }: HttpServerRequest.HttpServerRequest) =>
  !bodiless.has(method) &&
  (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > smallBytesMax)

/**
 * Reads the raw body. Fails with `request_too_large` or `unsupported_media_type`. An empty body needs no media type.
 */
export const readBody = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, file?: File) {
  if (bodiless.has(request.method)) return emptyBody
  const most = file?.bytesMax ?? bodyBytesMax
  const overgrown = file === undefined ? jsonTooLarge : tooLarge(`The body must be ${file.what}.`)
  if (Number(request.headers["content-length"] ?? 0) > most) return yield* overgrown
  const bytes = new Uint8Array(yield* request.arrayBuffer)
  if (bytes.length > most) return yield* overgrown
  if (bytes.length === 0) return bytes
  const fault = typeFault(file, request.headers["content-type"] ?? "")
  if (fault !== null) {
    return yield* refuseType(fault, { Accept: file === undefined ? "application/json" : file.mediaTypes.join(", ") })
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

const refuse = (code: ErrorCode, message: string, param?: string) =>
  Effect.fail(new ApiError({ code, message, ...(param === undefined ? {} : { param }) }))

/**
 * The API version of the header `Svc-Version`; without the header, the account's default version. Fails with
 * `unsupported_version`.
 */
const versionOf = (standard: Version, header: string = standard): Effect.Effect<Version, ApiError> => {
  const known = versions.find((candidate) => candidate === header)
  if (known !== undefined) return Effect.succeed(known)
  return refuse(
    "unsupported_version",
    `Svc-Version must be one of ${versions.join(", ")}; ${JSON.stringify(header.slice(0, 32))} is not. Omit the header for the account's default, ${standard}.`,
    "Svc-Version"
  )
}

const refuseKey = (fault: "missing" | "too_long" | "invalid", message: string) =>
  refuse(`idempotency_key_${fault}`, message, "Idempotency-Key")

/** The idempotency key of a request; null if the request has none and needs none. */
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

/**
 * Rejects U+0000, which PostgreSQL cannot store: `resource_missing` for the path, `parameter_invalid` for the query.
 */
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

const entry = /^metadata\[([^]*)\]$/

type Sent = Readonly<Record<string, string | ReadonlyArray<string>>>

/** A query with its parameters `metadata[key]` as one object under `metadata`, the form of the list schemas. */
const folded = (query: Sent): Readonly<Record<string, unknown>> => {
  const sent = Object.entries(query).map(([name, value]) => [entry.exec(name)?.[1], name, value] as const)
  const metadata = sent.flatMap(([key, , value]) => (key === undefined ? [] : [[key, value] as const]))
  if (metadata.length === 0) return query
  const others = sent.flatMap(([key, name, value]) => (key === undefined ? [[name, value] as const] : []))
  return { ...Object.fromEntries(others), metadata: Object.fromEntries(metadata) }
}

/**
 * Makes the function that decodes a JSON body or returns its violations: those of the schema, and those of the other
 * checks in the valid parts. If the body makes a document or a part of one, schema violations name the authority's
 * rules.
 */
const makeContent = Effect.gen(function* () {
  const checks = yield* BodyChecks.make
  const { named } = (yield* NationalProfile).rules
  return Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top, body: unknown, account: AccountMode) {
    const { decoded, faults, violations } = decodeBody(endpoint, body)
    const { checkedAs: kind, keepsNumber = false, rules: subject } = Context.get(endpoint.annotations, Handling)
    const ofSchema = subject === undefined ? violations : violations.map(named(subject))
    if (kind === undefined || faults.length === 0 || holdsNul(body)) return { decoded, violations: ofSchema }
    const ofRest = yield* inTime(checks.rest(kind, account, body, faults, keepsNumber))
    return { decoded, violations: inOrder(endpoint, [...ofSchema, ...ofRest]) }
  })
})

const bytesOf = ({ body }: HttpServerResponse.HttpServerResponse) =>
  "contentLength" in body ? (body.contentLength ?? 0) : 0

export const layer = Layer.effect(
  Conventions,
  Effect.map(
    Effect.all([RequestTurns, Concurrency, makeContent, SpentKeys, Idempotency]),
    ([turns, concurrency, contentOf, spentKeys, idempotency]) =>
      (handler, { endpoint }) => {
        const handling = Context.get(endpoint.annotations, Handling)
        const { creation: isCreation = false, file, wholeDocument: work } = handling
        const isRead = endpoint.method === "GET" && handling.takesOwnTurns !== true

        /** Stages 7 to 9. Returns stage 10, which may wait for another turn. */
        const checked = Effect.fnUntraced(function* (bytes: Uint8Array) {
          const barred = yield* yield* KeyStillWorks
          const request = yield* HttpServerRequest.HttpServerRequest
          const principal = yield* CurrentPrincipal
          const exchange = yield* Exchange

          const { "idempotency-key": sentKey, "svc-version": sentVersion } = request.headers
          const version = yield* versionOf(principal.default_version, sentVersion)
          exchange.version = version
          const key =
            handling.idempotencyKey === "ignored"
              ? null
              : yield* idempotencyKey(handling.idempotencyKey === "required", sentKey)
          exchange.idempotency_key = key ?? undefined

          const sent = file === undefined ? yield* parse(bytes) : fileOf(bytes)
          // The request log stores no files.
          exchange.sent = { bytes: bytes.length, json: file !== undefined || bytes.length === 0 ? null : bytes }

          if (barred !== null) {
            // A retry gets the response of a request from before the change of the status.
            const fingerprinted = fingerprint(request.method, pathOf(request.url), sent)
            const claim = { api_key_id: principal.api_key_id, value: key ?? "", fingerprint: fingerprinted }
            const stored = key === null ? Option.none() : yield* inTime(idempotency.lookup(claim))
            if (Option.isNone(stored)) return yield* barred
            exchange.repeat = "replayed"
            return Effect.succeed(respond({ kind: "replayed", ...stored.value }, true))
          }

          const query = folded(yield* HttpServerRequest.ParsedSearchParams)
          if (endpoint.query === undefined) yield* refuseAll(queryViolations(endpoint, query))
          yield* refuseNul(request.url)
          if (endpoint.query !== undefined) yield* refuseAll(queryViolations(endpoint, query))
          const json = sent === undefined && handling.optionalBody === true ? {} : sent
          if (endpoint.payload.size > 0 && json === undefined) {
            return yield* file === undefined
              ? bodyMissing
              : bodyError("parameter_missing", `Send ${file.what} as the body.`)
          }
          if (endpoint.payload.size === 0 && json !== undefined && JSON.stringify(json) !== "{}") {
            return yield* bodyError("parameter_unknown", "This request takes no body. Send no body, or {}.")
          }
          const { decoded, violations } =
            file === undefined ? yield* contentOf(endpoint, json, principal) : { decoded: bytes, violations: [] }
          // A validation request gets a 2xx response with the violations of its schema. Malformed JSON has failed
          // before.
          if (violations.length > 0 && handling.validates === true) return Effect.succeed(verdict(violations))
          yield* refuseAll(violations)

          const once =
            key === null ? null : { key, fingerprint: fingerprint(request.method, pathOf(request.url), sent) }
          const found = Context.make(CurrentRequest, { version, idempotency: once, body: decoded })
          const asked = Context.add(
            found,
            HttpServerRequest.ParsedSearchParams,
            query as Record<string, string | Array<string>>
          )
          const answer = Effect.provideContext(handler, asked)
          return handling.mayWait === true ? answer : inTime(answer)
        })

        /** Stages 4 to 6, with the later stages in their turn. */
        const answered = Effect.fnUntraced(function* (
          request: HttpServerRequest.HttpServerRequest,
          principal: Principal
        ) {
          if (isCreation) {
            const note = spentKeys.noteCreator(request, principal, (now) => turns.refusalOf(principal, now))
            yield* Effect.tapError(turns.admit(principal), () => note)
          }
          const bytes = yield* readBody(request, file)
          const exchange = yield* Exchange
          exchange.sent = { bytes: bytes.length, json: null }
          const stages = checked(bytes)
          if (isRead) return yield* turns.read(principal, Effect.flatten(stages), bytesOf)
          const isSmall = bytes.length <= smallBytesMax
          if (isCreation && isSmall) return yield* turns.create(principal, Effect.flatten(stages))
          const answer = yield* isSmall ? stages : turns.check(principal, bytes.length, work === "sent", stages)
          if (isCreation) return yield* turns.create(principal, answer)
          if (work === undefined || work === "sent") return yield* answer
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

/** The file in the fingerprint of its request. */
const fileOf = (bytes: Uint8Array) => (bytes.length === 0 ? undefined : { sha256: hash("sha256", bytes, "hex") })

/**
 * Handlers of a group with the body that the pipeline has decoded. `HttpApiBuilder` would parse and decode the body
 * again.
 */
export const withBody = <Handlers extends { readonly handleAll: unknown }>(
  handlers: Handlers
): Pick<Handlers, "handleAll"> => {
  type Handler = (request: object) => Effect.Effect<unknown, unknown, unknown>
  const raw = handlers as unknown as { readonly handleRaw: (name: string, handler: Handler) => unknown }
  const handleAll = (byName: Readonly<Record<string, Handler>>) => {
    for (const [name, handler] of Object.entries(byName)) {
      raw.handleRaw(name, (request) =>
        Effect.flatMap(CurrentRequest, ({ body }) => handler({ ...request, payload: body }))
      )
    }
    return handlers
  }
  return { handleAll } as unknown as Pick<Handlers, "handleAll">
}
