import { Arbitrary, Schema } from "effect"
import { faults, machine, moods, upset } from "./FaultSteps.ts"
import { asked, often, slowCustomer, upTo } from "./RequestSteps.ts"

/** A step that is a team's own command, with its input. */
export interface OwnStep {
  readonly do: "own"
  readonly name: string
  readonly input: unknown
}

const KnownStep = Schema.Union([...asked, ...moods, ...faults])
/** A step of a sequence: a request, the passing of time, a mood, a fault, or a team's own command. `do` says which. */
export type Step = typeof KnownStep.Type | OwnStep
export type StepOf<Do extends Step["do"]> = Extract<Step, { readonly do: Do }>

const roughSteps: ReadonlyArray<string> = ["statement", "crash", "defect", "tells", "machine", "thaw"]
export const isRough = (one: Step): boolean => roughSteps.includes(one.do)
const moodySteps: ReadonlyArray<string> = ["authority", "outage", "receiver", "operator"]
export const isMoody = (one: Step): boolean => moodySteps.includes(one.do)

/** A complete description of a run, including the order of events, so that the run can be repeated. */
export interface Sequence {
  readonly seed: number
  readonly steps: ReadonlyArray<Step>
}

const calm = Arbitrary.schema(Schema.Union(often))
const moody = Arbitrary.schema(Schema.Union([...often, ...upset]))
const rough = Arbitrary.schema(Schema.Union([...often, ...upset, ...faults, ...faults, machine, machine]))

const stepsMax = 28

/**
 * Sequences of commands, legal and illegal, over the whole API. A third has no faults (only requests and time), a third
 * has an authority and receivers in bad moods, and in a third machines and the database fail as well.
 */
export const sequences: Arbitrary.Arbitrary<Sequence> = Arbitrary.all({
  seed: Arbitrary.schema(upTo(2 ** 31 - 1)),
  steps: Arbitrary.flatMap(Arbitrary.schema(Schema.Literals(["calm", "moody", "rough"])), (weather) =>
    Arbitrary.array(weather === "calm" ? calm : weather === "moody" ? moody : rough, { maxLength: stepsMax })
  )
})

// Excludes faults inside the service, and slow steps.
const isPolite = (one: Step): boolean => !isRough(one) && !["operator", "authority", "outage"].includes(one.do)
const slowBuyers: ReadonlyArray<string> = ["slow", "away"]

/** Sequences for a service that runs elsewhere, in real time: only requests of a client. */
export const politeSequences: Arbitrary.Arbitrary<Sequence> = Arbitrary.map(sequences, ({ seed, steps }) => ({
  seed,
  steps: steps.filter(isPolite).map((one) => {
    if (one.do === "customer" && slowBuyers.includes(one.buyer)) return { ...one, buyer: "notified" }
    if ((one.do === "invoice" || one.do === "burst") && one.customer === slowCustomer) return { ...one, customer: 0 }
    return one
  })
}))
