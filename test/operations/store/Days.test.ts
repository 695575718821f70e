import { assert, describe, it } from "@effect/vitest"
import { localDate } from "../../../src/runtime/AuthorityTime.ts"
import { daysUntil } from "../../../src/operations/store/Overview.ts"

const hourMs = 3_600_000
const zone = (hours: number) => (epochMs: number) => new Date(epochMs + hours * hourMs).toISOString().slice(0, 10)

describe("The days of the overview", () => {
  it("begin and end at midnight of the authority, and the last one is today", () => {
    const days = daysUntil(Date.parse("2026-11-22T04:59:59.999Z"), 3, localDate)
    assert.deepStrictEqual(
      days.map(({ date, from, to }) => [date, new Date(from).toISOString(), new Date(to).toISOString()]),
      [
        ["2026-11-19", "2026-11-19T05:00:00.000Z", "2026-11-20T05:00:00.000Z"],
        ["2026-11-20", "2026-11-20T05:00:00.000Z", "2026-11-21T05:00:00.000Z"],
        ["2026-11-21", "2026-11-21T05:00:00.000Z", "2026-11-22T05:00:00.000Z"]
      ]
    )
  })

  it.each([-12, -5, 0, 5.75, 14])("follow the zone %s h from UTC, over the end of a month", (hours) => {
    const now = Date.parse("2026-03-01T12:00:00Z")
    const days = daysUntil(now, 30, zone(hours))
    assert.strictEqual(days.length, 30)
    for (const [index, { date, from, to }] of days.entries()) {
      assert.deepStrictEqual([zone(hours)(from), zone(hours)(to - 1)], [date, date])
      assert.strictEqual(to - from, 24 * hourMs)
      assert.strictEqual(days[index + 1]?.from ?? to, to)
    }
    assert.isTrue(days.at(-1)!.from <= now && now < days.at(-1)!.to)
  })
})
