import { Predicate, Result, Schema, SchemaAST, type SchemaIssue, SchemaParser } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import type { Violation } from "../../../schemas/ApiError.ts"
import type { Validation } from "../../../schemas/Validation.ts"
import { told, violationsMax } from "../../domain/requests/Violations.ts"
import {
  annotated,
  issueViolations,
  jsonTypes,
  missing,
  queryTypes,
  type TypeNames,
  unexpected
} from "./SchemaErrors.ts"

/*
 * The decoder of a schema checks every item of a list before it counts the items, and builds an issue for every fault.
 * The functions here therefore walk the schema themselves: they check the size limits first, and stop looking once
 * there are more violations than an answer reports.
 */

type Endpoint = Pick<HttpApiEndpoint.Top, "payload" | "query">
type Path = ReadonlyArray<PropertyKey>
type Decoder = (value: unknown, options: SchemaAST.ParseOptions) => Result.Result<unknown, SchemaIssue.Issue>

const decoders = new WeakMap<SchemaAST.AST, Decoder>()

const decode = (ast: SchemaAST.AST, value: unknown, errors: "first" | "all") => {
  const known = decoders.get(ast)
  const decoder = known ?? SchemaParser.decodeUnknownResult(Schema.make<Schema.Codec<unknown>>(ast))
  if (known === undefined) decoders.set(ast, decoder)
  return decoder(value, { onExcessProperty: "error", errors })
}

const limits: Readonly<Record<string, string>> = {
  "effect/schema/isMaxLength": "maxLength",
  "effect/schema/isMaxProperties": "maxProperties"
}

/**
 * How many items or members a schema allows a list or a record, with that check's annotations; undefined without a
 * limit.
 */
export const limitOf = (ast: SchemaAST.AST) => {
  for (const { annotations } of ast.checks ?? []) {
    const { id = "", payload } = (annotations?.["representation"] ?? {}) as { id?: string; payload?: object }
    const max: unknown = Object(payload)[limits[id] ?? ""]
    if (typeof max === "number") return { max, annotations }
  }
  return undefined
}

const isStruct = (ast: SchemaAST.AST): ast is SchemaAST.Objects =>
  SchemaAST.isObjects(ast) && ast.indexSignatures.length === 0

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Predicate.isObject(value) && !Array.isArray(value)

const hasParts = (ast: SchemaAST.AST): boolean => SchemaAST.isArrays(ast) || SchemaAST.isObjects(ast)

/** The schema of a value that is not null, where the schema also allows null; else the same schema. */
const present = (ast: SchemaAST.AST): SchemaAST.AST => {
  if (!SchemaAST.isUnion(ast)) return ast
  const [only, ...others] = ast.types.filter((type) => !SchemaAST.isNull(type))
  return only !== undefined && others.length === 0 && hasParts(only) ? only : ast
}

const isTooLong = (ast: SchemaAST.AST, value: unknown): boolean => {
  const max = limitOf(ast)?.max
  if (max === undefined) return false
  if (SchemaAST.isArrays(ast)) return Array.isArray(value) && value.length > max
  return SchemaAST.isObjects(ast) && isObject(value) && Object.keys(value).length > max
}

const none: ReadonlyArray<string> = []

/** The optional members that an object of this content needs: those that the annotation `needs` of its schema names. */
const needed = (ast: SchemaAST.Objects, value: object): ReadonlyArray<string> => {
  const needs = ast.annotations?.["needs"] as ((value: object) => ReadonlyArray<string>) | undefined
  return needs === undefined ? none : needs(value)
}

/**
 * Whether any list, record or object in the value is too large, or lacks a member that its content needs; such a value
 * is never decoded as a whole.
 */
const isUnfit = (ast: SchemaAST.AST, value: unknown): boolean => {
  if (isTooLong(ast, value)) return true
  if (SchemaAST.isArrays(ast) && Array.isArray(value)) {
    const [item] = ast.rest
    return item !== undefined && value.some((one) => isUnfit(item, one))
  }
  if (!isStruct(ast) || !isObject(value)) return false
  const known = ast.propertySignatures
  return (
    Object.keys(value).length > known.length + violationsMax ||
    needed(ast, value).some((name) => !Object.hasOwn(value, name)) ||
    known.some(({ name, type }) => {
      const part = present(type)
      return hasParts(part) && isUnfit(part, value[String(name)])
    })
  )
}

