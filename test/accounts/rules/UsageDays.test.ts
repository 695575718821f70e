import { assert, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { usageDaysMax } from "../../../schemas/Usage.ts"
import { usageDays } from "../../../src/accounts/rules/UsageDays.ts"

const today = "2026-11-28"
const faultOf = (query: Parameters<typeof usageDays>[0]) =>
  Result.match(usageDays(query, today), {
    onSuccess: () => undefined,
    onFailure: ({ code, message, param }) => ({ code, message, param })
  })

it.each([
  [{}, { from: "2026-10-30", to: today }],
  [{ to: "2026-03-01" }, { from: "2026-01-31", to: "2026-03-01" }],
  [{ from: "2026-11-28" }, { from: today, to: today }],
  [
    { from: "2024-01-01", to: "2024-12-31" },
    { from: "2024-01-01", to: "2024-12-31" }
  ]
])("asks for the days of %j", (query, days) => {
  assert.deepStrictEqual(usageDays(query, today), Result.succeed(days))
})

it("rejects days in the wrong order, and too many days, with the days that fit", () => {
  assert.deepStrictEqual(faultOf({ from: "2026-11-02", to: "2026-11-01" }), {
    code: "parameter_invalid",
    message: "from must not be after to, 2026-11-01.",
    param: "from"
  })
  assert.deepStrictEqual(faultOf({ from: "2026-11-29" })?.message, "from must not be after today, 2026-11-28.")
  assert.deepStrictEqual(
    faultOf({ from: "2025-11-27" })?.message,
    "from must be at most 365 days before today, 2026-11-28, so not before 2025-11-28. Send several requests for a longer time."
  )
  assert.isUndefined(faultOf({ from: "2025-11-28" }))
})

const dayMs = 86_400_000
const days = Schema.Int.check(Schema.isBetween({ minimum: -25_000, maximum: 80_000 }))
const lengths = Schema.Int.check(Schema.isBetween({ minimum: -400, maximum: 400 }))
const dateOf = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10)

it.prop("accepts exactly the days in order, up to the maximum", [days, lengths], ([to, length]) => {
  const asked = { from: dateOf(to - length + 1), to: dateOf(to) }
  assert.strictEqual(Result.isSuccess(usageDays(asked, today)), length >= 1 && length <= usageDaysMax)
})
