/** The most differences that are named, and how deep they are looked for. */
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
 * The paths (`data.object.total`) at which two texts of JSON have different values; none if both stand for the same value. The path of a
 * text that is no JSON is `""`.
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
