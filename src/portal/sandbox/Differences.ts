/** The most differences to list, and the deepest level to search. */
const differencesMax = 8
const depthMax = 12

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * The paths (`data.object.total`) at which two JSON texts differ. Empty if both have the same value. The path is `""`
 * if a text is not JSON.
 */
export const differences = (sent: string, received: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const compare = (one: unknown, other: unknown, path: string, depth: number): void => {
    if (found.length >= differencesMax || Object.is(one, other)) return
    const isSameKind = isObject(one) && isObject(other) && Array.isArray(one) === Array.isArray(other)
    if (!isSameKind || depth >= depthMax) return void found.push(path)
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
      compare(one[key], other[key], path === "" ? key : `${path}.${key}`, depth + 1)
    }
  }
  compare(parsed(sent), parsed(received), "", 0)
  return found
}
