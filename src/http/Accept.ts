/** The media ranges of an `Accept` header, or the codings of an `Accept-Encoding`, each with its quality; what cannot be read is left out. */
const rangesOf = (accept: string): ReadonlyMap<string, number> => {
  const ranges = new Map<string, number>()
  for (const range of accept.split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
    const quality = Number(parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, "") ?? 1)
    if (type !== "" && quality >= 0 && quality <= 1) ranges.set(type, quality)
  }
  return ranges
}

/** Whether gzip will do, by an `Accept-Encoding` header: without one, anything does. */
export const takesGzip = (acceptEncoding: string | undefined): boolean => {
  if (acceptEncoding === undefined) return true
  const codings = rangesOf(acceptEncoding)
  return (codings.get("gzip") ?? codings.get("*") ?? 0) > 0
}

/**
 * Whether a client wants errors as RFC 9457: it names that type, and likes it no less than plain JSON. Who names both, or
 * only says that anything will do, is asked no further: the one gets what he named, the other plain JSON.
 */
export const wantsProblem = (accept: string): boolean => {
  if (!/problem\+json/i.test(accept)) return false
  const ranges = rangesOf(accept)
  const problem = ranges.get("application/problem+json") ?? 0
  const json = ranges.get("application/json") ?? ranges.get("application/*") ?? ranges.get("*/*") ?? 0
  return problem > 0 && problem >= json
}
