import { SchemaAST, type SchemaIssue } from "effect"
import type { Violation } from "../../../schemas/ApiError.ts"
import { type ErrorCode, errorCodes } from "../../../schemas/ErrorCode.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"
import type { AuthorityRule, Source } from "../../documents/rules/Grounds.ts"

/** The phrase for each type of value in an error message. */
export type TypeNames = Readonly<Record<string, string>>

export const jsonTypes: TypeNames = {
  String: "a string",
  Number: "a number",
  Boolean: "true or false",
  Objects: "an object",
  Arrays: "an array",
  Null: "null"
}

/** A query value is a string or a list of strings. A list instead of a string is a repeated parameter. */
export const queryTypes: TypeNames = { String: "given once" }

/** The violations of a schema issue in the API's form: path, code and message. */
export const issueViolations = (
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<PropertyKey>,
  names: TypeNames
): ReadonlyArray<Violation> => {
  switch (issue._tag) {
    case "Pointer":
      return issueViolations(issue.issue, [...path, ...issue.path], names)
    case "Composite":
      return issue.issues.flatMap((inner) => issueViolations(inner, path, names))
    case "Encoding":
      return issueViolations(issue.issue, path, names)
    case "MissingKey":
      return [missing(path)]
    case "UnexpectedKey":
      return [unexpected(path, issue.ast)]
    case "Filter":
      return [annotated(path, issue.filter.annotations)]
    case "InvalidType":
      return [annotated(path, issue.ast.annotations, fullType(issue.ast, mustBe([issue.ast], names)))]
    case "AnyOf": {
      const [only] = issue.issues
      if (only !== undefined && issue.ast.annotations?.["errorCode"] === undefined) {
        return issueViolations(only, path, names)
      }
      return [annotated(path, issue.ast.annotations, mustBe(issue.ast.types, names))]
    }
    default:
      return [violationAt(path, "parameter_invalid", noForm)]
  }
}

const noForm = "does not have the right form"

const mustBe = (types: ReadonlyArray<SchemaAST.AST>, names: TypeNames): string => {
  const known = types.map((type) => names[type._tag])
  return known.length === 0 || known.includes(undefined) ? noForm : `must be ${known.join(" or ")}`
}

/**
 * The required form of a value of another type, from a check of its schema: for example, for a number instead of an
 * amount.
 */
const fullType = ({ checks }: SchemaAST.AST, type: string): string => {
  const messages = checks?.map(({ annotations }) => annotations?.["message"]) ?? []
  const full = messages.find((message) => typeof message === "string" && message.startsWith(`${type} `))
  return typeof full === "string" ? full : type
}

/** The violation of a missing member. The message names the alternative if the schema has one. */
export const missing = (path: ReadonlyArray<PropertyKey>, type?: SchemaAST.AST): Violation => {
  const instead = type?.context?.annotations?.["messageMissingKey"]
  return violationAt(path, "parameter_missing", typeof instead === "string" ? instead : "is required")
}

/**
 * The violation of an unknown member. In a record with free names (`metadata`), the violation of an invalid name. The
 * annotation `fixed` of an update names the fields that only the creation has.
 */
export const unexpected = (path: ReadonlyArray<PropertyKey>, ast: SchemaAST.AST): Violation => {
  const names = SchemaAST.isObjects(ast) ? ast.indexSignatures.map((index) => index.parameter) : []
  for (const name of names) {
    const broken = name.checks?.find(
      (check) => check._tag === "Filter" && check.run(path.at(-1), name, {}) !== undefined
    )
    if (broken !== undefined) return annotated(path, broken.annotations)
  }
  const fixed = ast.annotations?.["fixed"]
  const isFixed = Array.isArray(fixed) && fixed.includes(path.at(-1))
  const message = isFixed
    ? "must be omitted: it cannot be changed"
    : "is not known here; check its spelling or remove it"
  return violationAt(path, "parameter_unknown", message)
}

/**
 * The violation of a failed check, with the code, message and rule of the annotations. Defaults: `parameter_invalid`
 * and `otherwise`.
 */
export const annotated = (
  path: ReadonlyArray<PropertyKey>,
  annotations: Readonly<Record<string, unknown>> | undefined,
  otherwise = noForm
): Violation => {
  const code = annotations?.["errorCode"]
  const message = annotations?.["message"]
  const rule = annotations?.["rule"]
  return violationAt(
    path,
    typeof code === "string" && code in errorCodes ? (code as ErrorCode) : "parameter_invalid",
    typeof message === "string" ? message : otherwise,
    typeof rule === "string" ? (rule as AuthorityRule) : "schema"
  )
}

const violationAt = (
  path: ReadonlyArray<PropertyKey>,
  code: ErrorCode,
  message: string,
  source: Source = "schema"
): Violation => {
  const param = path.map(step).join("")
  const subject = param === "" ? "body" : param
  const sentence = /^(must|is|does)\b/.test(message) ? `${subject} ${message}.` : `${message} (${subject}).`
  return violation(subject, code, sentence, source)
}

const nameMax = 64

/** Shortens a member name for an error message, because a name may be as long as a whole request. */
export const shownName = (name: string): string => (name.length > nameMax ? `${name.slice(0, nameMax)}…` : name)

/** A step of a path: `lines`, then `[0]`, then `.taxes`. Quotes a name that looks like several steps. */
const step = (key: PropertyKey, index: number): string => {
  if (typeof key === "number") return `[${key}]`
  const name = shownName(String(key))
  if (index === 0) return name
  return /^[\w-]+…?$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
}
