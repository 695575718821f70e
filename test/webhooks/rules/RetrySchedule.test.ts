import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  authorityDelayMs,
  deliveryAttemptsMax,
  nextDeliveryDelayMs
} from "../../../src/webhooks/rules/RetrySchedule.ts"

const random = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const attempts = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2000 }))

describe("RetrySchedule of deliveries", () => {
  it("makes four attempts: immediately, +30 s, +5 min, +30 min", () => {
    assert.strictEqual(deliveryAttemptsMax, 4)
    assert.deepStrictEqual(
      [0, 1, 2, 3, 4, 5].map((made) => nextDeliveryDelayMs(made, 0)),
      [0, 30_000, 300_000, 1_800_000, null, null]
    )
    assert.deepStrictEqual(
      [0, 1, 2, 3, 4].map((made) => nextDeliveryDelayMs(made, 1)),
      [0, 33_000, 330_000, 1_980_000, null]
    )
  })

  const few = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 }))
  it.prop("never runs early, and at most a tenth late", [few, random], ([made, chance]) => {
    const delayMs = nextDeliveryDelayMs(made, chance)
    const plannedMs = [0, 30_000, 300_000, 1_800_000][made]
    if (plannedMs === undefined || delayMs === null) {
      assert.isTrue(plannedMs === undefined && delayMs === null)
      return
    }
    assert.isTrue(Number.isInteger(delayMs))
    assert.isAtLeast(delayMs, plannedMs)
    assert.isAtMost(delayMs, plannedMs * 1.1)
  })
})

describe("RetrySchedule of the authority", () => {
  it("doubles from one second to five minutes", () => {
    const middle = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 2000].map((made) => authorityDelayMs(made, 0.5))
    assert.deepStrictEqual(
      middle,
      [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000]
    )
    assert.strictEqual(authorityDelayMs(0, 0.5), 1_000)
  })

  it.prop("stays within a tenth of the middle, both ways", [attempts, random], ([made, chance]) => {
    const middle = authorityDelayMs(made, 0.5)
    const delayMs = authorityDelayMs(made, chance)
    assert.isAtLeast(delayMs, middle * 0.9)
    assert.isAtMost(delayMs, middle * 1.1)
    assert.strictEqual(delayMs, Math.round(middle * (0.9 + 0.2 * chance)))
  })
})
