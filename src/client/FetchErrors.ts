import type { ErrorBody, Violation } from "./Interface.ts"
import { UnusableBody } from "./ResponseBody.ts"

/** The service refused a request, or failed at it. `code` says what is wrong, `message` what to do about it. */
export class ApiError extends Error {
  override readonly name = "ApiError"
  /** The HTTP status of the answer. */
  readonly status: number
  /** The class of the error, such as `invalid_request_error`. */
  readonly type: string
  /** The code of the error; a later release of the service may have codes that are not named here. */
  readonly code: Violation["code"] | (string & {})
  /** The path of the field that is wrong, such as `lines[0].taxes[0].code`; undefined if no field is. */
  readonly param: string | undefined
  /** Everything that is wrong with the request; empty if the error is not about its fields. */
  readonly errors: ReadonlyArray<Violation>
  /** The page about this code. */
  readonly doc_url: string
  /** The id of the request. Name it when you report a problem. */
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
    ? "No answer arrived."
    : `The answer of status ${status} is not Folio's. Check the base URL, and what is between the client and the service.`
}

/**
 * No answer of Folio arrived in four attempts: `cause` is the last failure, and `status` the status of an answer that something
 * else gave, such as a proxy. What became of the request is unknown: send it again with `idempotencyKey`, and it is done once.
 */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError"
  /** The HTTP status of an answer that is not Folio's; undefined if nothing answered. */
  readonly status: number | undefined
  /** The key that the request was sent with; undefined if it changes nothing. */
  readonly idempotencyKey: string | undefined
  /** @internal */
  constructor(status: number | undefined, idempotencyKey: string | undefined, cause: unknown) {
    super(messageOf(status, cause), { cause })
    this.status = status
    this.idempotencyKey = idempotencyKey
  }
}
