import type { Violation } from "../../../schemas/ApiError.ts"

/*
 * Form fields have the names that the API uses in errors (`param`): `identification.type`, `lines[0].taxes[0].code`,
 * `metadata.order`. The name of a field gives its place in the body, and the `param` of a violation gives its field.
 */

/** A place in a body: names of members and positions in lists. */
type Steps = ReadonlyArray<string | number>

// More than any list of the API has. Keeps a forged name from making a long list.
const indexMax = 499
const stepsMax = 8
const step = /(?:^|\.)([\w-]+)|\[(\d{1,3})\]|\[("(?:[^"\\]|\\.)*")\]/y

const quoted = (text: string): string | undefined => {
  try {
    return JSON.parse(text) as string
  } catch {
    return undefined
  }
}

/** The steps of a path such as `lines[0].description` or `metadata["a key"]`. Undefined if the name is not a path. */
export const stepsOf = (path: string): Steps | undefined => {
  const steps: Array<string | number> = []
  step.lastIndex = 0
  while (step.lastIndex < path.length) {
    const [, name, index, text] = step.exec(path) ?? []
    const next = name ?? (index === undefined ? text && quoted(text) : Number(index))
    if (next === undefined || (typeof next === "number" && next > indexMax) || steps.length === stepsMax) {
      step.lastIndex = 0
      return undefined
    }
    steps.push(next)
  }
  return steps.length === 0 ? undefined : steps
}

/** The path of the steps, in the API's form. */
export const pathTo = (steps: Steps): string =>
  steps
    .map((one, index) => {
      if (typeof one === "number") return `[${one}]`
      if (index === 0) return one
      return /^[\w-]+$/.test(one) ? `.${one}` : `[${JSON.stringify(one)}]`
    })
    .join("")

/**
 * How a field becomes a member of the body. `text`: trimmed. `raw`: exact. `number`: a number, if the text is one.
 * `boolean`: from `true` and `false`. `list`: all values of the name. `words`: the words of one text, separated by
 * commas, semicolons or white space.
 */
type Kind = "text" | "raw" | "number" | "boolean" | "list" | "words"

/** The meaning of an empty field: sent `as-is`, omitted, or sent as `null`, which removes the current value. */
type Empty = "as-is" | "omit" | "null"

export interface FieldShape {
  readonly kind?: Kind
  readonly empty?: Empty
}

/** The fields that a form may send, by their path. `[]` matches every position of a list: `lines[].description`. */
export type FormShape = Readonly<Record<string, FieldShape>>

const numeric = /^-?\d{1,15}(\.\d{1,12})?$/

/** Replaces the CR LF line breaks of browsers by LF. */
export const typed = (value: string): string => value.replaceAll("\r\n", "\n")

const valueOf = (kind: Kind, [first = "", ...more]: ReadonlyArray<string>): unknown => {
  switch (kind) {
    case "text":
      return typed(first).trim()
    case "raw":
      return typed(first)
    case "number":
      return numeric.test(first.trim()) ? Number(first) : first
    case "boolean":
      return first === "true" ? true : first === "false" ? false : first
    case "list":
      return [first, ...more].filter((one) => one !== "")
    case "words":
      return first.split(/[\s,;]+/).filter((one) => one !== "")
  }
}

const isEmpty = (value: unknown) => value === "" || (Array.isArray(value) && value.length === 0)

type Node = Map<string | number, unknown>

const put = (root: Node, steps: Steps, value: unknown): void => {
  const last = steps.at(-1)
  let node = root
  for (const one of steps.slice(0, -1)) {
    const inside = node.get(one)
    const next: Node = inside instanceof Map ? inside : new Map()
    node.set(one, next)
    node = next
  }
  if (last !== undefined) node.set(last, value)
}

/** A tree as JSON. Makes a list, in order and without gaps, if every step is a position; otherwise an object. */
const plain = (value: unknown): unknown => {
  if (!(value instanceof Map)) return value
  const entries = [...(value as Node)]
  if (entries.length > 0 && entries.every(([key]) => typeof key === "number")) {
    return entries.toSorted(([one], [other]) => Number(one) - Number(other)).map(([, inside]) => plain(inside))
  }
  return Object.fromEntries(entries.map(([key, inside]) => [String(key), plain(inside)]))
}

