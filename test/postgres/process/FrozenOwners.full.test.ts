import { assert, describe } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { FaultPoint } from "../../../src/runtime/Fault.ts"
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

/** Freezes the process that first passes the fault point while it handles this key's invoice. */
const freezeOne = Effect.fnUntraced(function* (fault: ArmedFault, key: string) {
  const { processes } = yield* SeveralProcesses
  const freezes = Effect.forEach(processes, ({ log }) =>
    Effect.map(log, (text) => text.split(`frozen at ${fault.point}`).length)
  )
  // A document whose actor moves during its call to the authority waits for the lease of the call. Another test covers
  // this.
  yield* balanced
  const before = yield* freezes
  yield* Effect.forEach(processes, (process) => process.arm(fault))
  const request = yield* Effect.forkChild(insist(key))
  const froze = until(freezes, (counts) => counts.some((count, index) => count > before[index]!))
  // The test fails on a request without an acknowledgement, instead of waiting for it.
  const after = yield* Effect.raceFirst(froze, Effect.andThen(Fiber.join(request), Effect.never))
  const frozen = processes.filter((_, index) => after[index]! > before[index]!)
  const others = processes.filter((process) => !frozen.includes(process))
  yield* Effect.forEach(others, (process) => process.arm(never))
  assert.lengthOf(frozen, 1)
  return { frozen: frozen[0]!, request }
})

/** Number of submissions to the authority by all processes. */
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

/**
 * The lease lasts 6 s, and a dead worker's work is free after 8 s. The rest is a margin. Alone, the test takes 20 s.
 */
const within = 120_000

/** Freezes an owner at the point, waits for its successor, wakes it up, and compares all data. */
const freezeAndWake = Effect.fnUntraced(function* ([point, action]: Case) {
  const before = yield* submissions
  const { frozen, request } = yield* freezeOne({ point, hit: 1, action }, `${point} 0`)
  const began = performance.now()
  yield* Fiber.join(request)
  yield* settled
  assert.isBelow(performance.now() - began, within, "the successor continues")
  yield* frozen.signal("SIGCONT")
  yield* until(frozen.ready, (status) => status === 200)
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

// Concurrent, because each test waits for leases most of the time.
const it = itOn(SeveralProcesses.layer(2, never))

describe("A frozen owner", { concurrent: true }, () => {
  it.live.each(owners)(
    "loses its work to a successor, and changes nothing when it wakes up: $owner",
    function* ({ cases, doubled }) {
      const results = yield* Effect.forEach(cases, freezeAndWake)
      // Another process has sent the bytes that the frozen owner was about to send.
      const [{ submissions: sent }] = results as [(typeof results)[0]]
      assert.strictEqual(sent, 5)
      assert.isAtMost(results.at(-1)?.doubled ?? 0, doubled)
    }
  )
})
