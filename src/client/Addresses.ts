/** The parts of a request's address: what fills the template of the path, and the query. */
export interface Addressed {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
}

/** A template such as `/v1/invoices/{id}` with its ids. An id that is empty, `.` or `..` is refused: it would change the path. */
const pathOf = (template: string, params: Addressed["params"]) =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params?.[name]
    if (typeof value !== "string" || /^\.{0,2}$/.test(value)) throw new TypeError(`params.${name} must be an id`)
    return encodeURIComponent(value)
  })

/** The address of an operation: the base URL may have a path of its own, and what is undefined in the query is left out. */
export const urlOf = (baseUrl: string, template: string, { params, query = {} }: Addressed): URL => {
  const url = new URL(`${baseUrl.replace(/\/$/, "")}${pathOf(template, params)}`)
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined) url.searchParams.append(name, String(one))
  }
  return url
}
