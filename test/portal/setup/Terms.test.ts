import { assert, describe, it } from "@effect/vitest"
import { untilDay, untilMoment } from "../../../src/portal/setup/SetupTerms.ts"

const english = (en: string, _es: string) => en
// Eight in the evening of 21 November in the authority's zone: already the 22nd in UTC.
const now = Date.parse("2026-11-22T01:00:00Z")

const words = (lastDay: string) => untilDay(english, lastDay, now).words
const at = (moment: string) => untilMoment(english, moment, now)

describe("the remaining time of a term", () => {
  it("counts the days of the authority's zone", () => {
    assert.strictEqual(words("2026-11-19"), "Expired 2 days ago")
    assert.strictEqual(words("2026-11-20"), "Expired yesterday")
    assert.strictEqual(words("2026-11-21"), "Expires today")
    assert.strictEqual(words("2026-11-22"), "Expires tomorrow")
    assert.strictEqual(words("2026-12-21"), "Expires in 30 days")
    assert.strictEqual(words("2026-12-22"), "Valid")
  })

  it("ends at the exact moment, and not at the end of its day", () => {
    assert.deepInclude(at("2026-11-21T19:59:00-05:00"), { words: "Expired today", isOver: true, tone: "bad" })
    assert.deepInclude(at("2026-11-21T20:01:00-05:00"), { words: "Expires today", isSoon: true, tone: "wait" })
    assert.deepInclude(at("2027-11-21T20:01:00-05:00"), { isOver: false, isSoon: false, tone: "ok" })
  })
})
