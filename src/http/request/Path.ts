/** The path of a request's URL: all before its query. */
export const pathOf = (url: string): string => url.split("?", 1)[0] ?? ""

/** Whether a path has nothing between two slashes, or a slash at its end. */
export const hasEmptyPart = (path: string): boolean => /\/\/|.\/$/.test(path)

/** The query of a request's URL, without its question mark. */
export const queryOf = (url: string): string => {
  const start = url.indexOf("?")
  return start === -1 ? "" : url.slice(start + 1)
}

const entry = /^metadata\[([^]*)\]$/

type Sent = Readonly<Record<string, string | ReadonlyArray<string>>>

/** A query with its parameters `metadata[key]` as one object under `metadata`, which is how the schema of a list has them. */
export const folded = (query: Sent): Readonly<Record<string, unknown>> => {
  const sent = Object.entries(query).map(([name, value]) => [entry.exec(name)?.[1], name, value] as const)
  const metadata = sent.flatMap(([key, , value]) => (key === undefined ? [] : [[key, value] as const]))
  if (metadata.length === 0) return query
  const others = sent.flatMap(([key, name, value]) => (key === undefined ? [[name, value] as const] : []))
  return { ...Object.fromEntries(others), metadata: Object.fromEntries(metadata) }
}

/** Whether the router, which takes `;` and `#` for `?`, would end the path early. No path of the API holds either. */
export const isCutShort = (url: string): boolean => /[;#]/.test(pathOf(url))
