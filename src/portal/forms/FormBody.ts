import type { Violation } from "../../../schemas/ApiError.ts"

/*
 * A form's fields are named as the API names them in errors (`param`): `identification.type`, `lines[0].taxes[0].code`,
 * `metadata.order`. So a value finds its place in the body by its name, and a violation finds its field.
 */

/** A place in a body: names of members and positions in lists. */
type Steps = ReadonlyArray<string | number>

// More positions than any list of the API has, so that a forged name makes no long list.
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

/** The steps of a path such as `lines[0].description` or `metadata["a key"]`; undefined for a name that is no path. */
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

/** The path of some steps, as the API writes it. */
export const pathTo = (steps: Steps): string =>
  steps
    .map((one, index) => {
      if (typeof one === "number") return `[${one}]`
      if (index === 0) return one
      return /^[\w-]+$/.test(one) ? `.${one}` : `[${JSON.stringify(one)}]`
    })
    .join("")

/**
 * How a field becomes a member of the body. `text`: without white space around it. `raw`: exactly as it is typed. `number`: as a number, if it is one. `boolean`: of `true` and
 * `false`. `list`: each value that is sent under the name. `words`: the words of one text, parted by commas or spaces.
 */
type Kind = "text" | "raw" | "number" | "boolean" | "list" | "words"

/** What an empty field means: it is sent `as-is`, left out of the body, or sent as `null`, which removes the value that is there. */
type Empty = "as-is" | "omit" | "null"

export interface FieldShape {
  readonly kind?: Kind
  readonly empty?: Empty
}

/** The fields that a form may send, by their path. `[]` stands for every position of a list: `lines[].description`. */
export type FormShape = Readonly<Record<string, FieldShape>>

const numeric = /^-?\d{1,15}(\.\d{1,12})?$/

/** A text with its lines ended as the API takes them: a browser ends them with CR LF. */
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

/** A tree as JSON: a list where every step is a position, in order and without holes, else an object. */
const plain = (value: unknown): unknown => {
  if (!(value instanceof Map)) return value
  const entries = [...(value as Node)]
  if (entries.length > 0 && entries.every(([key]) => typeof key === "number")) {
    return entries.toSorted(([one], [other]) => Number(one) - Number(other)).map(([, inside]) => plain(inside))
  }
  return Object.fromEntries(entries.map(([key, inside]) => [String(key), plain(inside)]))
}

/** A path with `[]` for each position, as shapes have it. */
const general = (path: string) => path.replaceAll(/\[\d+\]/g, "[]")

/** The fields of a form that was sent: their names, and all values of each. */
export interface SentFields {
  readonly names: ReadonlyArray<string>
  readonly all: (name: string) => ReadonlyArray<string>
}

/**
 * The body that a form means. Only fields of the shape count; all others (the token, what somebody adds) are left out. A list that no
 * box was ticked of is empty, though the browser sends nothing of it.
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

/** The values that the fields of a form have. */
export type FormValues = ReadonlyMap<string, ReadonlyArray<string>>

/** The values that a form was sent with, to show it again. */
export const sentValues = ({ all, names }: SentFields): FormValues => new Map(names.map((name) => [name, all(name)]))

/** The values of a form that changes an object: each text, number and boolean by its path, and a list of texts under one path. */
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

/** The messages of a refused form: those of each field, and the violations that belong to no field. */
export interface FormFaults {
  /** All messages for a field, as one text; undefined without any. */
  readonly of: (path: string) => string | undefined
  /** Whether a violation belongs to a field. */
  readonly isNamed: (param: string) => boolean
}

/** What a form shows: the values of its fields, and what is wrong with them. */
export interface ShownForm {
  readonly values: FormValues
  readonly faults: FormFaults
}

export const noFaults: FormFaults = { of: () => undefined, isNamed: () => false }

/** The field that a violation belongs to: its own, that of the list or the object around it, or the first one inside of it. */
const fieldOf = (param: string, paths: ReadonlyArray<string>): string | undefined => {
  if (paths.includes(param)) return param
  const inside = paths.find((path) => path.startsWith(`${param}.`) || path.startsWith(`${param}[`))
  if (inside !== undefined) return inside
  const steps = stepsOf(param) ?? []
  const around = steps.slice(1).map((_, index) => pathTo(steps.slice(0, steps.length - 1 - index)))
  return around.find((path) => paths.includes(path))
}

/** Sorts the violations of a refusal, if there was one, to the fields of a form, which are named by their paths. */
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
