import { Predicate, Result, Schema, SchemaAST, type SchemaIssue, SchemaParser } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import type { Violation } from "../../../schemas/ApiError.ts"
import type { Validation } from "../../../schemas/Validation.ts"
import { reported, violationsMax } from "../../runtime/json/Violations.ts"
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
 *
 * The functions here therefore walk the schema themselves. They check the size limits first, and stop if there are more
 * violations than a response reports.
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
 * The largest number of items or members of a list or a record, with the annotations of its check; undefined without a
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

/** The schema without null, if the schema allows null; otherwise the same schema. */
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

/** The optional members that an object with this content needs, by the annotation `needs` of its schema. */
const needed = (ast: SchemaAST.Objects, value: object): ReadonlyArray<string> => {
  const needs = ast.annotations?.["needs"] as ((value: object) => ReadonlyArray<string>) | undefined
  return needs === undefined ? none : needs(value)
}

/**
 * Whether any list, record or object in the value is too large, or lacks a member that its content needs. The decoder
 * never gets such a value as a whole.
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

/** A part of a body that doesn't fit its schema: an unknown member, or a missing or wrong value. */
export interface Fault {
  readonly path: Path
  readonly isUnknown?: true
}

class Found {
  /** The whole decoded value; undefined if the value has violations. */
  decoded: unknown
  readonly violations: Array<Violation> = []
  readonly faults: Array<Fault> = []
  private readonly params = new Set<string>()
  private readonly names: TypeNames

  constructor(names: TypeNames) {
    this.names = names
  }

  /** Whether the search can stop, with one more violation than a response reports. */
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

/** Returns the decoded value, or adds the violations of the value to `found`. */
const look = (schema: SchemaAST.AST, value: unknown, path: Path, found: Found): unknown => {
  const ast = value === null ? schema : present(schema)
  if (isTooLong(ast, value)) return found.add(annotated(path, limitOf(ast)?.annotations), { path })
  // The decoder allows any members in a struct without members, so the code below checks the members of such a struct.
  const decoded = ast === noMembers || isUnfit(ast, value) ? undefined : decode(ast, value, "first")
  if (decoded !== undefined && Result.isSuccess(decoded)) return decoded.success
  const before = found.violations.length
  if (isStruct(ast) && isObject(value)) lookAtMembers(ast, value, path, found)
  else if (SchemaAST.isArrays(ast) && Array.isArray(value)) lookAtItems(ast, value, path, found)
  else return found.addIssue(path, decode(ast, value, "all"))
  // Each part is valid by itself, so the violation belongs to the whole value.
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

/** The path to the first string with U+0000 in a value; undefined without such a string. */
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
 * Decodes a body, or returns its violations, at most one more than a response reports, and the parts of the body with
 * faults. If the search stopped early, there are no parts.
 *
 * Rejects U+0000 also in free text, because PostgreSQL rejects the whole statement with the character. Other requests
 * may share that statement.
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
 * Sorts violations in the order of the document: unknown members, then the top-level members as the schema lists them,
 * and their items. Missing objects come last, because the first violation decides the status code. Keeps only the first
 * violation of each parameter.
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
  // A list parameter with one value arrives as a string.
  const alone = lists.flatMap(({ name }) => {
    const value = sent[String(name)]
    return typeof value === "string" ? [[name, [value]]] : []
  })
  return foundIn(ast, { ...sent, ...Object.fromEntries(alone) }, queryTypes).violations
}

/**
 * The response to a validation request: whether the body is valid, its violations, and the authority's remarks that
 * don't reject the document. The response has a total size limit. Violations have priority over warnings.
 */
export const validationOf = (
  violations: ReadonlyArray<Violation>,
  warnings: ReadonlyArray<Violation> = []
): Validation => {
  const all = reported([...violations, ...warnings]).errors
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
