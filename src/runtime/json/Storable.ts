const replacement = "\ufffd"

/** The text in a form that PostgreSQL accepts: well-formed Unicode without NUL, truncated to `max` UTF-16 units. */
export const storableText = (text: string, max: number): string =>
  text.slice(0, max).toWellFormed().replaceAll("\u0000", "")

const jsonMax = 8 * 1024 * 1024

// In JSON text, NUL and half of a surrogate pair are written as these escapes, unless the backslash is itself escaped.
const refused = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g

/**
 * The value in a form that a JSON column of PostgreSQL accepts; null if it cannot be written as JSON of at most 8 MiB.
 */
export const storableJson = (value: unknown): unknown => {
  try {
    const text = JSON.stringify(value)
    if (text === undefined || text.length > jsonMax) return null
    const clean = text.replaceAll(
      refused,
      (escape, before: string) => before + (escape.endsWith("0000") ? "" : replacement)
    )
    return clean === text ? value : (JSON.parse(clean) as unknown)
  } catch {
    return null
  }
}
