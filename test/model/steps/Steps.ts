import { Arbitrary, Schema } from "effect"
import { faults, machine, moods, upset } from "./FaultSteps.ts"
import { asked, often, slowCustomer, upTo } from "./RequestSteps.ts"

/** A step that is a command of a team's own, with what it is run with. */
export interface OwnStep {
  readonly do: "own"
  readonly name: string
  readonly input: unknown
}

const KnownStep = Schema.Union([...asked, ...moods, ...faults])
/** A step of a sequence: a request, time that passes, a mood, a fault, or a command of a team's own. `do` says which. */
export type Step = typeof KnownStep.Type | OwnStep
export type StepOf<Do extends Step["do"]> = Extract<Step, { readonly do: Do }>

const roughSteps: ReadonlyArray<string> = ["statement", "crash", "defect", "tells", "machine", "thaw"]
export const isRough = (one: Step): boolean => roughSteps.includes(one.do)
const moodySteps: ReadonlyArray<string> = ["authority", "outage", "receiver", "operator"]
export const isMoody = (one: Step): boolean => moodySteps.includes(one.do)

/** What a run is: it says everything, the order of events among it, so that it can be repeated. */
export interface Sequence {
  readonly seed: number
  readonly steps: ReadonlyArray<Step>
}

const calm = Arbitrary.schema(Schema.Union(often))
const moody = Arbitrary.schema(Schema.Union([...often, ...upset]))
const rough = Arbitrary.schema(Schema.Union([...often, ...upset, ...faults, ...faults, machine, machine]))

const stepsMax = 28

/**
 * Sequences of commands, legal and illegal, over the whole API: a third of them in calm weather (nothing but requests and
 * time), a third with an authority and receivers in bad moods, and a third in which machines and the database fail as well.
 */
export const sequences: Arbitrary.Arbitrary<Sequence> = Arbitrary.all({
  seed: Arbitrary.schema(upTo(2 ** 31 - 1)),
  steps: Arbitrary.flatMap(Arbitrary.schema(Schema.Literals(["calm", "moody", "rough"])), (weather) =>
    Arbitrary.array(weather === "calm" ? calm : weather === "moody" ? moody : rough, { maxLength: stepsMax })
  )
})

// What nobody outside a service can do to it, and what takes long.
const isPolite = (one: Step): boolean => !isRough(one) && !["operator", "authority", "outage"].includes(one.do)
const slowBuyers: ReadonlyArray<string> = ["slow", "away"]

/** Sequences for a service that runs elsewhere, and in real time: only what a client can ask for. */
export const politeSequences: Arbitrary.Arbitrary<Sequence> = Arbitrary.map(sequences, ({ seed, steps }) => ({
  seed,
  steps: steps.filter(isPolite).map((one) => {
    if (one.do === "customer" && slowBuyers.includes(one.buyer)) return { ...one, buyer: "notified" }
    if ((one.do === "invoice" || one.do === "burst") && one.customer === slowCustomer) return { ...one, customer: 0 }
    return one
  })
}))
