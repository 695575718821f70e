import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { issueTime, localDate, timestamp } from "../../src/runtime/AuthorityTime.ts"

describe("AuthorityTime", () => {
  it("writes an instant in the authority's zone", () => {
    const instant = Date.UTC(2026, 10, 21, 15, 0, 0, 7)
    assert.strictEqual(timestamp(instant), "2026-11-21T10:00:00.007-05:00")
    assert.strictEqual(localDate(instant), "2026-11-21")
    assert.strictEqual(issueTime(instant), "10:00:00-05:00")
  })

  it("changes the date at the zone's midnight, in every season", () => {
    for (const month of [0, 3, 6, 9]) {
      const midnight = Date.UTC(2026, month, 15, 5)
      assert.strictEqual(localDate(midnight).slice(-2), "15")
      assert.strictEqual(localDate(midnight - 1).slice(-2), "14")
      assert.strictEqual(issueTime(midnight - 1), "23:59:59-05:00")
      assert.strictEqual(issueTime(midnight), "00:00:00-05:00")
    }
  })

  const epochMs = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Date.UTC(9999, 0) }))
  it.prop("names the same instant, with date and time that agree", [epochMs], ([instant]) => {
    const text = timestamp(instant)
    assert.strictEqual(Date.parse(text), instant)
    assert.strictEqual(Date.parse(`${localDate(instant)}T${issueTime(instant)}`), Math.floor(instant / 1000) * 1000)
  })
})
