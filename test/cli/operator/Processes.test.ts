import { assert, describe } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { it as plain } from "vitest"
import { isSettled, waitAfter } from "../../../src/service/supervisor/Child.ts"
import { processes, processesFor } from "../../../src/runtime/process/Settings.ts"
import { it } from "../../support/Tests.ts"

const GiB = 1024 ** 3

const set = (value: string) =>
  Effect.provide(processes, ConfigProvider.layer(ConfigProvider.fromUnknown({ PROCESSES: value })))

describe("PROCESSES", () => {
  plain("means one process per core, as far as the memory allows, if set to auto", () => {
    const cases = [
      [1, 8 * GiB, 1],
      [2, 8 * GiB, 2],
      [8, 2 * GiB, 2],
      [4, 0.25 * GiB, 1],
      [256, 512 * GiB, 64]
    ] as const
    for (const [cores, bytes, count] of cases) assert.strictEqual(processesFor(cores, bytes), count)
  })

  it.effect("accepts only a number from 1 to 64, or auto", function* () {
    assert.strictEqual(yield* set("1"), 1)
    assert.isAtLeast(yield* set("auto"), 1)
    for (const wrong of ["0", "65", "-1", "2.5", "two", " 2"]) {
      assert.match((yield* Effect.flip(set(wrong))).message, /^PROCESSES must be auto, or /)
    }
  })
})

describe("A process that exits repeatedly", () => {
  plain("restarts immediately, and then with growing delays up to 30 s", () => {
    const waits = Array.from({ length: 8 }, (_, index) => waitAfter(index + 1))
    assert.deepStrictEqual(waits, [0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  })

  plain("counts as settled after a minute", () => {
    assert.isFalse(isSettled(59_999))
    assert.isTrue(isSettled(60_000))
  })
})
