import { Schema } from "effect"
import { documentCollections } from "../checks/documents/Document.ts"

export const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
export const step = <const Do extends string, const Fields extends Schema.Struct.Fields>(name: Do, fields: Fields) =>
  Schema.Struct({ do: Schema.Literal(name), ...fields })

/** The requesting API key, by its index in the world: the first one more often than the others. */
const as = Schema.Literals([0, 0, 0, 1, 1, 2, 3])
/**
 * An object by its index among the requesting book's objects; from `foreign` on among all objects, including an unknown
 * id.
 */
export const item = upTo(9)
export const foreign = 8
export const nobodys = 9
// The first book's customer whose invoices take ten seconds.
export const slowCustomer = 4
/** Few keys, so that requests share them. */
const key = upTo(5)
const mayHaveKey = Schema.NullOr(key)
/** `hang up`: the client disconnects immediately after the request. `twice`: the same request again, concurrently. */
const how = Schema.Literals(["wait", "wait", "wait", "wait", "go on", "go on", "go on", "twice", "hang up"])

export const buyers = [
  "accepted",
  "rejected",
  "flaky",
  "notified",
  "lost",
  "slow",
  "person",
  "away",
  "refused"
] as const
export const wrongBuyers = ["wrong digit", "no name"] as const
export const lineSets = ["one", "two", "untaxed", "five"] as const
export const wrongLineSets = ["wrong amount", "wrong tax", "no lines"] as const
export const creditLineSets = ["whole", "part", "more"] as const
/** Outcome of the emails to a customer; `none`: the customer has no address. */
export const addresses = ["none", "taken", "bounced", "complained"] as const
export const collections = ["customers", ...documentCollections, "webhook-endpoints"] as const

const customer = step("customer", {
  as,
  key,
  buyer: Schema.Literals([...buyers, ...buyers, ...buyers, ...wrongBuyers]),
  mail: Schema.Literals(addresses),
  how
})
const invoice = step("invoice", {
  as,
  key,
  customer: item,
  lines: Schema.Literals([...lineSets, ...lineSets, ...lineSets, ...lineSets, ...wrongLineSets]),
  how
})
/** Several concurrent invoices, each with a key of its own. */
const burst = step("burst", { as, customer: item, count: Schema.Literals([2, 3, 4, 5]) })
/** A note on one of the invoices: on its lines, on the first of them, or on a line worth more than all of them. */
const note = step("note", {
  as,
  key,
  kind: Schema.Literals(["credit", "credit", "credit", "debit"]),
  invoice: item,
  lines: Schema.Literals([...creditLineSets, ...creditLineSets, "part", "part", "wrong tax"]),
  how
})
/** Several concurrent notes on one invoice, each on its first line and with a key of its own. */
const notes = step("notes", {
  as,
  kind: Schema.Literals(["credit", "credit", "debit"]),
  invoice: item,
  count: Schema.Literals([2, 3])
})
const annul = step("annul", { as, key, invoice: item, how })
const ofDocuments = Schema.Literals(["invoices", "invoices", "invoices", "credit-notes", "debit-notes"])
/** Emails a document again, to its customer or to another address. */
const email = step("email", {
  as,
  key,
  what: ofDocuments,
  item,
  to: Schema.Literals(["customer", "customer", "taken", "bounced", "complained"]),
  how
})
const cancel = step("cancel", { as, what: ofDocuments, item, how })
/** Corrects a document, a rejected one if there is any, into an invoice to this customer. */
const correct = step("correct", {
  as,
  key,
  item,
  customer: item,
  lines: Schema.Literals([...lineSets, ...lineSets, "wrong tax"]),
  how
})
const retry = step("retry", { as, key, what: ofDocuments, item, how })
/** Repeats an earlier request with an idempotency key, unchanged or with one change. */
const again = step("again", {
  request: item,
  change: Schema.Literals(["nothing", "nothing", "layout", "body", "path", "account"]),
  how
})
const endpoint = step("endpoint", {
  as,
  key: mayHaveKey,
  subscribes: Schema.Literals(["all", "any", "accepted", "rejected", "others"]),
  inFlight: Schema.Literals([1, 2, 8]),
  how
})
const change = step("change", {
  as,
  endpoint: item,
  what: Schema.Literals(["off", "on", "all", "accepted", "rejected", "describe"]),
  method: Schema.Literals(["PATCH", "POST"]),
  key: mayHaveKey,
  how
})
/** Deactivates an endpoint, and activates it again after a while. */
const pause = step("pause", { as, endpoint: item, millis: Schema.Literals([1, 2_000, 31_000, 400_000]) })
const remove = step("remove", { as, endpoint: item, how })
const rotate = step("rotate", { as, endpoint: item, key: mayHaveKey, how })
const read = step("read", { as, what: Schema.Literals(collections), item })
const list = step("list", {
  as,
  what: Schema.Literals(collections),
  limit: Schema.Literals([0, 1, 2, 3, 10]),
  from: Schema.Literals(["start", "after", "before", "both", "nowhere"]),
  item
})
const pass = step("pass", { millis: Schema.Literals([1, 300, 1_000, 6_000, 31_000, 400_000, 2_000_000]) })
/** A day and an hour: idempotency keys can be used again. */
const tomorrow = step("tomorrow", {})

/** Requests of a client, and the passing of time. */
export const asked = [
  customer,
  invoice,
  burst,
  note,
  notes,
  annul,
  email,
  cancel,
  retry,
  correct,
  again,
  endpoint,
  change,
  pause,
  remove,
  rotate,
  read,
  list,
  pass,
  tomorrow
] as const

const invoices = [
  invoice,
  invoice,
  invoice,
  invoice,
  invoice,
  invoice,
  burst,
  note,
  note,
  note,
  notes,
  correct,
  correct
]
/** The same steps, repeated by the frequency with which they are drawn. */
export const often = [
  ...invoices,
  ...asked,
  customer,
  email,
  email,
  again,
  again,
  again,
  endpoint,
  change,
  change,
  change,
  rotate,
  pass,
  pass
]
