import { invoiceBody } from "../../support/apps/Invoices.ts"

/** Attacks of a hostile client, which run in parallel. */
export const hostileKinds = ["hoard", "unread", "input", "read", "key", "poll", "page", "command"] as const

/** Floods over hundreds of connections. The orders of `create` belong to no shop of the soak. */
export const floodKinds = ["create", "limited", "large", "unknown"] as const
export type HostileKind = (typeof hostileKinds)[number] | (typeof floodKinds)[number]

/** A request as it is sent. */
export interface Input {
  readonly what: string
  readonly method: string
  readonly path: string
  readonly body?: string
  /** Key to use instead of the hostile client's own. */
  readonly apiKey?: string
  /** A check of a body returns 200, even for an invalid body. */
  readonly isQuestion?: true
}

const kilo = 1024
const repeated = (member: string, bytes: number) =>
  `[${Array.from({ length: Math.floor(bytes / (member.length + 1)) }, () => member).join(",")}]`
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`
const junk = (bytes: number) =>
  Array.from({ length: bytes }, (_, index) => String.fromCharCode(33 + ((index * 7) % 90))).join("")

const invoices = (what: string, body: string): Input => ({ what, method: "POST", path: "/v1/invoices", body })

/** The most expensive bodies. None of them is a valid invoice: an accepted one breaks a promise. */
export const worstInputs = (customer: string): ReadonlyArray<Input> => {
  const order = (lines: string, more = "") => `{"customer_id":"${customer}","lines":${lines}${more}}`
  const bodies: ReadonlyArray<readonly [string, string]> = [
    ["lines that are numbers, 40 kB", order(repeated("1", 40 * kilo))],
    ["lines that are numbers, 200 kB", order(repeated("1", 200 * kilo))],
    ["lines that are empty objects, 200 kB", order(repeated("{}", 200 * kilo))],
    ["lines with unknown members, 200 kB", order(repeated('{"a":1}', 200 * kilo))],
    ["lines of taxes of nothing, 200 kB", order(repeated('{"taxes":[{},{},{}]}', 200 * kilo))],
    ["a list of 200 kB", repeated("[]", 200 * kilo)],
    ["unknown members, 200 kB", `{${Array.from({ length: 20_000 }, (_, n) => `"m${n}":1`).join(",")}}`],
    ["one member's name, 200 kB", `{"${"n".repeat(200 * kilo)}":1}`],
    ["the same member 20,000 times", `{${Array.from({ length: 20_000 }, () => '"a":1').join(",")}}`],
    ["a note of 200 kB", order("[]", `,"metadata":{"a":"${"x".repeat(200 * kilo)}"}`)],
    [
      "notes, 20,000 of them",
      order("[]", `,"metadata":{${Array.from({ length: 20_000 }, (_, n) => `"${n}":""`).join(",")}}`)
    ],
    ["a number of 200 kB", order(`[{"quantity":${"9".repeat(200 * kilo)}}]`)],
    ["an amount of 200 kB", order(`[{"quantity":"${"9".repeat(200 * kilo)}.00"}]`)],
    ["JSON 100,000 deep", nested(100_000)],
    ["JSON 31 deep, many times", order(repeated(nested(29), 200 * kilo))],
    ["junk of 256 KiB", junk(256 * kilo)],
    ["junk in a string, 256 KiB", `"${"\\u0000".repeat((250 * kilo) / 6)}"`],
    ["a customer called U+0000", JSON.stringify(invoiceBody("\0"))],
    ["a body larger than any may be", junk(400 * kilo)]
  ]
  return [
    ...bodies.map(([what, body]) => invoices(what, body)),
    ...bodies.slice(0, 4).map(([what, body]) => ({
      ...invoices(what, body),
      path: "/v1/invoices/validate",
      isQuestion: true as const
    })),
    {
      what: "a customer with a name of 200 kB",
      method: "POST",
      path: "/v1/customers",
      body: `{"legal_name":"${"ñ".repeat(100 * kilo)}"}`
    },
    { what: "a URL of 7 kB", method: "GET", path: `/v1/invoices?${"a=1&".repeat(1_800)}` },
    { what: "a filter of 7 kB", method: "GET", path: `/v1/invoices?full_number=${"%00".repeat(2_300)}` }
  ]
}

/** Invalid keys of every kind. */
export const badKeys: ReadonlyArray<Input> = [
  "sk_test_",
  "sk_live_",
  `sk_test_${"a".repeat(38)}`,
  "x".repeat(8_000),
  "sk_test_%00"
].map((apiKey) => ({ what: "a bad key", method: "GET", path: "/v1/invoices?limit=100", apiKey }))

/** The most expensive reads of its own account. `paths` are its documents' signed links. */
export const dearReads = (own: {
  readonly invoices: ReadonlyArray<string>
  readonly endpoint: string
  readonly links: ReadonlyArray<string>
}): ReadonlyArray<Input> =>
  [
    "/v1/invoices?limit=100",
    "/v1/events?limit=100",
    `/v1/webhook-endpoints/${own.endpoint}/deliveries?limit=100`,
    ...own.invoices.flatMap((id) => [
      `/v1/invoices/${id}`,
      `/v1/invoices/${id}/pdf`,
      `/v1/invoices/${id}/xml`,
      `/v1/invoices/${id}/timeline?limit=100`
    ]),
    ...own.links
  ].map((path) => ({ what: path.replaceAll(/\w+_\w{26}/g, "…").replace(/\?.*/, ""), method: "GET", path }))

/** Public pages, which need no key. */
export const anonymousPages: ReadonlyArray<Input> = [
  "/docs",
  "/docs/reference/invoices",
  "/docs/errors",
  "/v1/openapi.json",
  "/metrics",
  "/health/ready"
].map((path) => ({ what: path, method: "GET", path, apiKey: "" }))

/** Valid invoices: only their number is hostile. */
export const goodInvoices = (customer: string): ReadonlyArray<Input> => [
  invoices("an invoice", JSON.stringify(invoiceBody(customer, { order: "A-1" })))
]

/** The cheapest requests with a key, for a client that continues after rejections. */
export const smallReads: ReadonlyArray<Input> = [{ what: "the account", method: "GET", path: "/v1/account" }]

/** Bodies of 195 kB that are invalid in their last lines only. */
export const largeBodies = (customer: string): ReadonlyArray<Input> => {
  const good = JSON.stringify(invoiceBody(customer).lines[0])
  const lines = repeated(good, 195 * kilo)
  return [invoices("a body of 195 kB", `{"customer_id":"${customer}","lines":${lines.slice(0, -1)},{}]}`)]
}

/** Paths without a route, and pages that do not exist, without a key. */
export const unknownPaths: ReadonlyArray<Input> = [
  "/nothing",
  "/v1/nothing",
  "/docs/nothing",
  "/docs/errors/nothing",
  "/health/nothing"
].map((path) => ({ what: path, method: "GET", path, apiKey: "" }))

/** Small commands that all wait for the same few rows of its own account. */
export const smallCommands = (own: {
  readonly customer: string
  readonly invoices: ReadonlyArray<string>
}): ReadonlyArray<Input> => [
  { what: "a change of the account", method: "PATCH", path: "/v1/account", body: '{"name":"Hostile"}' },
  {
    what: "a change of a customer",
    method: "PATCH",
    path: `/v1/customers/${own.customer}`,
    body: '{"metadata":{"a":"1"}}'
  },
  ...own.invoices.map((id) => ({ what: "a retry", method: "POST", path: `/v1/invoices/${id}/retry`, body: "{}" }))
]
