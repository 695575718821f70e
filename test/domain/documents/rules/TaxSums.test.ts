import { assert, describe, it } from "@effect/vitest"
import type { InvoiceRequest } from "../../../../schemas/Invoice.ts"
import type { Line, Tax } from "../../../../schemas/Line.ts"
import { invoiceViolations } from "../../../../src/domain/documents/LocalRules.ts"

const lineOf = (tax: Tax): Line => ({
  description: "Consultoría",
  quantity: "1.00",
  unit_code: "94",
  unit_price: "10.52",
  line_extension_amount: "10.52",
  taxes: [tax]
})

const found = (taxes: ReadonlyArray<Tax>) => {
  const invoice: InvoiceRequest = {
    customer_id: "cust_01k0000000000000000000000a",
    currency: "COP",
    operation_type: "10",
    payment_means: { code: "10", type: "1" },
    lines: taxes.map(lineOf)
  }
  return invoiceViolations(invoice, "2026-11-21").map(({ code, param, rule }) => [param, code, rule])
}

const times = (count: number, tax: Tax) => Array.from({ length: count }, () => tax)
const vat = (value: string): Tax => ({ code: "01", rate: "19.00", base: "10.52", value })
const bags: Tax = { code: "22", unit_amount: "1.333333", units: "1.499", unit_code: "94", value: "1.99" }
const carbon = (code: Tax["code"], unit_amount = "10.00"): Tax => ({
  code,
  unit_amount,
  units: "1.00",
  unit_code: "94",
  value: unit_amount
})

describe("The sums of taxes", () => {
  it("are refused where each line is rounded rightly and the authority would refuse the sum", () => {
    assert.deepStrictEqual(found(times(500, vat("2.00"))), [])
    assert.deepStrictEqual(found(times(227, vat("1.99"))), [])
    assert.deepStrictEqual(found(times(228, vat("1.99"))), [["lines", "tax_mismatch", "FAS07"]])
    assert.deepStrictEqual(found(times(500, bags)), [["lines", "tax_mismatch", "FAS07"]])
  })

  it("hold the carbon tax per unit under one of its codes", () => {
    assert.deepStrictEqual(found([carbon("02"), carbon("23")]), [["lines", "tax_mismatch", "FAS04"]])
    assert.deepStrictEqual(found([carbon("02"), carbon("23", "11.00")]), [])
    assert.deepStrictEqual(found([carbon("02"), carbon("02")]), [])
  })
})
