import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { getPriority } from "node:os"
import { Printer } from "../../../src/documents/print/Printer.ts"
import { giveWay, niceness } from "../../support/processes/Threads.ts"
import { sampleDocument, sampleLine } from "../samples.ts"
import { describeLive } from "../../support/Tests.ts"
import { printThreads } from "../../../src/settings/Limits.ts"

describeLive(Printer.layer)("the threads that print", (it) => {
  it.effect.skipIf(process.platform !== "linux" || getPriority() !== 0)("give way to the event loop", function* () {
    const before = niceness()
    const { pdf } = yield* Printer
    yield* Effect.forEach([1, 2], () => pdf(sampleDocument([sampleLine("Consultoría")]), null), {
      concurrency: "unbounded"
    })
    assert.strictEqual(giveWay(niceness()) - giveWay(before), Math.min(printThreads, 2))
    assert.isAbove(niceness().filter((nice) => nice === 0).length, 0, "the others do not")
  })
})
