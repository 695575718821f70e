import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { check, describe as tell } from "./checks/Check.ts"
import { auditLifecycle, commandSequences } from "./checks/documents/Lifecycles.ts"
import * as MemoryWorld from "./worlds/MemoryWorld.ts"
import { run } from "./Run.ts"
import { type Sequence, sequences } from "./steps/Steps.ts"

// The same sequences on each run: `npm run model` looks for new ones.
const seed = "model"

describe("model", () => {
  it.prop(
    "holds for the lifecycle's table",
    { commands: commandSequences },
    ({ commands }) => assert.deepStrictEqual(auditLifecycle(commands), []),
    { arbitrary: { runs: 2_000, seed, size: 40 } }
  )

  it.live("holds for routes and actors on machines that fail", () =>
    Effect.gen(function* () {
      const world = yield* MemoryWorld.make()
      const { failure, met } = yield* check((sequence) => Effect.as(world.reset(sequence.seed), world), {
        runs: 110,
        seed
      })
      if (failure !== null) assert.fail(tell(failure))
      // A workload that never met one of these outcomes proves nothing about it.
      for (const what of mustMeet) assert.isAbove(met.get(what) ?? 0, 0, what)
    })
  )

  it.live("repeats a run to the byte, whatever was run before it", () =>
    Effect.gen(function* () {
      const world = yield* MemoryWorld.make()
      const some = yield* Arbitrary.sampleEffect(sequences, { count: 8, size: 64, seed })
      const answers = (sequence: Sequence) =>
        world.reset(sequence.seed).pipe(
          Effect.andThen(run(world, sequence)),
          Effect.map(({ journal }) => journal.entries.map(({ answered, path, reply }) => ({ answered, path, reply })))
        )
      const once = yield* Effect.forEach(some, answers)
      const again = yield* Effect.forEach(some.toReversed(), answers)
      assert.deepStrictEqual(again.toReversed(), once)
    })
  )
})

const mustMeet = [
  "create invoices: done",
  "create invoices: replayed",
  "create invoices: idempotency_conflict",
  "create invoices: hung up",
  "create invoices: resource_missing",
  "create invoices: service_unavailable",
  "create credit-notes: done",
  "create credit-notes: credit_exceeds_invoice",
  "create credit-notes: invoice_not_correctable",
  "create debit-notes: done",
  "correct invoices: done",
  "correct invoices: invoice_not_rejected",
  "email invoices: done",
  "rotate webhook-endpoints: replayed",
  "remove webhook-endpoints: done",
  "list invoices: invalid_cursor",
  "invoice.accepted_by_authority: 200",
  "invoice.accepted_by_authority: 503",
  "invoice.accepted_by_authority: no answer",
  "invoice.email.bounced: 200",
  "invoice.email.complained: 200",
  "email: refused",
  "ended: credit_note accepted_by_authority",
  "ended: accepted_by_authority",
  "ended: rejected_by_authority",
  "ended: accepted_contingency",
  "ended: range_exhausted"
]
