/**
 * Levels of the document with one line per member: the document, its parts, and the paths, schemas or headers in them.
 */
const levels = 3

const text = (value: unknown, level: number): string => {
  if (typeof value !== "object" || value === null || level === levels) return JSON.stringify(value)
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"]
  const members = Object.entries(value).map(([name, member]) =>
    Array.isArray(value) ? JSON.stringify(member) : `${JSON.stringify(name)}: ${text(member, level + 1)}`
  )
  const indent = "  ".repeat(level)
  return members.length === 0
    ? `${open}${close}`
    : `${open}\n${members.map((member) => `${indent}  ${member}`).join(",\n")}\n${indent}${close}`
}

/** The text of openapi.json: a line for each operation and schema, so that a diff shows which of them changed. */
export const openApiText = (openApi: object): string => `${text(JSON.parse(JSON.stringify(openApi)), 0)}\n`
