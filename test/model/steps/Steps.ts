import { Arbitrary, Schema } from "effect"
import type { FaultPoint } from "../../../src/protocol/Fault.ts"
import { statementFaults } from "../worlds/Faults.ts"
import { authorityMoods, receiverMoods } from "../worlds/Surroundings.ts"

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
const step = <const Do extends string, const Fields extends Schema.Struct.Fields>(name: Do, fields: Fields) =>
  Schema.Struct({ do: Schema.Literal(name), ...fields })

/** Which API key asks, out of all of the world's: the first one more often than the others. */
const as = Schema.Literals([0, 0, 0, 1, 1, 2, 3])
/** A thing by its place among those of the asking book; from `foreign` on among all, and none that there is. */
const item = upTo(9)
export const foreign = 8
export const nobodys = 9
// Of the first book's customers, the one whose invoices take ten seconds.
const slowCustomer = 4
/** Few keys, so that they meet. */
const key = upTo(5)
const mayHaveKey = Schema.NullOr(key)
/** `hang up`: the client goes away as soon as it has asked. `twice`: the same request once more at the same time. */
const how = Schema.Literals(["wait", "wait", "wait", "wait", "go on", "go on", "go on", "twice", "hang up"])

export const buyers = ["accepted", "rejected", "flaky", "notified", "lost", "slow", "person"] as const
export const wrongBuyers = ["wrong digit", "no name"] as const
export const lineSets = ["one", "two", "untaxed", "five"] as const
export const wrongLineSets = ["wrong amount", "wrong tax", "no lines"] as const
export const collections = ["customers", "invoices", "webhook-endpoints"] as const

