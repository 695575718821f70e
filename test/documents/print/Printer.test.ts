import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { getPriority } from "node:os"
import { Printer } from "../../../src/documents/print/Printer.ts"
import { lowPriorityThreads } from "../../support/processes/Threads.ts"
import { sampleDocument, sampleLine } from "../samples.ts"
import { describeLive } from "../../support/Tests.ts"
import { printThreads } from "../../../src/runtime/Limits.ts"

describeLive(Printer.layer)("the threads that print", (it) => {
  it.effect.skipIf(process.platform !== "linux" || getPriority() !== 0)("give way to the event loop", function* () {
    const before = lowPriorityThreads()
    const { pdf } = yield* Printer
    yield* Effect.forEach([1, 2], () => pdf(sampleDocument([sampleLine("Consultoría")]), null), {
      concurrency: "unbounded"
    })
    const now = lowPriorityThreads()
    assert.lengthOf(
      [...now].filter((thread) => !before.has(thread)),
      Math.min(printThreads, 2)
    )
    assert.isFalse(now.has(String(process.pid)), "the event loop does not")
  })
})
