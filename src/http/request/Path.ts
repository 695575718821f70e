/** The path of a request's URL: all before its query. */
export const pathOf = (url: string): string => url.split("?", 1)[0] ?? ""

/** The query of a request's URL, without its question mark. */
export const queryOf = (url: string): string => {
  const start = url.indexOf("?")
  return start === -1 ? "" : url.slice(start + 1)
}

/** Whether the router, which takes `;` and `#` for `?`, would end the path early. No path of the API holds either. */
export const isCutShort = (url: string): boolean => /[;#]/.test(pathOf(url))
