import { customerBody, invoiceBody } from "../../support/apps/Invoices.ts"
import type { Sent } from "../../support/apps/Requests.ts"

/** A record of so many members, whose names have this length. */
export const named = (count: number, value: unknown, length = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}`.padEnd(length, "x"), value]))

const [goodLine] = invoiceBody("").lines
const [goodTax] = goodLine?.taxes ?? []
const wrongTaxes = ["01", "02", "03", "04"].map((code) => ({ ...goodTax, code, base: "1.00", value: "7.00" }))

export const times = <A>(count: number, value: A): ReadonlyArray<A> => Array.from({ length: count }, () => value)

/** Lines of the right form that break a rule of the authority in each figure of each tax. */
export const wrongLines = (count: number) => times(count, { ...goodLine, taxes: wrongTaxes })

const long = "n".repeat(200_000)
const control = "\u0001".repeat(40_000)

export const invoiceWith = (fields: object): Sent => ({
  method: "POST",
  path: "/v1/invoices",
  body: { ...invoiceBody("cust_1"), ...fields }
})
const customerWith = (fields: object): Sent => ({
  method: "POST",
  path: "/v1/customers",
  body: { ...customerBody(), ...fields }
})
const get = (path: string): Sent => ({ path })

/** Small requests with many faults, and long requests. */
export const bad: ReadonlyArray<readonly [name: string, sent: Sent]> = [
  ["120,000 lines that are no objects", invoiceWith({ lines: times(120_000, 1) })],
  ["80,000 empty lines", invoiceWith({ lines: times(80_000, {}) })],
  ["500 empty lines", invoiceWith({ lines: times(500, {}) })],
  ["500 lines with 10 empty taxes", invoiceWith({ lines: times(500, { taxes: times(10, {}) }) })],
  ["20,000 unknown members", invoiceWith(named(20_000, 1))],
  ["900 unknown members", invoiceWith(named(900, 1))],
  ["900 unknown members of a line", invoiceWith({ lines: [{ ...goodLine, ...named(900, 1) }] })],
  ["unknown members with long names", invoiceWith(named(200, 1, 1_000))],
  ["a member with a name of 200 kB", invoiceWith({ [long]: 1 })],
  ["a member with a name of control characters", invoiceWith({ [control]: 1 })],
  [
    "many members with names of control characters",
    invoiceWith(Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`${index}${"\u0001".repeat(90)}`, 1])))
  ],
  ["an inner member with a name of 200 kB", customerWith({ identification: { [long]: 1 } })],
  ["900 keys of metadata", customerWith({ metadata: named(900, "") })],
  ["a metadata key of 200 kB", customerWith({ metadata: { [long]: "" } })],
  [
    "metadata of control characters",
    customerWith({
      metadata: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${index}${"\u0001".repeat(700)}`, 5]))
    })
  ],
  ["a type of 200 kB", customerWith({ identification: { type: long, number: long } })],
  ["an email of 200 kB", customerWith({ email: `${"a.".repeat(100_000)}@` })],
  ["a URL of 200 kB", { method: "POST", path: "/v1/webhook-endpoints", body: { url: long, subscribed_events: ["x"] } }],
  [
    "a URL of 2 kB",
    {
      method: "POST",
      path: "/v1/webhook-endpoints",
      body: { url: `https://${"x".repeat(2_000)}`, subscribed_events: ["invoice.failed"] }
    }
  ],
  [
    "20,000 events",
    {
      method: "POST",
      path: "/v1/webhook-endpoints",
      body: { url: "https://hooks.example.com", subscribed_events: times(20_000, "x") }
    }
  ],
  [
    "21 unknown events",
    {
      method: "POST",
      path: "/v1/webhook-endpoints",
      body: { url: "https://hooks.example.com", subscribed_events: Array.from({ length: 21 }, String) }
    }
  ],
  ["a customer of 200 kB", invoiceWith({ customer_id: long })],
  [
    "a body that repeats a name of 200 kB",
    { ...customerWith({}), body: `{"${long.slice(0, 120_000)}":1,"${long.slice(0, 120_000)}":1}` }
  ],
  ["a body cut off after 200 kB", { ...customerWith({}), body: `{"a":"${long}` }],
  [
    "1,300 unknown parameters",
    get(`/v1/customers?${Array.from({ length: 1_300 }, (_, index) => index.toString(36)).join("&")}`)
  ],
  [
    "1,300 unknown parameters of a request that has none",
    get(`/v1/account?${Array.from({ length: 1_300 }, (_, index) => index.toString(36)).join("&")}`)
  ],
  ["a parameter with a name of 8 kB", get(`/v1/account?${"n".repeat(8_000)}`)],
  ["an unknown parameter unlike any known one", get(`/v1/customers?${"%01".repeat(2_600)}`)],
  ["one of 8 kB with U+0000", get(`/v1/customers?${"n".repeat(8_000)}=%00`)],
  ["800 types of events", get(`/v1/events?${times(800, "types[]=x").join("&")}`)],
  ["a limit of 8 kB", get(`/v1/customers?limit=${"9".repeat(8_000)}`)],
  ["a cursor of 8 kB", get(`/v1/customers?starting_after=${"9".repeat(8_000)}`)],
  ["a path of 8 kB", get(`/v1/${"n".repeat(8_000)}`)],
  ["an id of 8 kB", get(`/v1/customers/${"n".repeat(8_000)}`)],
  ["a version of 8 kB", { path: "/v1/account", headers: { "svc-version": "9".repeat(8_000) } }],
  ["an idempotency key of 8 kB", { ...customerWith({}), headers: { "idempotency-key": "9".repeat(8_000) } }],
  ["a media type of 8 kB", { ...customerWith({}), headers: { "content-type": "9".repeat(8_000) } }],
  ["an API key of 8 kB", { path: "/v1/account", headers: { authorization: `Bearer ${"9".repeat(8_000)}` } }]
]
