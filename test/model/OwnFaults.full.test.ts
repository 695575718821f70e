import { assert, describe } from "@effect/vitest"
import { type Context, Effect, Layer, Option } from "effect"
import { check, describe as tell, type MemoryWorldOptions, memoryWorld, type Sequence } from "./Testing.ts"
import {
  Authority,
  AuthorityRefusal,
  AuthorityUnavailable,
  type Verdict
} from "../../src/invoices/authority/Authority.ts"
import { type WebhookResponse, WebhookSender } from "../../src/webhooks/sender/WebhookSender.ts"
import { AuthorityCircuits } from "../../src/invoices/store/AuthorityCircuits.ts"
import { Invoices } from "../../src/invoices/store/Invoices.ts"
import { Transitions } from "../../src/invoices/store/Transitions.ts"
import { Deliveries } from "../../src/webhooks/store/Deliveries.ts"
import { accepted, rejected, unreachable } from "../support/apps/Fakes.ts"
import { it } from "../support/Tests.ts"

type Failing = Effect.Effect<void, AuthorityUnavailable | AuthorityRefusal>

/** Faults of a team's own port at every n-th call, with the name of the outcome that the model then meets. */
const faults: ReadonlyArray<{
  readonly name: string
  readonly every: number
  readonly fault: Failing
  readonly met: string | null
}> = [
  {
    name: "is unavailable",
    every: 4,
    fault: Effect.fail(new AuthorityUnavailable({ message: "503" })),
    met: "submit at the authority: unavailable"
  },
  { name: "dies", every: 10, fault: Effect.die(new Error("a bug of ours")), met: "submit at the authority: broken" },
  { name: "hangs", every: 5, fault: Effect.never, met: null },
  {
    name: "refuses",
    every: 5,
    fault: Effect.fail(new AuthorityRefusal({ message: "not authorized" })),
    met: "ended: authority_refused"
  },
  { name: "is late", every: 3, fault: Effect.sleep("4 seconds"), met: null },
  {
    name: "is always unavailable",
    every: 1,
    fault: Effect.fail(new AuthorityUnavailable({ message: "503" })),
    met: "submit at the authority: unavailable"
  },
  { name: "can often not be reached", every: 3, fault: unreachable, met: "submit at the authority: unreachable" },
  { name: "can never be reached", every: 1, fault: unreachable, met: "ended: accepted_contingency" },
  { name: "always dies", every: 1, fault: Effect.die(new Error("a bug of ours")), met: "ended: internal_error" }
]

/** An authority that decides by the last digit, with this fault at every n-th call, before or after its decision. */
const failing = (every: number, fault: Failing) =>
  Layer.sync(Authority, () => {
    const verdicts = new Map<string, Verdict>()
    let calls = 0
    const sometimes = Effect.suspend(() => (++calls % every === 0 ? fault : Effect.void))
    return Authority.of({
      submit: ({ cufe }) => {
        const verdict = /[13579bdf]$/.test(cufe) ? rejected : accepted
        const decide = Effect.sync(() => verdicts.set(cufe, verdict))
        const isBefore = fault === unreachable || /[02468ace].$/.test(cufe)
        const steps = isBefore ? [sometimes, decide] : [decide, sometimes]
        return Effect.as(Effect.all(steps), verdict)
      },
      verdict: ({ cufe }) => Effect.as(sometimes, verdicts.get(cufe) ?? null)
    })
  })

const notSent: WebhookResponse = {
  remoteIp: null,
  status: null,
  headers: {},
  body: "",
  durationMs: 0,
  error: { code: "connect", message: "The proxy is away." }
}

const senderFaults: ReadonlyArray<{
  readonly name: string
  readonly every: number
  readonly fault: (send: Effect.Effect<WebhookResponse>) => Effect.Effect<WebhookResponse>
}> = [
  { name: "fails before it sends", every: 4, fault: () => Effect.succeed(notSent) },
  { name: "fails after it has sent", every: 4, fault: (send) => Effect.as(send, notSent) },
  { name: "dies", every: 5, fault: () => Effect.die(new Error("a bug of ours")) },
  {
    name: "throws",
    every: 5,
    fault: () => {
      throw new Error("a bug of ours")
    }
  },
  { name: "is late", every: 3, fault: (send) => Effect.delay(send, "4 seconds") },
  { name: "hangs", every: 5, fault: () => Effect.never },
  { name: "always fails", every: 1, fault: () => Effect.succeed(notSent) }
]

