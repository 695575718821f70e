/** The variable parts of a request's URL: the parameters of the path template, and the query. */
export interface Addressed {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
}

/**
 * Fills a template such as `/v1/invoices/{id}` with its ids. Rejects an id that is empty, `.` or `..`, because it would
 * change the path.
 */
const pathOf = (template: string, params: Addressed["params"]) =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params?.[name]
    if (typeof value !== "string" || /^\.{0,2}$/.test(value)) throw new TypeError(`params.${name} must be an id`)
    return encodeURIComponent(value)
  })

/** The parameters of a query: one for each member of a list, and `metadata[order]` for the member of an object. */
const pairsOf = (query: Readonly<Record<string, unknown>>): ReadonlyArray<readonly [name: string, value: unknown]> =>
  Object.entries(query).flatMap(([name, value]) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([key, one]) => [`${name}[${key}]`, one] as const)
      : [value].flat().map((one) => [name, one] as const)
  )

/** The URL of an operation. The base URL may have a path. Undefined parameters of the query are omitted. */
export const urlOf = (baseUrl: string, template: string, { params, query = {} }: Addressed): URL => {
  const url = new URL(`${baseUrl.replace(/\/$/, "")}${pathOf(template, params)}`)
  for (const [name, value] of pairsOf(query)) if (value !== undefined) url.searchParams.append(name, String(value))
  return url
}
