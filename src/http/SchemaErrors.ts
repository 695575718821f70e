import type { SchemaIssue } from "effect"
import type { HttpApiError } from "effect/http-api"
import { ApiError, type ErrorCode, errorCodes, type Violation } from "../../schemas/ApiError.ts"

/** All that a schema found wrong with a request, as the interface says it: a path, a code and what to do. */
export const fromSchemaError = (error: HttpApiError.HttpApiSchemaError): ApiError => {
  const violations = collect(error.cause.issue, [])
  const [first, ...rest] = violations.filter(
    (violation, index) => violations.findIndex((other) => other.param === violation.param) === index
  )
  return ApiError.fromViolations([
    first ?? { param: "body", code: "parameter_invalid", message: "The request does not have the form it must have." },
    ...rest
  ])
}

const collect = (issue: SchemaIssue.Issue, path: ReadonlyArray<PropertyKey>): ReadonlyArray<Violation> => {
  switch (issue._tag) {
    case "Pointer":
      return collect(issue.issue, [...path, ...issue.path])
    case "Composite":
      return issue.issues.flatMap((inner) => collect(inner, path))
    case "Encoding":
      return collect(issue.issue, path)
    case "MissingKey":
      return [violation(path, "parameter_missing", "is required")]
    case "UnexpectedKey":
      return [violation(path, "parameter_unknown", "is not known here; check its spelling or remove it")]
    case "Filter":
      return [annotated(path, issue.filter.annotations)]
    case "InvalidType":
      return [annotated(path, issue.ast.annotations, expected[issue.ast._tag])]
    case "AnyOf": {
      const [only] = issue.issues
      if (only !== undefined && issue.ast.annotations?.["errorCode"] === undefined) return collect(only, path)
      return [annotated(path, issue.ast.annotations)]
    }
    default:
      return [violation(path, "parameter_invalid", "does not have the right form")]
  }
}

const expected: Readonly<Record<string, string>> = {
  String: "must be a string",
  Number: "must be a number",
  Boolean: "must be true or false",
  Objects: "must be an object",
  Arrays: "must be an array"
}

const annotated = (
  path: ReadonlyArray<PropertyKey>,
  annotations: Readonly<Record<string, unknown>> | undefined,
  otherwise = "does not have the right form"
): Violation => {
  const code = annotations?.["errorCode"]
  const message = annotations?.["message"]
  return violation(
    path,
    typeof code === "string" && code in errorCodes ? (code as ErrorCode) : "parameter_invalid",
    typeof message === "string" ? message : otherwise
  )
}

const violation = (path: ReadonlyArray<PropertyKey>, code: ErrorCode, message: string): Violation => {
  const param = path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`),
    ""
  )
  const subject = param === "" ? "body" : param
  return {
    param: subject,
    code,
    message: /^(must|is|does)\b/.test(message) ? `${subject} ${message}.` : `${message} (${subject}).`
  }
}
