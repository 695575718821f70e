import { Schema } from "effect"
import { ErrorCode, errorCodes } from "./ErrorCode.ts"
import { field } from "./Field.ts"

/**
 * A rule that a request breaks. `param` is a path such as `lines[0].taxes[0].code`. If a rule of the authority would
 * reject the document, `rule` is its code.
 */
export class Violation extends Schema.Opaque<Violation>()(
  Schema.Struct({
    param: Schema.String,
    code: ErrorCode,
    message: Schema.String,
    rule: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "Violation", description: "A rule that the request breaks." })
) {}

/**
 * The field that marks a list of violations as incomplete.
 *
 * @internal
 */
export const hasMoreErrors = field(
  Schema.optionalKey(Schema.Literal(true)),
  "`true` if the request breaks more rules than `errors` lists. `errors` lists at most 100. Absent otherwise."
)

/**
 * An error of the API. `code` is a code under `/docs/errors` and determines the HTTP status. `message` explains what to
 * do. If a custom port or route fails with an `ApiError`, the client gets the error as JSON.
 */
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

  /** An error with all violations of a request. `code`, `message` and `param` repeat the first violation. */
  static fromViolations(violations: readonly [Violation, ...ReadonlyArray<Violation>]): ApiError {
    const [{ code, message, param }] = violations
    return new ApiError({ code, message, param, errors: violations })
  }

  static missing(what: string, id: string, param?: string): ApiError {
    return new ApiError({
      code: "resource_missing",
      message: `There is no ${what} ${JSON.stringify(id.slice(0, 64))} for this key. Check the id, and that it was created with a key of the same mode.`,
      ...(param === undefined ? {} : { param })
    })
  }

  /** The error for an id in a command of the operator, who has no API key. `list` is the command that lists the ids. */
  static missingForOperator(what: string, id: string, list: string): ApiError {
    return new ApiError({
      code: "resource_missing",
      message: `There is no ${what} ${JSON.stringify(id)}. To list them, run: folio ${list}`
    })
  }
}
