import { assert, describe, it } from "@effect/vitest"
import type { InvoiceRequest } from "../../../../schemas/Invoice.ts"
import type { Line, Tax } from "../../../../schemas/Line.ts"
import { invoiceViolations } from "../../../../src/documents/rules/LocalRules.ts"

const lineOf = (tax: Tax): Line => ({
  description: "Consultoría",
  quantity: "1.00",
  unit_code: "94",
  unit_price: "10.52",
  line_extension_amount: "10.52",
  taxes: [tax]
})

const found = (taxes: ReadonlyArray<Tax>, change: Partial<InvoiceRequest> = {}) => {
  const invoice: InvoiceRequest = {
    customer_id: "cust_01k0000000000000000000000a",
    currency: "COP",
    operation_type: "10",
    payment_means: { code: "10", type: "1" },
    lines: taxes.map(lineOf),
    ...change
  }
  return invoiceViolations(invoice, "2026-11-21").map(({ code, param, rule }) => [param, code, rule])
}

const times = (count: number, tax: Tax) => Array.from({ length: count }, () => tax)
const vat = (value: string): Tax => ({ code: "01", rate: "19.00", base: "10.52", value })
const plastics: Tax = { code: "33", unit_amount: "1.333333", units: "1.499", unit_code: "94", value: "1.99" }
const carbon = (code: Tax["code"], unit_amount = "10.00"): Tax => ({
  code,
  unit_amount,
  units: "1.00",
  unit_code: "94",
  value: unit_amount
})

describe("The sums of taxes", () => {
  it("fail if each line is rounded rightly and the authority would reject the sum", () => {
    assert.deepStrictEqual(found(times(500, vat("2.00"))), [])
    assert.deepStrictEqual(found(times(227, vat("1.99"))), [])
    assert.deepStrictEqual(found(times(228, vat("1.99"))), [["lines", "tax_mismatch", "FAS07"]])
    assert.deepStrictEqual(found(times(500, plastics)), [["lines", "tax_mismatch", "FAS07"]])
  })

  it("count the carbon tax per unit under one of its codes", () => {
    assert.deepStrictEqual(found([carbon("02"), carbon("23")]), [["lines", "tax_mismatch", "FAS04"]])
    assert.deepStrictEqual(found([carbon("02"), carbon("23", "11.00")]), [])
    assert.deepStrictEqual(found([carbon("02"), carbon("02")]), [])
  })
})

const perUnit = (code: Tax["code"], quantity: string, unit_amount: string, units: string, value: string) =>
  found([], {
    lines: [
      {
        ...lineOf({ code, unit_amount, units, unit_code: "94", value }),
        quantity,
        unit_price: "0.00",
        line_extension_amount: "0.00",
        reference_price: { amount: "1.00", type: "01" }
      }
    ]
  })

describe("A tax per unit", () => {
  it("applies the amount of sugary drinks to 100 millilitres", () => {
    assert.deepStrictEqual(perUnit("34", "1.00", "35.00", "1000.00", "350.00"), [])
    assert.deepStrictEqual(perUnit("34", "24.00", "65.00", "9600.00", "6240.00"), [])
    assert.deepStrictEqual(perUnit("34", "1.00", "35.00", "1000.00", "35000.00"), [
      ["lines[0].taxes[0].value", "tax_mismatch", "FAX07"]
    ])
  })

  it.each(["22", "23", "24", "02"] as const)("%s uses the quantity of the line as its units", (code) => {
    assert.deepStrictEqual(perUnit(code, "2.00", "70.00", "2.000", "140.00"), [])
    assert.deepStrictEqual(perUnit(code, "1.00", "70.00", "2.00", "140.00"), [
      ["lines[0].taxes[0].units", "tax_mismatch", "FAX07"]
    ])
  })

  it.each(["32", "33"] as const)("%s has units of its own", (code) => {
    assert.deepStrictEqual(perUnit(code, "1.00", "70.00", "2.00", "140.00"), [])
  })
})

const rounded = (amount: string, payable_rounding_amount: string) =>
  found([], {
    lines: [
      {
        ...lineOf({ code: "ZZ", rate: "0.00", base: "0.00", value: "0.00" }),
        unit_price: amount,
        line_extension_amount: amount
      }
    ],
    payable_rounding_amount
  })

const cash = (cash_rounding_amount: string) => found([vat("2.00")], { cash_rounding_amount })

describe("The rounding of a total", () => {
  it.each([
    ["119.83", "0.17"],
    ["119.83", "-0.33"],
    ["119.42", "-0.42"],
    ["119.50", "0.50"],
    ["119.50", "0.99"],
    ["0.30", "-0.30"],
    ["119.00", "0.00"]
  ])("may change %s by %s: both are the same whole unit", (amount, rounding) => {
    assert.deepStrictEqual(rounded(amount, rounding), [])
  })

  it.each([
    ["119.83", "-0.83"],
    ["119.83", "0.67"],
    ["119.50", "-0.01"],
    ["119.49", "0.01"]
  ])("may not change %s by %s: the authority compares whole units", (amount, rounding) => {
    assert.deepStrictEqual(rounded(amount, rounding), [["payable_rounding_amount", "amount_mismatch", "FAU14"]])
  })

  it("leaves a due amount of zero or more when it rounds to coins", () => {
    assert.deepStrictEqual(cash("-12.52"), [])
    assert.deepStrictEqual(cash("-12.53"), [["cash_rounding_amount", "amount_mismatch", undefined]])
  })
})
