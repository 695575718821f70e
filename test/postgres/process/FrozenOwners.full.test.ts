import { assert, describe } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { FaultPoint } from "../../../src/protocol/Fault.ts"
import {
  balanced,
  insist,
  settleAndReconcile,
  settled,
  SeveralProcesses
} from "../../support/processes/SeveralProcesses.ts"
import { type ArmedFault, never } from "../../support/processes/ServiceProcess.ts"
import { until } from "../../support/apps/Until.ts"
import { itOn } from "../../support/Tests.ts"

type Case = readonly [point: FaultPoint, action: NonNullable<ArmedFault["action"]>]

/** Freezes whichever process first passes the point on the way of this key's invoice. */
const freezeOne = Effect.fnUntraced(function* (fault: ArmedFault, key: string) {
  const { processes } = yield* SeveralProcesses
  const freezes = Effect.forEach(processes, ({ log }) =>
    Effect.map(log, (text) => text.split(`frozen at ${fault.point}`).length)
  )
  // A document whose actor moves within its call to the authority rests for the lease of the call, which is another test's.
  yield* balanced
  const before = yield* freezes
  yield* Effect.forEach(processes, (process) => process.arm(fault))
  const request = yield* Effect.forkChild(insist(key))
  const froze = until(freezes, (counts) => counts.some((count, index) => count > before[index]!), "120 seconds")
  // A request that no process acknowledges fails the test, and is not waited for.
  const after = yield* Effect.raceFirst(froze, Effect.andThen(Fiber.join(request), Effect.never))
  const frozen = processes.filter((_, index) => after[index]! > before[index]!)
  const others = processes.filter((process) => !frozen.includes(process))
  yield* Effect.forEach(others, (process) => process.arm(never))
  assert.lengthOf(frozen, 1)
  return { frozen: frozen[0]!, request }
})

/** How often any of the processes has sent a document to the authority. */
const submissions = Effect.gen(function* () {
  const { processes } = yield* SeveralProcesses
  const texts = yield* Effect.forEach(processes, ({ url }) =>
    Effect.promise(async () => (await fetch(`${url}/metrics`)).text())
  )
  const counts = texts.flatMap((text) => [
    ...text.matchAll(/^folio_authority_call_duration_seconds_count\{call="submit",.*\} (\d+)$/gmu)
  ])
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
})

/** The lease lasts 6 s, and what a dead worker held is free after 8 s; the rest is for a slow machine. Alone, it takes 20 s. */
const within = 60_000

/** Freezes an owner there, sees the other go on, wakes it up, and compares all that is known. */
const freezeAndWake = Effect.fnUntraced(function* ([point, action]: Case) {
  const before = yield* submissions
  const { frozen, request } = yield* freezeOne({ point, hit: 1, action }, `${point} 0`)
  const began = performance.now()
  yield* Fiber.join(request)
  yield* settled
  assert.isBelow(performance.now() - began, within, "the successor goes on")
  yield* frozen.signal("SIGCONT")
  yield* until(frozen.ready, (status) => status === 200, "20 seconds")
  yield* Effect.forEach([1, 2, 3, 4], (index) => insist(`${point} ${index}`), { concurrency: "unbounded" })
  const result = yield* settleAndReconcile()
  return { ...result, submissions: (yield* submissions) - before }
})

const owners: ReadonlyArray<{ readonly owner: string; readonly cases: ReadonlyArray<Case>; readonly doubled: number }> =
  [
    {
      owner: "an account",
      cases: [
        ["before-number", "lock and freeze"],
        ["after-number", "freeze"]
      ],
      doubled: 0
    },
    {
      owner: "a document",
      cases: [
        ["after-submit", "freeze"],
        ["after-verdict", "freeze"]
      ],
      doubled: 0
    },
    {
      owner: "an endpoint",
      cases: [
        ["before-send", "freeze"],
        ["after-send", "freeze"]
      ],
      doubled: 2
    }
  ]

// Side by side: each of them waits for leases most of the time.
const it = itOn(SeveralProcesses.layer(2, never))

describe("A frozen owner", { concurrent: true }, () => {
  it.live.each(owners)("of $owner is replaced and, when it wakes up, changes nothing", function* ({ cases, doubled }) {
    const results = yield* Effect.forEach(cases, freezeAndWake)
    // The bytes that it was about to send when it froze have been sent by another.
    const [{ submissions: sent }] = results as [(typeof results)[0]]
    assert.strictEqual(sent, 5)
    assert.isAtMost(results.at(-1)?.doubled ?? 0, doubled)
  })
})
