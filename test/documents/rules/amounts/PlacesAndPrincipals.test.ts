import { assert, describe, it } from "@effect/vitest"
import type { DocumentDetails } from "../../../../schemas/DocumentDetails.ts"
import { lineExample, type Principal } from "../../../../schemas/Line.ts"
import { totalsOf } from "../../../../src/documents/rules/Totals.ts"
import { detailsViolations } from "../../../../src/documents/rules/amounts/DetailRules.ts"
import { lineViolations } from "../../../../src/documents/rules/amounts/LineRules.ts"

const totals = () => totalsOf([lineExample])

const delivered = (delivery: NonNullable<DocumentDetails["delivery"]>) =>
  [...detailsViolations({ delivery }, { ofLines: totals, whole: totals }, { operation_type: "10" }, "2026-11-21")].map(
    ({ code, param }) => [param, code]
  )

const sold = (identification: Principal["identification"]) => {
  const line = { ...lineExample, principal: { identification, legal_name: "Productor Andino S.A.S." } }
  const violations = lineViolations(line, "lines[0]", { operation_type: "10", isDebitNote: false })
  return [...violations].map(({ code, param }) => [param, code])
}

const wrongNumber = ["lines[0].principal.identification.number", "parameter_invalid"]
const wrongDigit = ["lines[0].principal.identification.check_digit", "invalid_check_digit"]

describe("The rules of parties", () => {
  it("apply to the place of a delivery, and list all violations", () => {
    assert.deepStrictEqual(delivered({ city_code: "11001", department_code: "11" }), [])
    assert.deepStrictEqual(delivered({ city_code: "98001", department_code: "98" }), [
      ["delivery.city_code", "unknown_catalog_code"],
      ["delivery.department_code", "unknown_catalog_code"]
    ])
    assert.deepStrictEqual(delivered({ city_code: "05001", department_code: "11" }), [
      ["delivery.department_code", "parameter_invalid"]
    ])
    assert.deepStrictEqual(delivered({ city_code: "98001", country_code: "US" }), [])
  })

  it("apply to the identification of a principal", () => {
    assert.deepStrictEqual(sold({ type: "31", number: "800197268", check_digit: "4" }), [])
    assert.deepStrictEqual(sold({ type: "31", number: "800197268" }), [wrongDigit])
    assert.deepStrictEqual(sold({ type: "31", number: "800-1" }), [wrongNumber, wrongDigit])
    assert.deepStrictEqual(sold({ type: "13", number: "1020304050", check_digit: "1" }), [wrongDigit])
  })
})
