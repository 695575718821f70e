/** Whether one of the tags a client holds is the present one (RFC 9110: weak comparison, `*` alone matches any). */
export const holds = (ifNoneMatch = "", etag: string) =>
  ifNoneMatch.trim() === "*" || [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([tag]) => tag === etag)
