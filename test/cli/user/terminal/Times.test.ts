import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { momentOf } from "../../../../src/cli/user/Times.ts"

const now = new Date("2026-11-23T10:00:00.000Z")

const read = (text: string) => momentOf(text, now)?.toISOString()

describe("a time on the command line", () => {
  it("can be an age, a date of this machine's clock, or an ISO time", () => {
    assert.strictEqual(read("90s"), "2026-11-23T09:58:30.000Z")
    assert.strictEqual(read("10m"), "2026-11-23T09:50:00.000Z")
    assert.strictEqual(read("2h"), "2026-11-23T08:00:00.000Z")
    assert.strictEqual(read("3d"), "2026-11-20T10:00:00.000Z")
    assert.strictEqual(read("1w"), "2026-11-16T10:00:00.000Z")
    assert.strictEqual(read("2026-11-20"), new Date(2026, 10, 20).toISOString())
    assert.strictEqual(read("2026-11-20T08:30"), new Date(2026, 10, 20, 8, 30).toISOString())
    assert.strictEqual(read("2026-11-20 08:30:15"), new Date(2026, 10, 20, 8, 30, 15).toISOString())
    assert.strictEqual(read("2026-11-20T08:30:00-05:00"), "2026-11-20T13:30:00.000Z")
  })

  it.each([
    "",
    "10",
    "m",
    "-2h",
    "2 h",
    "1.5h",
    "2026-02-30",
    "2026-13-01",
    "2026-11-20T25:00",
    "yesterday",
    "999999999w"
  ])("cannot be %j", (text) => assert.isUndefined(momentOf(text, now)))

  const times = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_102_444_800_000 }))
  it.prop("can be read back from the API's form", [times], ([time]) => {
    assert.strictEqual(momentOf(new Date(time).toISOString(), now)?.getTime(), time)
  })
})
