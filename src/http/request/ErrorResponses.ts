import { Cause, Effect, Layer, Result } from "effect"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { ApiError } from "../../../schemas/ApiError.ts"
import { errorCodes } from "../../../schemas/ErrorCode.ts"
import { Errors } from "../../api/ErrorApi.ts"
import { ServiceInfo } from "../../runtime/ServiceInfo.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"
import { reported } from "../../runtime/json/Violations.ts"
import { apiErrorOf } from "../../database/SqlFailure.ts"
import { wantsProblem } from "./Accept.ts"
import { Exchange, RequestId } from "./Exchange.ts"
import { issueViolations, jsonTypes } from "./SchemaErrors.ts"

const problemJson = "application/problem+json"

/** Writes an error as the API's error envelope, or as RFC 9457 problem JSON for a client that asks for that type. */
export const respond = Effect.fnUntraced(function* (error: ApiError) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { baseUrl } = yield* ServiceInfo
  const request_id = yield* RequestId
  const exchange = yield* Exchange
  exchange.error_code = error.code
  const { status, type } = errorCodes[error.code]
  const doc_url = `${baseUrl}/docs/errors/${error.code}`
  const details = {
    ...(error.param === undefined ? {} : { param: error.param }),
    ...(error.errors === undefined ? {} : reported(error.errors))
  }
  const problem = wantsProblem(request.headers["accept"] ?? "")
  const body = problem
    ? {
        type: doc_url,
        title: error.code.replaceAll("_", " "),
        status,
        detail: error.message,
        code: error.code,
        request_id,
        ...details
      }
    : { error: { type, code: error.code, message: error.message, doc_url, request_id, ...details } }
  return HttpServerResponse.text(JSON.stringify(body), {
    status,
    contentType: problem ? problemJson : "application/json",
    headers: { ...fixedHeaders[error.code], ...error.headers }
  })
})

// Headers of every error with this code.
const fixedHeaders: Partial<Record<ApiError["code"], Record<string, string>>> = {
  invalid_api_key: { "WWW-Authenticate": "Bearer" },
  service_unavailable: { "Retry-After": "1", "Svc-Should-Retry": "true" }
}

const noForm = ApiError.fromViolations([
  violation(
    "body",
    "parameter_invalid",
    "The request does not have the required form. Compare it with the operation at /docs.",
    "schema"
  )
])

// The error if the process of the account loses the account's shard, or if the work that the request waits for is
// stopped.
const interrupted = new ApiError({
  code: "service_unavailable",
  message:
    "Folio stopped the work on this request before it had a response. Retry with the same Idempotency-Key: nothing is done twice."
})

/** Whether a request was interrupted because its client hung up and reads no response. */
export const isHungUp = (cause: Cause.Cause<unknown>) =>
  Cause.hasInterruptsOnly(cause) &&
  cause.reasons.some(({ annotations }) => annotations.has(HttpServerError.ClientAbort.key))

/** The client's error for any failure, without internal details. `respondToCause` logs the details. */
export const fromCause = (cause: Cause.Cause<unknown>): ApiError => {
  if (Cause.hasInterruptsOnly(cause)) return interrupted
  const error = Result.getOrUndefined(Cause.findError(cause))
  if (error instanceof ApiError) return error
  if (HttpApiError.HttpApiSchemaError.is(error) && error.kind !== "Body" && error.kind !== "ResponseHeaders") {
    const [first, ...rest] = issueViolations(error.cause.issue, [], jsonTypes)
    return first === undefined ? noForm : ApiError.fromViolations([first, ...rest])
  }
  const defect = error ?? Result.getOrUndefined(Cause.findDefect(cause))
  const reason = defect instanceof HttpServerError.HttpServerError ? defect.reason : undefined
  if (reason?._tag === "RequestParseError") {
    return reason.reason === "BodyTooLarge"
      ? new ApiError({ code: "request_too_large", message: errorCodes.request_too_large.help })
      : new ApiError({
          code: "malformed_json",
          message: "The connection ended before the end of the body. Retry the request."
        })
  }
  return apiErrorOf(cause)
}

/** Responds to a failure, and logs the failure unless the client caused it. */
export const respondToCause = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
  const error = fromCause(cause)
  // An `ApiError` of Folio itself is expected and temporary (no database, no actors), so its cause is not logged.
  const foreseen = error === interrupted || Result.getOrUndefined(Cause.findError(cause)) === error
  if (error.status >= 500) yield* foreseen ? Effect.logWarning(error.message) : Effect.logError("Request failed", cause)
  return yield* respond(error)
})

export const layer = Layer.effect(
  Errors,
  Effect.map(Effect.context<ServiceInfo>(), (context) =>
    Errors.of(
      (handler) =>
        Effect.catchCause(handler, (cause) =>
          isHungUp(cause)
            ? Effect.failCause(cause as Cause.Cause<never>)
            : Effect.provideContext(respondToCause(cause), context)
        ) as never
    )
  )
)
