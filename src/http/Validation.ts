import { Predicate, Result, Schema, SchemaAST, type SchemaIssue, SchemaParser } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import type { Violation } from "../../schemas/ApiError.ts"
import { violationsMax } from "../domain/Violations.ts"
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
 * The decoder of a schema looks at every item of a list before it counts them, and makes something of everything that is wrong.
 * So the schema is gone through here: what has a limit is counted first, and no more faults are looked for than are told.
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

/** How many items a list or a record may have, and how a schema calls that. */
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

const isTooLong = (ast: SchemaAST.AST, value: unknown): boolean => {
  const max = limitOf(ast)?.max
  if (max === undefined) return false
  if (SchemaAST.isArrays(ast)) return Array.isArray(value) && value.length > max
  return SchemaAST.isObjects(ast) && isObject(value) && Object.keys(value).length > max
}

/** Whether there is too much of anything: then the value is never decoded as a whole. */
const isOvergrown = (ast: SchemaAST.AST, value: unknown): boolean => {
  if (isTooLong(ast, value)) return true
  if (SchemaAST.isArrays(ast) && Array.isArray(value)) {
    const [item] = ast.rest
    return item !== undefined && value.some((one) => isOvergrown(item, one))
  }
  if (!isStruct(ast) || !isObject(value)) return false
  const known = ast.propertySignatures
  return (
    Object.keys(value).length > known.length + violationsMax ||
    known.some(({ name, type }) => hasParts(type) && isOvergrown(type, value[String(name)]))
  )
}

class Found {
  readonly violations: Array<Violation> = []
  private readonly params = new Set<string>()
  private readonly names: TypeNames

  constructor(names: TypeNames) {
    this.names = names
  }

  /** One more than are told has been found. */
  get isFull(): boolean {
    return this.violations.length > violationsMax
  }

  /** Of what is wrong with one parameter the first is told. */
  add(violation: Violation): void {
    if (this.isFull || this.params.has(violation.param)) return
    this.params.add(violation.param)
    this.violations.push(violation)
  }

  addIssue(path: Path, result: Result.Result<unknown, SchemaIssue.Issue>): void {
    if (Result.isFailure(result)) issueViolations(result.failure, path, this.names).forEach((one) => this.add(one))
  }
}

const noMembers = Schema.Struct({}).ast

const look = (ast: SchemaAST.AST, value: unknown, path: Path, found: Found): void => {
  if (isTooLong(ast, value)) return found.add(annotated(path, limitOf(ast)?.annotations))
  // The decoder takes a struct without members for one that may have any.
  const isRight = ast !== noMembers && !isOvergrown(ast, value) && Result.isSuccess(decode(ast, value, "first"))
  if (isRight) return
  const before = found.violations.length
  if (isStruct(ast) && isObject(value)) lookAtMembers(ast, value, path, found)
  else if (SchemaAST.isArrays(ast) && Array.isArray(value)) lookAtItems(ast, value, path, found)
  else return found.addIssue(path, decode(ast, value, "all"))
  // Each part is right by itself: what is wrong is said of the whole.
  if (found.violations.length === before && !found.isFull) found.addIssue(path, decode(ast, value, "first"))
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
    if (!names.has(name)) found.add(unexpected([...path, name], ast))
  }
  for (const { name, type } of ast.propertySignatures) {
    if (found.isFull) return
    const at = [...path, name]
    if (Object.hasOwn(value, name)) look(type, value[String(name)], at, found)
    else if (!SchemaAST.isOptional(type)) found.add(missing(at))
  }
}

const lookAtItems = (ast: SchemaAST.Arrays, value: ReadonlyArray<unknown>, path: Path, found: Found): void => {
  const [item] = ast.rest
  for (const [index, one] of value.entries()) {
    if (found.isFull || item === undefined) return
    look(item, one, [...path, index], found)
  }
}

const violationsIn = (ast: SchemaAST.AST, value: unknown, names: TypeNames): ReadonlyArray<Violation> => {
  const found = new Found(names)
  look(ast, value, [], found)
  return found.violations
}

/** Where a value has its first text with U+0000. */
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

/**
 * What is wrong with a body: as much as is told, and one more where there is more. U+0000 is in no body, not even where any text will
 * do: PostgreSQL refuses the whole statement that holds it, with what others have asked in that statement.
 */
export const bodyViolations = ({ payload }: Endpoint, body: unknown): ReadonlyArray<Violation> => {
  const [schema] = payload.get("application/json")?.schemas ?? []
  const violations = schema === undefined ? [] : violationsIn(schema.ast, body, jsonTypes)
  const nul = violations.length === 0 ? nulIn(body) : undefined
  return nul === undefined ? violations : [annotated(nul, noNul)]
}

/** What is wrong with a query, of which no parameter is known where the endpoint has none. */
export const queryViolations = (
  { query }: Endpoint,
  sent: Readonly<Record<string, string | ReadonlyArray<string>>>
): ReadonlyArray<Violation> => {
  const ast = query?.ast ?? noMembers
  const lists = SchemaAST.isObjects(ast) ? ast.propertySignatures.filter(({ type }) => SchemaAST.isArrays(type)) : []
  // A list of one is sent as that one.
  const alone = lists.flatMap(({ name }) => {
    const value = sent[String(name)]
    return typeof value === "string" ? [[name, [value]]] : []
  })
  return violationsIn(ast, { ...sent, ...Object.fromEntries(alone) }, queryTypes)
}
