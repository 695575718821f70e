/** The literal syntax of a language. */
export interface Syntax {
  readonly object: readonly [open: string, close: string]
  readonly array: readonly [open: string, close: string]
  readonly spaced: boolean
  readonly key: (name: string) => string
  readonly text: (value: string) => string
  readonly constants: Readonly<Record<"true" | "false" | "null", string>>
  readonly empty: string
  readonly step: string
}

const doubleQuoted = (value: string) => JSON.stringify(value)
const singleQuoted = (value: string) => `'${value.replaceAll(/[\\']/g, "\\$&")}'`
const constants = { true: "true", false: "false", null: "null" }

export const json: Syntax = {
  object: ["{", "}"],
  array: ["[", "]"],
  spaced: false,
  key: (name) => `${doubleQuoted(name)}: `,
  text: doubleQuoted,
  constants,
  empty: "{}",
  step: "  "
}

export const typescript: Syntax = {
  ...json,
  spaced: true,
  key: (name) => (/^[a-z_]\w*$/i.test(name) ? `${name}: ` : `${doubleQuoted(name)}: `)
}

export const python: Syntax = { ...json, constants: { true: "True", false: "False", null: "None" }, step: "    " }

export const php: Syntax = {
  object: ["[", "]"],
  array: ["[", "]"],
  spaced: false,
  key: (name) => `${singleQuoted(name)} => `,
  text: singleQuoted,
  constants,
  // `[]` is an empty list in PHP, so an empty object needs `stdClass`.
  empty: "new stdClass()",
  step: "    "
}

/** The longest line of a sample, in characters. */
const width = 58

/** A value as a literal of the language: on one line if it fits in `width`, otherwise with one line per member. */
export const literal = (value: unknown, syntax: Syntax, indent = ""): string => {
  if (typeof value === "string") return syntax.text(value)
  if (typeof value === "number") return String(value)
  if (typeof value !== "object" || value === null)
    return syntax.constants[value === true ? "true" : value === false ? "false" : "null"]
  const isArray = Array.isArray(value)
  const [open, close] = isArray ? syntax.array : syntax.object
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  if (members.length === 0) return isArray ? open + close : syntax.empty
  const inner = indent + syntax.step
  const written = members.map(([name, member]) => (isArray ? "" : syntax.key(name)) + literal(member, syntax, inner))
  const space = syntax.spaced && !isArray ? " " : ""
  const line = open + space + written.join(", ") + space + close
  if (!line.includes("\n") && indent.length + line.length <= width) return line
  return `${open}\n${written.map((member) => inner + member).join(",\n")}\n${indent}${close}`
}