/** A part of a body that does not fit its schema: an unknown member, or a value that is missing or wrong. */
export interface Fault {
  readonly path: Path
  readonly isUnknown?: true
}

class Found {
  /** The whole value as its schema decodes it; undefined if it has violations. */
  decoded: unknown
  readonly violations: Array<Violation> = []
  readonly faults: Array<Fault> = []
  private readonly params = new Set<string>()
  private readonly names: TypeNames

  constructor(names: TypeNames) {
    this.names = names
  }

  /** Whether one more violation than an answer reports has been found, so that the search can stop. */
  get isFull(): boolean {
    return this.violations.length > violationsMax
  }

  /** Keeps only the first violation of each parameter. */
  add(violation: Violation, fault: Fault): void {
    if (this.isFull) return
    this.faults.push(fault)
    if (this.params.has(violation.param)) return
    this.params.add(violation.param)
    this.violations.push(violation)
  }

  addIssue(path: Path, result: Result.Result<unknown, SchemaIssue.Issue>): void {
    if (Result.isFailure(result))
      issueViolations(result.failure, path, this.names).forEach((one) => this.add(one, { path }))
  }
}

const noMembers = Schema.Struct({}).ast

/** Gives the value as its schema decodes it, or adds its violations to `found`. */
const look = (schema: SchemaAST.AST, value: unknown, path: Path, found: Found): unknown => {
  const ast = value === null ? schema : present(schema)
  if (isTooLong(ast, value)) return found.add(annotated(path, limitOf(ast)?.annotations), { path })
  // The decoder lets a struct without members have any members, so the members of such a struct are checked below.
  const decoded = ast === noMembers || isUnfit(ast, value) ? undefined : decode(ast, value, "first")
  if (decoded !== undefined && Result.isSuccess(decoded)) return decoded.success
  const before = found.violations.length
  if (isStruct(ast) && isObject(value)) lookAtMembers(ast, value, path, found)
  else if (SchemaAST.isArrays(ast) && Array.isArray(value)) lookAtItems(ast, value, path, found)
  else return found.addIssue(path, decode(ast, value, "all"))
  // Each part is valid by itself, so the violation is one of the whole value.
  if (found.violations.length > before || found.isFull) return undefined
  const whole = decode(ast, value, "first")
  found.addIssue(path, whole)
  return Result.getOrUndefined(whole)
}

const lookAtMembers = (
  ast: SchemaAST.Objects,
  value: Readonly<Record<string, unknown>>,
  path: Path,
  found: Found
): void => {
  const names = new Set(ast.propertySignatures.map(({ name }) => name))
  for (const name of Object.keys(value)) {
    if (found.isFull) return
    if (!names.has(name)) {
      const at = [...path, name]
      found.add(unexpected(at, ast), { path: at, isUnknown: true })
    }
  }
  const needs = needed(ast, value)
  for (const { name, type } of ast.propertySignatures) {
    if (found.isFull) return
    const at = [...path, name]
    if (Object.hasOwn(value, name)) look(type, value[String(name)], at, found)
    else if (!SchemaAST.isOptional(type) || needs.includes(String(name))) found.add(missing(at, type), { path: at })
  }
}

const lookAtItems = (ast: SchemaAST.Arrays, value: ReadonlyArray<unknown>, path: Path, found: Found): void => {
  const [item] = ast.rest
  for (const [index, one] of value.entries()) {
    if (found.isFull || item === undefined) return
    look(item, one, [...path, index], found)
  }
}

const foundIn = (ast: SchemaAST.AST, value: unknown, names: TypeNames): Found => {
  const found = new Found(names)
  found.decoded = look(ast, value, [], found)
  return found
}

