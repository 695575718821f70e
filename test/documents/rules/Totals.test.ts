import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { taxes as taxTable } from "../../../schemas/Code.ts"
import { type Line, Totals } from "../../../schemas/Line.ts"
import { taxTotal, totalsOf } from "../../../src/documents/rules/Totals.ts"
import { invoiceRequests } from "../../support/documents/RightRequests.ts"

const line = (amount: string, ...taxes: ReadonlyArray<Line["taxes"][number]>): Line => ({
  description: "Consultoría",
  quantity: "1.00",
  unit_code: "94",
  unit_price: amount,
  line_extension_amount: amount,
  taxes
})

const noTax = { code: "ZZ", rate: "0.00", base: "0.00", value: "0.00" } as const

/** Hundredths, by removing the point, without code of the project. */
const hundredths = (texts: ReadonlyArray<string>): bigint =>
  texts.reduce((sum, text) => sum + BigInt(text.replace(".", "")), 0n)

describe("Totals", () => {
  it("groups taxes by code and rate and omits entries without tax", () => {
    const totals = totalsOf([
      line("100000.00", { code: "01", rate: "19.00", base: "100000.00", value: "19000.00" }),
      line("50000.10", noTax),
      line(
        "200.00",
        { code: "04", rate: "8.00", base: "200.00", value: "16.00" },
        { code: "01", rate: "5.00", base: "200.00", value: "10.00" }
      ),
      line("0.90", { code: "01", rate: "19.00", base: "0.90", value: "0.17" })
    ])
    assert.deepStrictEqual(totals, {
      line_extension_amount: "150201.00",
      tax_amount: "19026.17",
      payable_amount: "169227.17",
      taxes: [
        { code: "01", rate: "5.00", base: "200.00", value: "10.00" },
        { code: "01", rate: "19.00", base: "100000.90", value: "19000.17" },
        { code: "04", rate: "8.00", base: "200.00", value: "16.00" }
      ]
    })
    assert.strictEqual(taxTotal(totals, "01"), "19010.17")
    assert.strictEqual(taxTotal(totals, "04"), "16.00")
    assert.strictEqual(taxTotal(totals, "03"), "0.00")
  })

  it("excludes prepayments and cash rounding from the payable amount, and shows the due amount", () => {
    const sale = [line("100000.00", { code: "01", rate: "19.00", base: "100000.00", value: "19000.00" })]
    const { taxes: _taxes, ...totals } = totalsOf(sale, {
      prepayments: [{ amount: "20000.00", received_date: "2026-11-01" }],
      cash_rounding_amount: "-40.00",
      withholdings: [{ code: "06", rate: "2.50", base: "100000.00", value: "2500.00" }]
    })
    assert.deepStrictEqual(totals, {
      line_extension_amount: "100000.00",
      tax_amount: "19000.00",
      payable_amount: "119000.00",
      prepaid_amount: "20000.00",
      cash_rounding_amount: "-40.00",
      due_amount: "98960.00",
      withholding_total_amount: "2500.00",
      net_amount: "96460.00"
    })
    assert.notProperty(totalsOf(sale), "due_amount")
    const overpaid = totalsOf(sale, { prepayments: [{ amount: "119000.01", received_date: "2026-11-01" }] })
    assert.deepInclude(overpaid, { payable_amount: "119000.00", prepaid_amount: "119000.01", due_amount: "0.00" })
  })

  it("merges two spellings of one rate", () => {
    const { taxes } = totalsOf([
      line("1.00", { code: "01", rate: "019.00", base: "1.00", value: "0.19" }),
      line("1.00", { code: "01", rate: "19.00", base: "1.00", value: "0.19" })
    ])
    assert.deepStrictEqual(taxes, [{ code: "01", rate: "19.00", base: "2.00", value: "0.38" }])
  })

  it("sums beyond the precision of a double", () => {
    const { payable_amount } = totalsOf([line("900719925474099.30", noTax), line("0.01", noTax)])
    assert.strictEqual(payable_amount, "900719925474099.31")
    assert.strictEqual(totalsOf([]).payable_amount, "0.00")
  })

  const lines = Arbitrary.map(invoiceRequests, (request) => request.lines)

  it.prop("adds up, line by line and tax by tax", [lines], ([given]) => {
    const totals = totalsOf(given)
    const taxed = given.flatMap((entry) => entry.taxes).filter((tax) => tax.code !== "ZZ")
    const amount = hundredths(given.map((entry) => entry.line_extension_amount))
    const tax = hundredths(taxed.map((entry) => entry.value))
    assert.strictEqual(hundredths([totals.line_extension_amount]), amount)
    assert.strictEqual(hundredths([totals.tax_amount]), tax)
    assert.strictEqual(hundredths([totals.payable_amount]), amount + tax)
    assert.strictEqual(hundredths(totals.taxes.map((entry) => entry.value)), tax)
    assert.strictEqual(
      hundredths(totals.taxes.map((entry) => entry.base ?? "0.00")),
      hundredths(taxed.map((entry) => entry.base ?? "0.00"))
    )
    assert.strictEqual(hundredths(taxTable.map(({ code }) => taxTotal(totals, code))), tax)
    assert.isTrue(Schema.is(Totals)(totals))
  })

  it.prop("has one entry for each code and rate, in an order that the lines do not change", [lines], ([given]) => {
    const totals = totalsOf(given)
    const keys = totals.taxes.map(({ code, rate, unit_amount, unit_code }) =>
      [code, rate ?? unit_amount, unit_code].join()
    )
    assert.deepStrictEqual(keys, [...new Set(keys)])
    assert.deepStrictEqual(totalsOf(given.toReversed()), totals)
  })
})
