import { Schema } from "effect"
import { documentCollections } from "../checks/documents/Document.ts"

export const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
export const step = <const Do extends string, const Fields extends Schema.Struct.Fields>(name: Do, fields: Fields) =>
  Schema.Struct({ do: Schema.Literal(name), ...fields })

/** Which API key asks, out of all of the world's: the first one more often than the others. */
const as = Schema.Literals([0, 0, 0, 1, 1, 2, 3])
/** A thing by its place among those of the asking book; from `foreign` on among all, and none that there is. */
export const item = upTo(9)
export const foreign = 8
export const nobodys = 9
// Of the first book's customers, the one whose invoices take ten seconds.
export const slowCustomer = 4
/** Few keys, so that they meet. */
const key = upTo(5)
const mayHaveKey = Schema.NullOr(key)
/** `hang up`: the client goes away as soon as it has asked. `twice`: the same request once more at the same time. */
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
/** What becomes of the e-mails to a customer; none where the customer has no address. */
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
/** Several invoices at the same time, each with a key of its own. */
const burst = step("burst", { as, customer: item, count: Schema.Literals([2, 3, 4, 5]) })
/** A note to one of the invoices: over its lines, over the first of them, or over a line that is worth more than all. */
const note = step("note", {
  as,
  key,
  kind: Schema.Literals(["credit", "credit", "credit", "debit"]),
  invoice: item,
  lines: Schema.Literals([...creditLineSets, ...creditLineSets, "part", "part", "wrong tax"]),
  how
})
/** Several notes to one invoice at the same time, each over its first line and with a key of its own. */
const notes = step("notes", {
  as,
  kind: Schema.Literals(["credit", "credit", "debit"]),
  invoice: item,
  count: Schema.Literals([2, 3])
})
const annul = step("annul", { as, key, invoice: item, how })
const ofDocuments = Schema.Literals(["invoices", "invoices", "invoices", "credit-notes", "debit-notes"])
/** A document is e-mailed once more, to its customer or to somebody else. */
const email = step("email", {
  as,
  key,
  what: ofDocuments,
  item,
  to: Schema.Literals(["customer", "customer", "taken", "bounced", "complained"]),
  how
})
const cancel = step("cancel", { as, what: ofDocuments, item, how })
/** A document, one that is rejected if there is any, becomes an invoice to this customer. */
const correct = step("correct", {
  as,
  key,
  item,
  customer: item,
  lines: Schema.Literals([...lineSets, ...lineSets, "wrong tax"]),
  how
})
const retry = step("retry", { as, key, what: ofDocuments, item, how })
/** An earlier request with a key once more, as it was or with one thing changed. */
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
/** Off, and on again after a while. */
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
/** A day and an hour: keys may be used again. */
const tomorrow = step("tomorrow", {})

/** What a client asks for, and time that passes. */
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
/** The same, as often as it is to be drawn. */
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
