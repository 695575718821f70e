import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { CreditNoteRequest, DebitNoteRequest } from "../../../../schemas/Note.ts"
import { noteViolations } from "../../../../src/documents/rules/LocalRules.ts"
import { noteBody, originalNoteBody, periodNoteBody } from "../../../support/apps/Invoices.ts"

const today = "2026-11-21"

const parts = {
  invoice_id: "inv_01k9z3v8c2m4n6p8q0r2s4t6v8",
  original: originalNoteBody("").original,
  period: periodNoteBody("").period,
  customer_id: "cust_01k9z3v8c2m4n6p8q0r2s4t6v8",
  currency: "COP",
  payment_means: { code: "10", type: "1" }
}

/** Every combination of the parts, as the bits of a number. */
const choices = Array.from({ length: 64 }, (_, bits) =>
  Object.fromEntries(Object.entries(parts).filter((_part, index) => (bits & (1 << index)) !== 0))
)

const decodeCredit = Schema.decodeUnknownSync(CreditNoteRequest)
const whole = (maximum: number) => Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum })))
const day = whole(3_000)
// Under a year, so that two dates with the same month are in one month.
const length = whole(300)
const dateOf = (days: number) => new Date(Date.UTC(2020, 0, 1 + days)).toISOString().slice(0, 10)

describe("The subject of a note", () => {
  it("accepts an invoice of the account, or with buyer and currency another system's invoice or a period", () => {
    for (const [request, isDebitNote] of [
      [CreditNoteRequest, false],
      [DebitNoteRequest, true]
    ] as const) {
      const decode = Schema.decodeUnknownOption(request)
      for (const choice of choices) {
        const { invoice_id: _none, ...rest } = noteBody("")
        const decoded = decode({ ...rest, ...choice })
        const has = (name: keyof typeof parts) => name in choice
        const isComplete =
          has("invoice_id") || ((has("original") || has("period")) && has("customer_id") && has("currency"))
        // The schema of the body finds missing parts, before these rules.
        if (!isComplete || decoded._tag === "None") continue
        const operation = { operation_type: "10", isDebitNote, currency: "COP" }
        const wrong = noteViolations(decoded.value, operation, today).map(({ code, param }) => [param, code])
        const unwanted = ["original", "customer_id", "currency", "payment_means"].filter(
          (name) => has("invoice_id") && has(name as keyof typeof parts)
        )
        assert.deepStrictEqual(
          wrong,
          unwanted.map((name) => [name, "parameter_conflict"])
        )
      }
    }
  })

  it.prop("lies within one calendar month for sales without an invoice", [day, length], ([first, days]) => {
    const [start_date, end_date] = [dateOf(first), dateOf(first + days)]
    const sent = { ...periodNoteBody("cust_1"), period: { start_date, end_date } }
    const rules = noteViolations(decodeCredit(sent), { operation_type: "10", isDebitNote: false }, today)
    const isOneMonth = new Date(start_date).getUTCMonth() === new Date(end_date).getUTCMonth()
    assert.deepStrictEqual(
      rules.map(({ rule }) => rule),
      isOneMonth ? [] : ["CAE02"]
    )
  })
})
