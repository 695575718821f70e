import { Schema } from "effect"
import { ErrorCode, errorCodes } from "./ErrorCode.ts"

/**
 * One thing wrong with a request. `param` is a path such as `lines[0].taxes[0].code`. `rule`: the authority's rule that rejects
 * such a document, where there is one.
 */
export class Violation extends Schema.Opaque<Violation>()(
  Schema.Struct({
    param: Schema.String,
    code: ErrorCode,
    message: Schema.String,
    rule: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "Violation", description: "One thing wrong with a request." })
) {}

/** That the violations told, 100 at most, are not all there are. */
export const hasMoreErrors = Schema.optionalKey(Schema.Literal(true)).annotateKey({
  description: "Only where more is wrong than `errors` tells, which is 100 things at most."
})

/** The error of the interface: the same class from the rule that finds it, through actors, to the wire. */
export class ApiError extends Schema.TaggedError<ApiError>()("ApiError", {
  code: ErrorCode,
  message: Schema.String,
  param: Schema.optionalKey(Schema.String),
  errors: Schema.optionalKey(Schema.Array(Violation)),
  has_more_errors: hasMoreErrors,
  /** Further response headers, such as `Allow`. */
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
}) {
  get status(): number {
    return errorCodes[this.code].status
  }

  /** All that is wrong with a request at once; the first is mirrored in `code`, `message` and `param`. */
  static fromViolations(violations: readonly [Violation, ...ReadonlyArray<Violation>]): ApiError {
    const [{ code, message, param }] = violations
    return new ApiError({ code, message, param, errors: violations })
  }

  static missing(what: string, id: string, param?: string): ApiError {
    return new ApiError({
      code: "resource_missing",
      message: `There is no ${what} ${JSON.stringify(id.slice(0, 64))} for this key. Check the id, and that it was made with a key of the same mode.`,
      ...(param === undefined ? {} : { param })
    })
  }
}