/** The path to the first string with U+0000 in a value; undefined when there is none. */
const nulIn = (value: unknown): Path | undefined => {
  if (typeof value === "string") return value.includes("\0") ? [] : undefined
  if (typeof value !== "object" || value === null) return undefined
  for (const [key, part] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const found = nulIn(part)
    if (found !== undefined) return [key, ...found]
  }
  return undefined
}

const noNul = { message: "must not hold the character U+0000, which cannot be stored" }

/** Whether a string in a value holds U+0000. */
export const holdsNul = (value: unknown): boolean => nulIn(value) !== undefined

/**
 * A body as its schema decodes it; or its violations, at most one more than an answer reports, and the parts of the
 * body that have them: none if the search stopped before its end. U+0000 is refused even in free text, because
 * PostgreSQL refuses the whole statement that holds the character, and other requests may share that statement.
 */
export const decodeBody = (
  { payload }: Endpoint,
  body: unknown
): {
  readonly decoded: unknown
  readonly violations: ReadonlyArray<Violation>
  readonly faults: ReadonlyArray<Fault>
} => {
  const [schema] = payload.get("application/json")?.schemas ?? []
  if (schema === undefined) return { decoded: undefined, violations: [], faults: [] }
  const { decoded, faults, isFull, violations } = foundIn(schema.ast, body, jsonTypes)
  const nul = violations.length === 0 ? nulIn(body) : undefined
  if (nul !== undefined) return { decoded: undefined, violations: [annotated(nul, noNul)], faults: [] }
  return { decoded, violations, faults: isFull ? [] : faults }
}

/**
 * Violations in the order of the document: by top-level member as its schema lists them, after the unknown ones, and by
 * item. Objects that are missing come last, because the first violation gives the status code. Only the first violation
 * of each parameter is kept.
 */
export const inOrder = ({ payload }: Endpoint, violations: ReadonlyArray<Violation>): ReadonlyArray<Violation> => {
  const ast = payload.get("application/json")?.schemas[0]?.ast
  const members = ast !== undefined && isStruct(ast) ? ast.propertySignatures.map(({ name }) => name) : []
  const placed = violations.map((violation) => {
    const [, member = "", item = "0"] = /^([^.[]*)(?:\[(\d+)\])?/.exec(violation.param) ?? []
    const place = violation.code === "resource_missing" ? members.length : members.indexOf(member)
    return { violation, place, item: Number(item) }
  })
  placed.sort((one, other) => one.place - other.place || one.item - other.item)
  const params = new Set<string>()
  return placed.flatMap(({ violation }) => {
    if (params.has(violation.param)) return []
    params.add(violation.param)
    return [violation]
  })
}

/** The violations of a query. An endpoint without a query schema accepts no parameters. */
export const queryViolations = (
  { query }: Endpoint,
  sent: Readonly<Record<string, unknown>>
): ReadonlyArray<Violation> => {
  const ast = query?.ast ?? noMembers
  const lists = SchemaAST.isObjects(ast) ? ast.propertySignatures.filter(({ type }) => SchemaAST.isArrays(type)) : []
  // A list parameter that is sent once arrives as a string, not as a list.
  const alone = lists.flatMap(({ name }) => {
    const value = sent[String(name)]
    return typeof value === "string" ? [[name, [value]]] : []
  })
  return foundIn(ast, { ...sent, ...Object.fromEntries(alone) }, queryTypes).violations
}

/**
 * The answer to a validation request: whether the body is valid, its violations, and what the authority would remark on
 * without rejecting the document. The size of the answer is limited as a whole; violations go before warnings.
 */
export const validationOf = (
  violations: ReadonlyArray<Violation>,
  warnings: ReadonlyArray<Violation> = []
): Validation => {
  const all = told([...violations, ...warnings]).errors
  const [errors, remarks] = [all.slice(0, violations.length), all.slice(violations.length)]
  return {
    object: "validation",
    valid: violations.length === 0,
    errors,
    ...(errors.length < violations.length ? { has_more_errors: true } : {}),
    ...(remarks.length === 0 ? {} : { warnings: remarks })
  }
}

export const verdict = (violations: ReadonlyArray<Violation>): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(validationOf(violations)), { contentType: "application/json" })