const customer = step("customer", {
  as,
  key,
  buyer: Schema.Literals([...buyers, ...buyers, ...buyers, ...wrongBuyers]),
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
/** An earlier request with a key once more, as it was or with one thing changed. */
const again = step("again", {
  request: item,
  change: Schema.Literals(["nothing", "nothing", "layout", "body", "path", "account"]),
  how
})
const endpoint = step("endpoint", {
  as,
  key: mayHaveKey,
  subscribes: Schema.Literals(["all", "all", "accepted", "rejected", "others"]),
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

const authority = step("authority", { mood: Schema.Literals(authorityMoods), times: Schema.Literals([1, 2, 3, 6]) })
const receiver = step("receiver", {
  endpoint: item,
  mood: Schema.Literals(receiverMoods),
  times: Schema.Literals([1, 2, 3, 4, 5])
})

const calls = [
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
  "IdempotencyKeys.once",
  "IdempotencyKeys.lookup",
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
  "before-send",
  "after-send",
  "after-record"
]
const skip = upTo(3)
const statement = step("statement", { call: Schema.Literals(calls), fault: Schema.Literals(statementFaults), skip })
const crash = step("crash", { point: Schema.Literals(points), skip })
/** Something of ours throws where it should not. */
const defect = step("defect", {
  point: Schema.Literals(["before-number", "before-sign", "after-submit", "after-verdict"]),
  times: upTo(6)
})
const tells = step("tells", { times: Schema.Literals([1, 2, 3]) })
/** Strikes when so many more statements have begun: at any moment of what the steps after it do. */
const machine = step("machine", {
  what: Schema.Literals(["kill", "freeze", "freeze", "move", "move"]),
  machine: upTo(1),
  after: upTo(30)
})
const thaw = step("thaw", { machine: upTo(1) })
/** What a part of the service to come does, by the lifecycle's own table, to one of the documents that it is possible for. */
const operator = step("operator", {
  command: Schema.Literals(["EnterContingency", "EnterContingency", "Accept", "Reject"]),
  item
})

const asked = [
  customer,
  invoice,
  burst,
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
const moods = [authority, receiver, operator] as const
const faults = [statement, crash, defect, tells, machine, thaw] as const

/**
 * A step that is a command of a team's own, with what it is run with.
 *
 * @example
 * ```ts
 * import type { Failure, OwnStep } from "@folio-einvoicing/service/testing"
 *
 * const ownStepsOf = ({ shortest }: Failure) => shortest.steps.filter((step): step is OwnStep => step.do === "own")
 * ```
 */
export interface OwnStep {
  readonly do: "own"
  readonly name: string
  readonly input: unknown
}

const KnownStep = Schema.Union([...asked, ...moods, ...faults])
/**
 * A step of a sequence: a request, time that passes, a mood, a fault, or a command of a team's own. `do` says which.
 *
 * @example
 * ```ts
 * import { Arbitrary } from "effect"
 * import { sequences, type Step } from "@folio-einvoicing/service/testing"
 *
 * const isOnInvoices = (step: Step) => step.do === "customer" || step.do === "invoice" || step.do === "burst"
 * const onInvoices = Arbitrary.map(sequences, ({ seed, steps }) => ({ seed, steps: steps.filter(isOnInvoices) }))
 * ```
 */
export type Step = typeof KnownStep.Type | OwnStep
export type StepOf<Do extends Step["do"]> = Extract<Step, { readonly do: Do }>

const roughSteps: ReadonlyArray<string> = ["statement", "crash", "defect", "tells", "machine", "thaw"]
export const isRough = (one: Step): boolean => roughSteps.includes(one.do)
const moodySteps: ReadonlyArray<string> = ["authority", "receiver", "operator"]
export const isMoody = (one: Step): boolean => moodySteps.includes(one.do)

/**
 * What a run is: it says everything, the order of events among it, so that it can be repeated.
 *
 * @example
 * ```ts
 * import { Arbitrary } from "effect"
 * import { type Sequence, sequences } from "@folio-einvoicing/service/testing"
 *
 * const withinOneDay = ({ seed, steps }: Sequence): Sequence => ({
 *   seed,
 *   steps: steps.filter((step) => step.do !== "tomorrow")
 * })
 * const short = Arbitrary.map(sequences, withinOneDay)
 * ```
 */
export interface Sequence {
  readonly seed: number
  readonly steps: ReadonlyArray<Step>
}

const invoices = [invoice, invoice, invoice, invoice, invoice, invoice, burst]
const often = [
  ...invoices,
  ...asked,
  customer,
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
const upset = [...moods, receiver, receiver, operator, operator]
const calm = Arbitrary.schema(Schema.Union(often))
const moody = Arbitrary.schema(Schema.Union([...often, ...upset]))
const rough = Arbitrary.schema(Schema.Union([...often, ...upset, ...faults, ...faults, machine, machine]))

const stepsMax = 28

/**
 * Sequences of commands, legal and illegal, over the whole API: a third of them in calm weather (nothing but requests and
 * time), a third with an authority and receivers in bad moods, and a third in which machines and the database fail as well.
 *
 * @example
 * import { Arbitrary } from "effect"
 * import { sequences } from "@folio-einvoicing/service/testing"
 *
 * const short = Arbitrary.map(sequences, ({ seed, steps }) => ({ seed, steps: steps.slice(0, 5) }))
 */
export const sequences: Arbitrary.Arbitrary<Sequence> = Arbitrary.all({
  seed: Arbitrary.schema(upTo(2 ** 31 - 1)),
  steps: Arbitrary.flatMap(Arbitrary.schema(Schema.Literals(["calm", "moody", "rough"])), (weather) =>
    Arbitrary.array(weather === "calm" ? calm : weather === "moody" ? moody : rough, { maxLength: stepsMax })
  )
})

// What nobody outside a service can do to it, and what takes long.
const isPolite = (one: Step): boolean => !isRough(one) && one.do !== "operator" && one.do !== "authority"

/**
 * Sequences for a service that runs elsewhere, and in real time: only what a client can ask for.
 *
 * @example
 * import { Effect } from "effect"
 * import { check, politeSequences, type World } from "@folio-einvoicing/service/testing"
 *
 * const checkAt = (world: World) => check(() => Effect.succeed(world), { runs: 5, sequences: politeSequences })
 */
export const politeSequences: Arbitrary.Arbitrary<Sequence> = Arbitrary.map(sequences, ({ seed, steps }) => ({
  seed,
  steps: steps.filter(isPolite).map((one) => {
    if (one.do === "customer" && one.buyer === "slow") return { ...one, buyer: "notified" }
    if ((one.do === "invoice" || one.do === "burst") && one.customer === slowCustomer) return { ...one, customer: 0 }
    return one
  })
}))