const failingSender = (every: number, fault: (typeof senderFaults)[number]["fault"]) =>
  Layer.effect(
    WebhookSender,
    Effect.map(WebhookSender, ({ send }) => {
      let calls = 0
      return WebhookSender.of({ send: (request) => (++calls % every === 0 ? fault(send(request)) : send(request)) })
    })
  )

/** A part of the store that wraps the memory store's own. */
const inFront = <I, S extends object>(service: Context.Key<I, S>, members: (inner: S) => Partial<S>) =>
  Layer.effect(
    service,
    Effect.map(Effect.service(service), (inner) => ({ ...inner, ...members(inner) }))
  )

/** Errors of the service itself while its ports fail, with the expected finding. */
const wrongs: ReadonlyArray<{
  readonly name: string
  readonly store: NonNullable<MemoryWorldOptions["store"]>
  readonly says: RegExp
}> = [
  {
    name: "submits twice",
    store: inFront(Invoices, ({ load }) => ({
      load: (key) =>
        Effect.map(
          load(key),
          Option.map((row) => ({ ...row, submitted_at: null }))
        )
    })),
    says: /was submitted again without asking the authority first/
  },
  {
    name: "loses a document that waits",
    store: inFront(Transitions, ({ moveAll }) => ({
      moveAll: (steps) =>
        moveAll(
          steps.map((step) => (step.command === null && step.attempt !== true ? { ...step, alarmMs: null } : step))
        )
    })),
    says: /came to no end/
  },
  {
    name: "issues in contingency immediately",
    store: inFront(AuthorityCircuits, ({ failed, read }) => ({
      failed: (...call) => Effect.map(failed(...call), (state) => ({ ...state, is_open: true })),
      read: (name) => Effect.map(read(name), (state) => ({ ...state, is_open: state.failing_ms !== null }))
    })),
    says: /the authority was not away for so long/
  },
  {
    name: "takes rejection for acceptance",
    store: inFront(Transitions, ({ moveAll }) => ({
      moveAll: (steps) =>
        moveAll(
          steps.map((step) => (step.to === "rejected_by_authority" ? { ...step, to: "accepted_by_authority" } : step))
        )
    })),
    says: /the authority says otherwise/
  },
  {
    name: "gives up a delivery",
    store: inFront(Deliveries, ({ record }) => ({
      record: (attempt) => record({ ...attempt, retryInMs: null })
    })),
    says: /was never taken/
  }
]

const checkOwn = Effect.fnUntraced(function* (options: MemoryWorldOptions, how: Parameters<typeof check>[1]) {
  const world = yield* memoryWorld(options)
  return yield* check(({ seed }: Sequence) => Effect.as(world.reset(seed), world), how)
})

/** Number of runs that meets the fault: any run meets a fault of each call, few meet one in ten calls. */
const runsFor = (every: number) => (every > 5 ? 16 : every > 4 ? 8 : 5)

describe("faults of a team's own ports", () => {
  it.live.each(faults)("an authority that $name is not the service's fault", ({ every, fault, met: meets, name }) =>
    Effect.gen(function* () {
      const { failure, met } = yield* checkOwn(
        { authority: failing(every, fault) },
        // With some faults the authority accepts nothing.
        { runs: runsFor(every), seed: name, mustMeet: [] }
      )
      if (failure !== null) assert.fail(tell(failure))
      if (meets !== null) assert.isAbove(met.get(meets) ?? 0, 1, meets)
    })
  )

  it.live.each(senderFaults)("a sender that $name is not the service's fault", ({ every, fault, name }) =>
    Effect.gen(function* () {
      const { failure } = yield* checkOwn({ sender: failingSender(every, fault) }, { runs: runsFor(every), seed: name })
      if (failure !== null) assert.fail(tell(failure))
    })
  )

  it.live.each(wrongs)("a service that $name fails the check", ({ name, says, store }) =>
    Effect.gen(function* () {
      const authority = failing(4, Effect.fail(new AuthorityUnavailable({ message: "503" })))
      const sender = failingSender(4, () => Effect.succeed(notSent))
      const { failure } = yield* checkOwn({ authority, sender, store }, { runs: 200, seed: name })
      assert.match(failure?.findings.join("\n") ?? "", says)
      assert.isAtMost(failure?.shortest.steps.length ?? 99, 4, failure === null ? "" : tell(failure))
    })
  )
})
