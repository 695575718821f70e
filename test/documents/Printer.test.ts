import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import { constants, getPriority } from "node:os"
import { Printer, printThreads } from "../../src/documents/Printer.ts"
import { sampleDocument, sampleLine } from "./samples.ts"

/** How urgent each thread of this process is: 0 by default, more for those that give way to others (proc(5), field 19 of `stat`). */
const niceness = () =>
  Fs.readdirSync("/proc/self/task").map((thread) =>
    Number(
      Fs.readFileSync(`/proc/self/task/${thread}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ")[16]
    )
  )

const giveWay = (list: ReadonlyArray<number>) =>
  list.filter((nice) => nice === constants.priority.PRIORITY_BELOW_NORMAL).length

layer(Printer.layer, { excludeTestServices: true })("the threads that print", (it) => {
  it.effect.skipIf(process.platform !== "linux" || getPriority() !== 0)("give way to the event loop", () =>
    Effect.gen(function* () {
      const before = niceness()
      const { pdf } = yield* Printer
      yield* Effect.forEach([1, 2], () => pdf(sampleDocument([sampleLine("Consultoría")])), {
        concurrency: "unbounded"
      })
      assert.strictEqual(giveWay(niceness()) - giveWay(before), Math.min(printThreads, 2))
      assert.isAbove(niceness().filter((nice) => nice === 0).length, 0, "the others do not")
    })
  )
})
