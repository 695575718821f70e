/** Ranges of an `Accept` or `Accept-Encoding` header, each with its quality, without malformed ranges. */
const rangesOf = (accept: string): ReadonlyMap<string, number> => {
  const ranges = new Map<string, number>()
  for (const range of accept.split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
    const quality = Number(parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, "") ?? 1)
    if (type !== "" && quality >= 0 && quality <= 1) ranges.set(type, quality)
  }
  return ranges
}

/**
 * Whether a client accepts gzip, by its `Accept-Encoding` header. Without the header, a server may send any coding (RFC
 * 9110, 12.5.3), but Folio sends plain text, because curl, for example, shows the bytes as they arrive.
 */
export const takesGzip = (acceptEncoding = ""): boolean => {
  const codings = rangesOf(acceptEncoding)
  return (codings.get("gzip") ?? codings.get("*") ?? 0) > 0
}

/**
 * Whether a client wants errors as RFC 9457: the `Accept` header names `application/problem+json` with at least the
 * quality of plain JSON. A client that accepts any type without naming problem JSON gets plain JSON.
 */
export const wantsProblem = (accept: string): boolean => {
  if (!/problem\+json/i.test(accept)) return false
  const ranges = rangesOf(accept)
  const problem = ranges.get("application/problem+json") ?? 0
  const json = ranges.get("application/json") ?? ranges.get("application/*") ?? ranges.get("*/*") ?? 0
  return problem > 0 && problem >= json
}

/** Whether a client prefers a page to data: it names `text/html`, as browsers do, with at least the quality of JSON. */
export const wantsHtml = (accept: string): boolean => {
  const ranges = rangesOf(accept)
  const page = ranges.get("text/html") ?? 0
  return page > 0 && page >= (ranges.get("application/json") ?? 0)
}

/**
 * Whether the current ETag is one of the tags in `If-None-Match` (RFC 9110: weak comparison, `*` alone matches any
 * tag).
 */
export const holds = (ifNoneMatch = "", etag: string) =>
  ifNoneMatch.trim() === "*" || [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([tag]) => tag === etag)

/**
 * Language of a page by an `Accept-Language` header: Spanish if the reader prefers it to English, otherwise English.
 */
export const languageOf = (acceptLanguage = ""): "en" | "es" => {
  const best = { en: 0, es: 0 }
  for (const [range, quality] of rangesOf(acceptLanguage)) {
    const language = range.slice(0, 2)
    if (language === "en" || language === "es") best[language] = Math.max(best[language], quality)
  }
  return best.es > best.en ? "es" : "en"
}
