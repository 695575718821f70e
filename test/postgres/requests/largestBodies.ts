import { customerBody, invoiceBody, noteBody, resolutionBody } from "../../support/apps/Invoices.ts"

/** The ids that the routes' paths need. */
export interface Ids {
  readonly customer: string
  readonly invoice: string
  readonly endpoint: string
  readonly hook: string
}

export interface LargeRequest {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

const bytesMax = 256 * 1024
const times = <A>(count: number, value: (index: number) => A) =>
  Array.from({ length: count }, (_, index) => value(index))

const metadata = Object.fromEntries(times(50, (index) => [`${index}`.padEnd(40, "k"), "é".repeat(80)]))
const [goodLine] = invoiceBody("").lines
const [goodTax] = goodLine?.taxes ?? []
const taxesOf = (count: number) => ["01", "02", "03", "04"].slice(0, count).map((code) => ({ ...goodTax, code }))

/** As many lines as allowed, of the largest size that fits. */
const lines = times(500, () => ({ ...goodLine, description: "<&".repeat(40), taxes: taxesOf(3) }))
const wrongLines = lines.map((line) => ({ ...line, taxes: taxesOf(3).map((tax) => ({ ...tax, base: "1.00" })) }))

const filled = (item: (index: number) => string, open: string, close: string) => {
  const items: Array<string> = []
  let size = open.length + close.length
  for (let index = 0; size + item(index).length + 1 <= bytesMax; index++) {
    items.push(item(index))
    size += item(index).length + 1
  }
  return open + items.join(",") + close
}

/** Bodies of 256 KiB that are invalid for every route. */
export const oddBodies: ReadonlyArray<readonly [name: string, body: string]> = [
  ["a list of numbers", filled(() => "1", "[", "]")],
  ["lines that are none", filled(() => "{}", '{"lines":[', "]}")],
  ["unknown members", filled((index) => `"${index.toString(36)}":1`, "{", "}")],
  ["unknown members of a line", filled((index) => `"${index.toString(36)}":1`, '{"lines":[{', "}]}")],
  ["metadata", filled((index) => `"${index.toString(36)}":""`, '{"metadata":{', "}}")],
  ["objects, each of its own form", filled((index) => `{"${index.toString(36)}":1}`, '{"lines":[', "]}")],
  ["a name that repeats at the end", filled((index) => `"${index.toString(36)}":1`, "{", ',"0":2}')],
  ["depth", filled(() => "[".repeat(29) + "]".repeat(29), '{"lines":[', "]}")],
  ["one long text", `{"legal_name":"${"x".repeat(bytesMax - 20)}"}`],
  ["escapes", `{"legal_name":"${"\\u0001".repeat(43_000)}"}`],
  ["one long name", `{"${"x".repeat(bytesMax - 20)}":1}`],
  ["events", filled(() => '"invoice.failed"', '{"subscribed_events":[', "]}")],
  ["responsibilities", filled(() => '"O-13"', '{"tax_responsibilities":[', "]}")]
]

const largest: Readonly<Record<string, (ids: Ids) => ReadonlyArray<readonly [name: string, body: unknown]>>> = {
  "/v1/customers": () => [
    ["a large customer", { ...customerBody(), legal_name: "é".repeat(450), address: "<".repeat(300), metadata }]
  ],
  "/v1/customers/validate": () => [
    ["a large customer", { ...customerBody(), legal_name: "é".repeat(450), address: "<".repeat(300), metadata }]
  ],
  "/v1/invoices": ({ customer }) => [
    ["500 lines", { ...invoiceBody(customer), lines, metadata }],
    ["500 wrong lines", { ...invoiceBody(customer), lines: wrongLines }]
  ],
  "/v1/invoices/validate": ({ customer }) => [
    ["500 lines", { ...invoiceBody(customer), lines, metadata }],
    ["500 wrong lines", { ...invoiceBody(customer), lines: wrongLines }]
  ],
  "/v1/credit-notes": ({ invoice }) => [["500 lines", { ...noteBody(invoice), lines, metadata }]],
  "/v1/debit-notes": ({ invoice }) => [["500 lines", { ...noteBody(invoice), lines, metadata }]],
  "/v1/invoices/:id/annul": () => [["a long reason", { reason: "é".repeat(300) }]],
  "/v1/webhook-endpoints": ({ hook }) => [
    ["a large endpoint", { url: hook, subscribed_events: ["invoice.failed"], description: "é".repeat(500), metadata }]
  ],
  "/v1/resolutions": () => [["a range", resolutionBody({ prefix: "BIG" })]]
}

/** The largest requests that a route accepts, and the worst that it rejects. */
export const largeRequests = (
  {
    method,
    path,
    hasBody,
    parameters
  }: {
    readonly method: string
    readonly path: string
    readonly hasBody: boolean
    readonly parameters: ReadonlyArray<string>
  },
  ids: Ids
): ReadonlyArray<LargeRequest> => {
  const id = path.includes("invoices") ? ids.invoice : path.includes("endpoints") ? ids.endpoint : ids.customer
  const at = path.replace(":catalog", "unidad-medida").replace(/:\w+/, id)
  const bodies = hasBody ? [...oddBodies, ...(method === "POST" ? (largest[path]?.(ids) ?? []) : [])] : []
  const queries = [
    ["no query", ""],
    ["unknown parameters", `?${times(1_300, (index) => index.toString(36)).join("&")}`],
    ["a parameter that repeats", `?${times(900, () => `${parameters[0] ?? "x"}=1`).join("&")}`],
    ["types that repeat", `?${times(300, () => "types[]=invoice.failed").join("&")}`],
    ["a long parameter", `?${parameters[0] ?? "x"}=${"%41".repeat(2_500)}`],
    ...(parameters.includes("limit") ? [["a whole page", "?limit=100"] as const] : []),
    ...(path === "/v1/invoices" ? [["a page of the largest", "?status=canceled&limit=100"] as const] : [])
  ] as const
  return method === "GET"
    ? queries.map(([name, query]) => ({ name, method, path: at + query }))
    : [...(hasBody ? [] : [["no body", undefined] as const]), ...bodies].map(([name, body]) => ({
        name,
        method,
        path: at,
        ...(body === undefined ? {} : { body })
      }))
}
