import type { ErrorBody, Violation } from "./Interface.ts"
import { UnusableBody } from "./ResponseBody.ts"

/** The service rejected or failed a request. `code` names what is wrong; `message` explains what to do. */
export class ApiError extends Error {
  override readonly name = "ApiError"
  /** The HTTP status code of the response. */
  readonly status: number
  /** The class of the error, such as `invalid_request_error`. */
  readonly type: string
  /** The code of the error. A later release of the service may add codes. */
  readonly code: Violation["code"] | (string & {})
  /** The path of the wrong field, such as `lines[0].taxes[0].code`; undefined if the error is not about a field. */
  readonly param: string | undefined
  /** Everything that is wrong with the request; empty if the error is not about its fields. */
  readonly errors: ReadonlyArray<Violation>
  /** The page about this code. */
  readonly doc_url: string
  /** The id of the request. Include it when you report a problem. */
  readonly request_id: string
  /** @internal */
  constructor(status: number, { code, doc_url, errors = [], message, param, request_id, type }: ErrorBody["error"]) {
    super(message)
    this.status = status
    this.type = type
    this.code = code
    this.param = param
    this.errors = errors
    this.doc_url = doc_url
    this.request_id = request_id
  }
}

const messageOf = (status: number | undefined, cause: unknown) => {
  if (cause instanceof UnusableBody) return cause.message
  return status === undefined
    ? "No response arrived."
    : `The response with status ${status} is not Folio's. Check the base URL, and any proxy between the client and the service.`
}

/**
 * No response of Folio arrived in four attempts. `cause` is the last failure. `status` is the status code of a response
 * from another sender, such as a proxy. The outcome is unknown: retry with `idempotencyKey`, and the service executes
 * the request once.
 */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError"
  /** The HTTP status code of a response that is not Folio's; undefined if no response arrived. */
  readonly status: number | undefined
  /** The idempotency key of the request; undefined if the request changes nothing. */
  readonly idempotencyKey: string | undefined
  /** @internal */
  constructor(status: number | undefined, idempotencyKey: string | undefined, cause: unknown) {
    super(messageOf(status, cause), { cause })
    this.status = status
    this.idempotencyKey = idempotencyKey
  }
}
