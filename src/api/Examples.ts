/** The parts of a JSON Schema that the examples use. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly const?: unknown
  readonly examples?: ReadonlyArray<unknown>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: JsonSchema
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly description?: string
}

export type Schemas = Readonly<Record<string, JsonSchema>>

/** The schema that `$ref` of the schema names. */
export const named = (schema: JsonSchema, schemas: Schemas): JsonSchema | undefined =>
  schema.$ref === undefined ? undefined : schemas[schema.$ref.slice("#/components/schemas/".length)]

const present = (value: unknown) => value !== undefined

/**
 * An example value of the schema: the schema's own example, or a value composed of the examples of its parts. If a
 * required part has no example, it returns undefined and calls `lacking` with the path of that part.
 */
export const exampleOf = (
  schema: JsonSchema,
  schemas: Schemas,
  lacking: (path: string) => void = () => {},
  path = ""
): unknown => {
  const within = (part: JsonSchema, step: string, missing = lacking) => exampleOf(part, schemas, missing, path + step)
  if (schema.examples !== undefined) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.$ref !== undefined) return within(named(schema, schemas) ?? {}, "")
  if (schema.type === "boolean") return false
  if (schema.anyOf !== undefined) {
    const found = schema.anyOf.map((part) => within(part, "", () => {})).find(present)
    if (found === undefined) lacking(path)
    return found
  }
  if (schema.type === "array" && schema.items !== undefined) {
    const item = within(schema.items, "[]")
    return item === undefined ? undefined : [item]
  }
  if (schema.properties !== undefined) {
    const { properties, required = [] } = schema
    const members = Object.entries(properties).map(([name, part]): readonly [string, unknown] => [
      name,
      within(part, `.${name}`, required.includes(name) ? lacking : () => {})
    ])
    const isWhole = members.every(([name, value]) => present(value) || !required.includes(name))
    return isWhole ? Object.fromEntries(members.filter(([, value]) => present(value))) : undefined
  }
  lacking(path)
  return undefined
}
