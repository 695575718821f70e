import { Schema } from "effect"
import type { FaultPoint } from "../../../src/runtime/Fault.ts"
import { statementFaults } from "../worlds/Faults.ts"
import { authorityMoods, receiverMoods } from "../worlds/Surroundings.ts"
import { item, step, upTo } from "./RequestSteps.ts"

const authority = step("authority", { mood: Schema.Literals(authorityMoods), times: Schema.Literals([1, 2, 3, 6]) })
/** The authority does not respond for this time. */
const outage = step("outage", { millis: Schema.Literals([60_000, 400_000, 2_000_000, 2_000_000]) })
const receiver = step("receiver", {
  endpoint: item,
  mood: Schema.Literals(receiverMoods),
  times: Schema.Literals([1, 2, 3, 4, 5])
})

export const calls = [
  "any",
  "Customers.create",
  "InvoiceCreation.create",
  "Invoices.queued",
  "Numbering.number",
  "Invoices.load",
  "Invoices.signedDocument",
  "Transitions.move",
  "Deliveries.take",
  "Deliveries.record",
  "Deliveries.rest",
  "Idempotency.once",
  "Idempotency.lookup",
  "Notes.lock",
  "Notes.insert",
  "InvoiceCommands.move",
  "InvoiceCommands.lock",
  "InvoiceCommands.correct",
  "Emails.insert",
  "Emails.take",
  "Emails.record",
  "Accounts.get",
  "Accounts.issuer",
  "Resolutions.current"
] as const
const points: ReadonlyArray<FaultPoint> = [
  "before-create",
  "after-create",
  "before-number",
  "after-number",
  "before-sign",
  "after-sign",
  "after-submit",
  "after-verdict",
  "after-outcome",
  "before-correct",
  "after-correct",
  "after-mail",
  "before-send",
  "after-send",
  "after-record"
]
const skip = upTo(3)
const statement = step("statement", { call: Schema.Literals(calls), fault: Schema.Literals(statementFaults), skip })
const crash = step("crash", { point: Schema.Literals(points), skip })
/** A call inside the service throws. */
const defect = step("defect", {
  point: Schema.Literals(["before-number", "before-sign", "after-submit", "after-verdict"]),
  times: upTo(6)
})
const tells = step("tells", { times: Schema.Literals([1, 2, 3]) })
/** The fault happens after this many further statements: at any moment of the steps after it. */
export const machine = step("machine", {
  what: Schema.Literals(["kill", "freeze", "freeze", "move", "move"]),
  machine: upTo(1),
  after: upTo(30)
})
const thaw = step("thaw", { machine: upTo(1) })
/**
 * An operator's command, as a later part of the service may give it, to a document for which the lifecycle's table
 * allows it.
 */
const operator = step("operator", {
  command: Schema.Literals(["EnterContingency", "EnterContingency", "Accept", "Reject"]),
  item
})

export const moods = [authority, outage, receiver, operator] as const
export const faults = [statement, crash, defect, tells, machine, thaw] as const

/** Moods, repeated by the frequency with which they are drawn. */
export const upset = [...moods, receiver, receiver, outage, outage, outage, operator]
