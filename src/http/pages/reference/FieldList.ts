import { type Html, html, words } from "../Html.ts"
import { type FieldSchema, type Parameter, schemas } from "./Resources.ts"

const depthMax = 5

/** The schema that a `$ref` names. Annotations next to the `$ref` override the schema's annotations. */
const resolved = (schema: FieldSchema): FieldSchema => {
  const { $ref, ...own } = schema
  if ($ref === undefined) return schema
  return resolved({ ...schemas[$ref.slice("#/components/schemas/".length)], ...own })
}

const isNull = (schema: FieldSchema) => schema.type === "null"

const essences = new WeakMap<FieldSchema, FieldSchema>()

/** The schema without `$ref` and without null. For a union of a schema and null, that schema. */
const essence = (schema: FieldSchema): FieldSchema => {
  const known = essences.get(schema) ?? essenceOf(schema)
  essences.set(schema, known)
  return known
}

const essenceOf = (schema: FieldSchema): FieldSchema => {
  const { anyOf, ...own } = resolved(schema)
  const [only, more] = anyOf?.filter((one) => !isNull(one)) ?? []
  if (anyOf === undefined) return own
  return only === undefined || more !== undefined ? { ...own, anyOf } : { ...resolved(only), ...own }
}

const mayBeNull = (schema: FieldSchema) => resolved(schema).anyOf?.some(isNull) === true

const typeOf = (schema: FieldSchema): string => {
  const { anyOf, format, items, type } = essence(schema)
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(" or ")
  if (type === "array") return `array of ${typeOf(items ?? {})}s`.replace(/objectss?$/, "objects")
  return format === undefined ? (type ?? "any") : `${type}, ${format}`
}

const range = (least: number | undefined, most: number | undefined, unit: string): ReadonlyArray<string> => {
  if (most === undefined) return least === undefined || least <= 1 ? [] : [`at least ${least}${unit}`]
  return [least === undefined || least === 0 ? `at most ${most}${unit}` : `${least} to ${most}${unit}`]
}

const limitsOf = (schema: FieldSchema): ReadonlyArray<string> => {
  const { maxItems, maxLength, maximum, minItems, minLength, minimum } = essence(schema)
  return [
    ...range(minLength, maxLength, " characters"),
    ...range(minItems, maxItems, " items"),
    ...(maximum !== undefined && maximum >= Number.MAX_SAFE_INTEGER
      ? range(minimum, undefined, "")
      : range(minimum, maximum, ""))
  ]
}

const valuesOf = (schema: FieldSchema): ReadonlyArray<unknown> => {
  const { items, ...own } = essence(schema)
  const values = own.enum ?? (own.const === undefined ? undefined : [own.const])
  return values ?? (items === undefined ? [] : (essence(items).enum ?? []))
}

/** The pattern of a field, if people can read it. Descriptions already explain the patterns of ids and times. */
const patternOf = (schema: FieldSchema): string | undefined => {
  const { format, pattern } = essence(schema)
  return format !== undefined || pattern === undefined || pattern.length > 40 || /_\[|\\d\{4\}|\|/.test(pattern)
    ? undefined
    : pattern
}

interface Field {
  readonly name: string
  readonly schema: FieldSchema
  readonly isRequired: boolean
  readonly description: string
}

const membersOf = (schema: FieldSchema): ReadonlyArray<Field> => {
  const { items, properties, required = [] } = essence(schema)
  if (items !== undefined) return membersOf(items)
  return Object.entries(properties ?? {}).map(([name, member]) => ({
    name,
    schema: member,
    isRequired: required.includes(name),
    description: essence(member).description ?? ""
  }))
}

const code = (text: string) => html`<code>${text}</code>`

const valuesShown = (schema: FieldSchema): Html => {
  const values = valuesOf(schema).map((value) => html`<li>${code(String(value))}</li>`)
  if (values.length === 0) return html``
  const list = html`<ul class="values" aria-label="Values">
    ${values}
  </ul>`
  return values.length > 12
    ? html`<details>
        <summary>${values.length} values</summary>
        ${list}
      </details>`
    : list
}

type Shown = "sent" | "answered"

const fieldShown = (field: Field, shown: Shown, depth: number): Html => {
  const { description, isRequired, name, schema } = field
  const pattern = patternOf(schema)
  const facts = [typeOf(schema) + (mayBeNull(schema) ? " or null" : ""), ...limitsOf(schema)].join(", ")
  const needed = shown === "sent" && isRequired ? html` <b class="required">required</b>` : html``
  const sometimes = shown === "answered" && !isRequired ? html` <span class="type">sometimes</span>` : html``
  const members = depth < depthMax ? membersOf(schema) : []
  return html`<li>
    <p class="field">${code(name)} <span class="type">${facts}</span>${needed}${sometimes}</p>
    ${
      description === "" ? null : html`<p>${words(description)}</p>`
    }${pattern === undefined ? null : html`<p class="type">Pattern ${code(pattern)}</p>`}${valuesShown(schema)}${
      members.length === 0
        ? null
        : html`<details>
            <summary>Fields of ${code(name)}</summary>
            ${list(members, shown, depth + 1)}
          </details>`
    }
  </li>`
}

const list = (fields: ReadonlyArray<Field>, shown: Shown, depth: number): Html =>
  html`<ul class="fields">
    ${fields.map((field) => fieldShown(field, shown, depth))}
  </ul>`

/** The fields of a body, each with its own fields below. Null without fields. */
export const fieldsOf = (schema: FieldSchema | undefined, shown: Shown): Html | null => {
  const members = schema === undefined ? [] : membersOf(schema)
  return members.length === 0 ? null : list(members, shown, 0)
}

/** Parameters of one kind: path, query or header. */
export const parametersOf = (parameters: ReadonlyArray<Parameter>, shown: Shown): Html =>
  list(
    parameters.map(({ description = "", name, required = false, schema }) => ({
      name,
      schema,
      isRequired: required,
      description
    })),
    shown,
    0
  )
