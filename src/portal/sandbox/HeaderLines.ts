/** The most lines to read. */
const linesMax = 100
/** The most headers to keep under other names. Each costs hashes of the body with every tried secret. */
const othersMax = 2

const known = new Set(["svc-signature", "webhook-signature", "webhook-id", "webhook-timestamp"])

type Header = readonly [name: string, value: string]

const fromJson = (text: string): ReadonlyArray<Header> | null => {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null
    return Object.entries(value).map(([name, one]) => [name, String(one)])
  } catch {
    return null
  }
}

/** A header line from a `curl -H` option, without the option and its quotes. */
const unwrapped = (line: string) =>
  line
    .trim()
    .replace(/^(?:-H|--header)\s+/, "")
    .replace(/^(['"])(.*)\1$/, "$2")

/** The headers that verification reads, each once, and a few that look like a signature. */
const chosen = (headers: ReadonlyArray<Header>): ReadonlyArray<Header> => {
  const named = headers.filter(
    ([name], index) =>
      known.has(name.toLowerCase()) &&
      headers.findIndex(([other]) => other.toLowerCase() === name.toLowerCase()) === index
  )
  const others = headers.filter(([name, value]) => !known.has(name.toLowerCase()) && /v1[=,]/.test(value))
  return [...named, ...others.slice(0, othersMax)]
}

/**
 * The signature headers in a pasted text: lines of `Name: value`, a JSON object, or only the value of a signature
 * header. A lone value gets the name of its header.
 */
export const headersOf = (text: string): ReadonlyArray<Header> => {
  const object = fromJson(text.trim())
  if (object !== null) return chosen(object.slice(0, linesMax))
  const lines = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .slice(0, linesMax)
    .map((line): Header => {
      const [, name, value] = /^\s*([\w-]+)\s*:(.*)$/s.exec(unwrapped(line)) ?? []
      if (name !== undefined && value !== undefined) return [name, value.trim()]
      // Keeps the quotes of a value, because the receiver may have verified it with them.
      return [/(^|\s)v1,/.test(line) ? "webhook-signature" : "Svc-Signature", line.trim()]
    })
  return chosen(lines)
}
