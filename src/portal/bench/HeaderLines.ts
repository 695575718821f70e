/** The most lines that are read. */
const linesMax = 100
/** The most headers that are kept of those with another name. Each costs hashes of the body, with every secret that is tried. */
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

/** A line as `curl -H` takes it, without the option and its quotes. */
const unwrapped = (line: string) =>
  line
    .trim()
    .replace(/^(?:-H|--header)\s+/, "")
    .replace(/^(['"])(.*)\1$/, "$2")

/** Those that verification reads, each once, and a few that look like a signature. */
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
 * The headers of a signature in a pasted text: lines of `Name: value`, an object of JSON, or the value of a signature header alone, which is
 * taken for that of the header in which it belongs.
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
      // A value in quotes keeps them: the receiver may have verified it so.
      return [/(^|\s)v1,/.test(line) ? "webhook-signature" : "Svc-Signature", line.trim()]
    })
  return chosen(lines)
}
