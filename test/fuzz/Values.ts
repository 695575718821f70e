import { openApi } from "../../src/api/OpenApi.ts"
import type { Chance } from "./Chance.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- read as a client would, from the text
export const document: any = JSON.parse(JSON.stringify(openApi))

/** The part of JSON Schema that the document uses. */
interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly minimum?: number
  readonly maximum?: number
}

/** Texts that match some pattern of the interface, and many that should match none. */
const texts = [
  ["", " ", "a", "0", "1", "31", "10", "94", "01", "ZZ", "COP", "USD", "CO", "11001", "11", "900373115", "3"],
  ["0.00", "1.00", "2.00", "19.00", "50000.00", "100000.00", "999999999999999.99", "-1.00", "1e5", "0.005", "٣.٠٠"],
  ["2026-12-31", "2026-02-30", "0000-00-00", "2026-01-01", "9999-12-31", "invoice.failed", "order", "a@example.com"],
  "\u0000 \u0001 \u001f \u007f \u0085 \u2028 \ufeff \ufffe \ud800 \udc00 \u{1f4a9} e\u0301 \u202e".split(" "),
  ["__proto__", "constructor", "toString", "null", "undefined", "NaN", "true", "{}", "[]", "%00", "%", "../../x"],
  [
    "'; drop table invoices; --",
    "$1",
    "\\",
    '"',
    "<script>",
    "${7*7}",
    "x".repeat(300),
    "9".repeat(400),
    "é".repeat(5000)
  ],
  ["https://", "https://10.0.0.1/", "http://[::1]/", "ftp://127.0.0.1", "https://127.0.0.1:99999/", "javascript:1"]
].flat()

const numbers = [0, -0, 1, -1, 8, 64, 65, 1.5, 1e21, 1e308, 2 ** 53, -(2 ** 63), 5e-324]

/** Any JSON value, including deep ones. */
export const anything = (chance: Chance, depth = 4): unknown => {
  const kind = chance.below(depth === 0 ? 4 : 6)
  if (kind === 0) return chance.oneOf([null, true, false])
  if (kind === 1) return chance.oneOf(numbers)
  if (kind < 4) return chance.oneOf(texts)
  const members = Array.from({ length: chance.below(4) }, () => anything(chance, depth - 1))
  return kind === 4 ? members : Object.fromEntries(members.map((member) => [chance.oneOf(texts), member]))
}

export const anyText = (chance: Chance): string => chance.oneOf(texts)

/** A value that matches a schema in its types, except for the deviations that `chance` adds. */
export const like = (schema: JsonSchema, chance: Chance): unknown => {
  if (chance.once(25)) return anything(chance)
  if (schema.$ref !== undefined) return like(document.components.schemas[schema.$ref.split("/").at(-1)!], chance)
  if (schema.enum !== undefined) return chance.oneOf(schema.enum)
  if (schema.anyOf !== undefined) return like(chance.oneOf(schema.anyOf), chance)
  switch (schema.type) {
    case "object": {
      const { additionalProperties, properties = {}, required = [] } = schema
      const known = Object.entries(properties).filter(([name]) => !chance.once(required.includes(name) ? 40 : 2))
      const free =
        typeof additionalProperties === "object"
          ? Array.from({ length: chance.below(chance.once(20) ? 60 : 4) }, () => [
              anyText(chance),
              like(additionalProperties, chance)
            ])
          : []
      return Object.fromEntries([...known.map(([name, member]) => [name, like(member, chance)]), ...free])
    }
    case "array":
      return Array.from({ length: chance.once(40) ? 600 : chance.below(4) }, () => like(schema.items ?? {}, chance))
    case "integer":
    case "number":
      return chance.once(3) ? chance.oneOf(numbers) : (schema.minimum ?? 0) + chance.below(schema.maximum ?? 100)
    case "boolean":
      return chance.once(2)
    case "string":
      return anyText(chance)
    default:
      return anything(chance)
  }
}

/** A value with one or two changed places. */
export const changed = (value: unknown, chance: Chance): unknown => {
  if (typeof value !== "object" || value === null || chance.once(8)) return anything(chance)
  if (Array.isArray(value)) {
    if (value.length === 0 || chance.once(6)) return [...value, anything(chance)]
    const at = chance.below(value.length)
    return value.with(at, changed(value[at], chance))
  }
  const members = Object.entries(value)
  if (members.length === 0 || chance.once(6)) return { ...value, [anyText(chance)]: anything(chance) }
  const [name, member] = chance.oneOf(members)
  const { [name]: _, ...rest } = value as Record<string, unknown>
  return chance.once(6) ? rest : { ...value, [name]: changed(member, chance) }
}