/** A path with `[]` for each position, as in shapes. */
const general = (path: string) => path.replaceAll(/\[\d+\]/g, "[]")

/** The fields of a sent form: their names and all their values. */
export interface SentFields {
  readonly names: ReadonlyArray<string>
  readonly all: (name: string) => ReadonlyArray<string>
}

/**
 * Makes the API body from a form. Uses only fields of the shape, not the token or forged fields. A list without a
 * checked box is empty, although the browser sends no value for it.
 */
export const bodyOf = (fields: SentFields, shape: FormShape): Record<string, unknown> => {
  const root: Node = new Map()
  const lists = Object.keys(shape).filter((path) => shape[path]?.kind === "list" && !path.includes("[]"))
  for (const path of new Set([...fields.names, ...lists])) {
    const steps = stepsOf(path)
    const key = general(path)
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined
    if (steps === undefined || field === undefined) continue
    const { empty = "as-is", kind = "text" } = field
    const value = valueOf(kind, fields.all(path))
    if (!isEmpty(value) || empty === "as-is") put(root, steps, value)
    else if (empty === "null") put(root, steps, null)
  }
  return plain(root) as Record<string, unknown>
}

/** The field values of a form. */
export type FormValues = ReadonlyMap<string, ReadonlyArray<string>>

/** The sent values of a form, to show it again. */
export const sentValues = ({ all, names }: SentFields): FormValues => new Map(names.map((name) => [name, all(name)]))

/**
 * The values of a form that changes an object: texts, numbers and booleans by path, and a list of texts under one path.
 */
export const valuesOf = (object: unknown): FormValues => {
  const values = new Map<string, ReadonlyArray<string>>()
  const visit = (value: unknown, steps: Steps): void => {
    if (value === null || value === undefined) return
    if (Array.isArray(value) && value.every((one) => typeof one !== "object")) {
      values.set(pathTo(steps), value.map(String))
    } else if (typeof value === "object") {
      for (const [key, inside] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
        visit(inside, [...steps, key])
      }
    } else values.set(pathTo(steps), [String(value)])
  }
  visit(object, [])
  return values
}

export const firstOf = (values: FormValues, path: string): string => values.get(path)?.[0] ?? ""

/** The error messages of a rejected form, by field. */
export interface FormFaults {
  /** All messages for a field, as one text. Undefined if the field has none. */
  readonly of: (path: string) => string | undefined
  /** Whether a violation belongs to a field. */
  readonly isNamed: (param: string) => boolean
}

/** The content of a form: its values and its errors. */
export interface ShownForm {
  readonly values: FormValues
  readonly faults: FormFaults
}

export const noFaults: FormFaults = { of: () => undefined, isNamed: () => false }

/** The field of a violation: an exact match, or the first field inside, or the list or object around it. */
const fieldOf = (param: string, paths: ReadonlyArray<string>): string | undefined => {
  if (paths.includes(param)) return param
  const inside = paths.find((path) => path.startsWith(`${param}.`) || path.startsWith(`${param}[`))
  if (inside !== undefined) return inside
  const steps = stepsOf(param) ?? []
  const around = steps.slice(1).map((_, index) => pathTo(steps.slice(0, steps.length - 1 - index)))
  return around.find((path) => paths.includes(path))
}

/** Groups the violations of an error by the fields of a form. `paths`: the names of the fields. */
export const faultsOf = (
  violations: ReadonlyArray<Pick<Violation, "param" | "message">> = [],
  paths: ReadonlyArray<string>
): FormFaults => {
  const found = new Map<string, ReadonlyArray<string>>()
  for (const { message, param } of violations) {
    const field = fieldOf(param, paths)
    if (field !== undefined) found.set(field, [...(found.get(field) ?? []), message])
  }
  return {
    of: (path) => found.get(path)?.join(" "),
    isNamed: (param) => fieldOf(param, paths) !== undefined
  }
}
