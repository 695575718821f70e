import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { InvoiceRequest } from "../../../schemas/Invoice.ts"
import type { NoteRequest } from "../../../schemas/Note.ts"
import { Line, type Tax } from "../../../schemas/Line.ts"
import { currencyCodes } from "../../../src/documents/rules/Currencies.ts"
import { invoiceViolations, invoiceWarnings, noteViolations } from "../../../src/documents/rules/LocalRules.ts"

const today = "2026-11-21"
const vat: Tax = { code: "01", rate: "19.00", base: "100000.00", value: "19000.00" }
const noTax: Tax = { code: "ZZ", rate: "0.00", base: "0.00", value: "0.00" }
const line: Line = {
  description: "Consultoría",
  quantity: "2.00",
  unit_code: "94",
  unit_price: "50000.00",
  line_extension_amount: "100000.00",
  taxes: [vat]
}
const invoice: InvoiceRequest = {
  customer_id: "cust_01k0000000000000000000000a",
  currency: "COP",
  operation_type: "10",
  payment_means: { code: "10", type: "1" },
  lines: [line]
}

const noteOf = (lines: ReadonlyArray<Line>): NoteRequest => ({
  invoice_id: "inv_01k0000000000000000000000a",
  correction_code: "1",
  reason: "Devolución",
  lines
})
const of = (operation_type: string) => ({ operation_type, isDebitNote: false })

const found = (change: Partial<InvoiceRequest>) =>
  invoiceViolations({ ...invoice, ...change }, today).map(({ param, code }) => [param, code])
const inLine = (change: Partial<Line>, operation_type: InvoiceRequest["operation_type"] = "10") =>
  found({ operation_type, lines: [line, { ...line, ...change }] })
const messages = (change: Partial<InvoiceRequest>) =>
  invoiceViolations({ ...invoice, ...change }, today).map(({ message }) => message)

const taxed = (quantity: string, unit_price: string, line_extension_amount: string, value: string): Line => ({
  ...line,
  quantity,
  unit_price,
  line_extension_amount,
  taxes: [{ ...vat, base: line_extension_amount, value }]
})
const half = (unit_price: string, line_extension_amount: string) =>
  inLine({ quantity: "0.50", unit_price, line_extension_amount, taxes: [noTax] })
const wrongFigures = (index: number) => [
  [`lines[${index}].line_extension_amount`, "amount_mismatch"],
  [`lines[${index}].taxes[0].base`, "tax_mismatch"],
  [`lines[${index}].taxes[0].value`, "tax_mismatch"],
  [`lines[${index}].taxes[1].code`, "tax_mismatch"]
]

/** The client's correction: it writes each figure of the response at the path that the response names. */
const corrected = (request: InvoiceRequest): InvoiceRequest => {
  const copy = JSON.parse(JSON.stringify(request))
  for (const { param, message } of invoiceViolations(request, today)) {
    const figure = /must be (?:at most )?"([^"]+)"/.exec(message)?.[1]
    if (figure === undefined) assert.fail(`no figure in: ${message}`)
    const path = param.replaceAll("]", "").split(/[.[]/)
    const holder = path.slice(0, -1).reduce((value, name) => value[name], copy)
    holder[path.at(-1) ?? ""] = figure
  }
  return copy
}

/** The taxes of a line without those that the rules of structure reject, which no figure can correct. */
const oneOfEach = (taxes: ReadonlyArray<Tax>): ReadonlyArray<Tax> => taxes.slice(0, 3)

const count = (max: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: max }))
const sold = Schema.Array(
  Schema.Struct({
    quantity: count(1_000_000),
    price: count(100_000_000),
    rates: Schema.Array(Schema.Literals([0, 500, 1600, 1900])).check(Schema.isMaxLength(1))
  })
).check(Schema.isMinLength(1), Schema.isMaxLength(20))
const text = (hundredths: bigint) => `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, "0")}`
/** The client's rounding: ties to even. */
const rounded = (dividend: bigint, divisor: bigint) => {
  const [quotient, rest] = [dividend / divisor, (dividend % divisor) * 2n]
  return quotient + (rest > divisor || (rest === divisor && quotient % 2n === 1n) ? 1n : 0n)
}

describe("invoiceViolations", () => {
  it("finds nothing wrong with a valid invoice", () => {
    assert.deepStrictEqual(found({}), [])
    assert.deepStrictEqual(inLine({ taxes: [noTax] }), [])
    assert.deepStrictEqual(inLine({ taxes: [vat, { ...vat, code: "04", rate: "8.00", value: "8000.00" }] }), [])
    const free = { unit_price: "0.00", line_extension_amount: "0.00", taxes: [noTax] }
    assert.deepStrictEqual(inLine({ ...free, reference_price: { amount: "50000.00", type: "01" } }), [])
  })

  it("requires the rate of a foreign currency, and rejects a rate for pesos and an unknown currency", () => {
    assert.deepStrictEqual(found({ currency: "USD" }), [["exchange_rate", "parameter_missing"]])
    assert.deepStrictEqual(found({ currency: "USD", exchange_rate: "0.00" }), [["exchange_rate", "parameter_invalid"]])
    assert.deepStrictEqual(found({ currency: "USD", exchange_rate: "4100.50" }), [])
    assert.deepStrictEqual(found({ exchange_rate: "1.00" }), [["exchange_rate", "parameter_conflict"]])
    assert.deepStrictEqual(found({ currency: "ABC" }), [["currency", "unknown_catalog_code"]])
    assert.strictEqual(currencyCodes.size, 158)
  })

  it("requires a due date for a sale on credit, and warns of a date before today", () => {
    const due = (due_date?: string) =>
      found({ payment_means: { code: "10", type: "2", ...(due_date === undefined ? {} : { due_date }) } })
    assert.deepStrictEqual(due(), [["payment_means.due_date", "due_date_required"]])
    assert.deepStrictEqual(due("2026-11-20"), [])
    for (const type of ["1", "2"] as const) {
      const payment_means = { code: "10", type, due_date: "2026-11-20" } as const
      const [remark, ...others] = invoiceWarnings({ ...invoice, payment_means }, today)
      assert.deepStrictEqual([remark?.param, others], ["payment_means.due_date", []])
      assert.include(remark?.message, type === "1" ? "omits it" : "due when it is issued")
    }
    assert.deepStrictEqual(due("2026-11-21"), [])
    assert.deepStrictEqual(due("2027-01-01"), [])
    assert.deepStrictEqual(found({ payment_means: { code: "10", type: "1", due_date: "2020-01-01" } }), [])
  })

  it("requires a quantity greater than zero", () => {
    assert.deepStrictEqual(inLine({ quantity: "0.00" }), [["lines[1].quantity", "parameter_invalid"]])
  })

  it("requires a line's amount within 2.00 of its exact value", () => {
    for (const line_extension_amount of ["100002.01", "99997.99"]) {
      assert.deepStrictEqual(inLine({ line_extension_amount }), [["lines[1].line_extension_amount", "amount_mismatch"]])
    }
    for (const line_extension_amount of ["100002.00", "99998.00"])
      assert.deepStrictEqual(inLine({ line_extension_amount }), [], line_extension_amount)
    assert.deepStrictEqual(messages({ lines: [{ ...line, line_extension_amount: "100002.01" }] }), [
      'line_extension_amount must be "100000.00": quantity 2.00 × unit_price 50000.00.'
    ])
  })

  it("accepts either neighbour of a tie", () => {
    assert.deepStrictEqual(half("0.01", "0.00"), [])
    assert.deepStrictEqual(half("0.03", "0.02"), [])
    assert.deepStrictEqual(half("0.01", "0.01"), [])
  })

  it("accepts figures in whole pesos, and warns with the exact value", () => {
    const cases: ReadonlyArray<readonly [Line, string, string]> = [
      [taxed("1.00", "25185.00", "25185.00", "4785.00"), "lines[0].taxes[0].value", "is 4785.15."],
      [taxed("3.00", "4970.53", "14912.00", "2833.28"), "lines[0].line_extension_amount", "is 14911.59."],
      [taxed("3.00", "8394.96", "25184.87", "4785.12"), "lines[0].line_extension_amount", "is 25184.88."]
    ]
    for (const [one, param, exact] of cases) {
      const request = { ...invoice, lines: [one] }
      assert.deepStrictEqual(invoiceViolations(request, today), [], param)
      const [remark, ...others] = invoiceWarnings(request, today)
      assert.deepStrictEqual([remark?.param, others], [param, []])
      assert.include(remark?.message, exact)
    }
    const withholdings = [{ code: "06", rate: "2.50", base: "25184.88", value: "630.00" }] as const
    assert.deepStrictEqual(found({ withholdings }), [])
    const [remark] = invoiceWarnings({ ...invoice, withholdings }, today)
    assert.deepStrictEqual([remark?.param, remark?.rule], ["withholdings[0].value", "FAT02"])
    assert.include(remark?.message, "629.62")
  })

  it.prop("accepts a tax within 2.00 of its exact value, and names that value beyond", [Schema.Int], ([off]) => {
    const cents = 19_000_00n + BigInt(off % 1_000)
    const request = { ...invoice, lines: [{ ...line, taxes: [{ ...vat, value: text(cents) }] }] }
    const isNear = Math.abs(off % 1_000) <= 200
    const refusals = invoiceViolations(request, today).map(({ message }) => message)
    assert.deepStrictEqual(refusals, isNear ? [] : ['value must be "19000.00": base 100000.00 × rate 19.00 / 100.'])
    assert.lengthOf(invoiceWarnings(request, today), isNear && off % 1_000 !== 0 ? 1 : 0)
  })

  it("rejects a discount of more than its base, also when the percentage is within 2.00 of the discount", () => {
    const discount = {
      type: "discount",
      reason: "Promoción",
      percent: "100.00",
      base: "100000.00",
      amount: "100001.00"
    } as const
    const [first] = found({ allowance_charges: [discount] })
    assert.deepStrictEqual(first, ["allowance_charges[0].amount", "amount_mismatch"])
  })

  it("requires a tax's value within 2.00 of its exact value", () => {
    for (const value of ["19002.01", "18997.99"]) {
      assert.deepStrictEqual(inLine({ taxes: [{ ...vat, value }] }), [["lines[1].taxes[0].value", "tax_mismatch"]])
    }
    assert.deepStrictEqual(messages({ lines: [{ ...line, taxes: [{ ...vat, value: "1.00" }] }] }), [
      'value must be "19000.00": base 100000.00 × rate 19.00 / 100.'
    ])
  })

  it("requires the line's amount, or one within 2.00 of it, as the base of its taxes", () => {
    for (const base of ["100002.01", "99997.99"]) {
      for (const operation of ["10", "11"] as const) {
        assert.deepStrictEqual(inLine({ taxes: [{ ...vat, base }] }, operation), [
          ["lines[1].taxes[0].base", "tax_mismatch"]
        ])
      }
    }
  })

  it("checks the lines of a note as those of its invoice, and names no rule of invoices", () => {
    const aiu = [{ ...line, taxes: [{ ...vat, base: "10000.00", value: "1900.00" }] }]
    assert.deepStrictEqual(noteViolations(noteOf(aiu), of("09"), today), [])
    for (const { param, code, ...rest } of noteViolations(noteOf(aiu), of("10"), today)) {
      assert.deepStrictEqual([code, Object.keys(rest)], ["tax_mismatch", ["message"]], param)
    }
    assert.lengthOf(noteViolations(noteOf(aiu), of("10"), today), 2)
    const huge = {
      ...line,
      quantity: "1.00",
      unit_price: "999999999999999.99",
      line_extension_amount: "999999999999999.99"
    }
    assert.deepStrictEqual(
      noteViolations(noteOf([{ ...huge, taxes: [noTax] }, line]), of("10"), today).map(({ param }) => param),
      ["lines"]
    )
  })

  it("accepts a base below the amount under AIU, and none above", () => {
    assert.deepStrictEqual(inLine({ taxes: [{ ...vat, base: "10000.00", value: "1900.00" }] }, "09"), [])
    assert.deepStrictEqual(inLine({ taxes: [vat] }, "09"), [])
    assert.deepStrictEqual(inLine({ taxes: [{ ...vat, base: "10000.00" }] }, "09"), [
      ["lines[1].taxes[0].value", "tax_mismatch"]
    ])
    assert.deepStrictEqual(inLine({ taxes: [{ ...vat, base: "100002.01" }] }, "09"), [
      ["lines[1].taxes[0].base", "tax_mismatch"]
    ])
  })

  it("requires one entry for each tax of a line", () => {
    assert.deepStrictEqual(inLine({ taxes: [vat, { ...vat, rate: "5.00", value: "5000.00" }] }), [
      ["lines[1].taxes[1].code", "tax_mismatch"]
    ])
  })

  it("requires zeros in the entry without tax, and no other entry", () => {
    assert.deepStrictEqual(inLine({ taxes: [{ ...noTax, rate: "0.01", base: "0.01", value: "0.01" }] }), [
      ["lines[1].taxes[0].rate", "tax_mismatch"],
      ["lines[1].taxes[0].base", "tax_mismatch"],
      ["lines[1].taxes[0].value", "tax_mismatch"]
    ])
    assert.deepStrictEqual(inLine({ taxes: [vat, noTax] }), [["lines[1].taxes[1].code", "tax_mismatch"]])
    assert.deepStrictEqual(inLine({ taxes: [noTax, noTax] }), [
      ["lines[1].taxes[0].code", "tax_mismatch"],
      ["lines[1].taxes[1].code", "tax_mismatch"]
    ])
  })

  it("rejects amounts, taxes and totals that a decimal cannot hold", () => {
    const huge = "999999999999999.99"
    const amountTooLong = { quantity: "2.00", unit_price: huge, line_extension_amount: "0.00" }
    for (const taxes of [[noTax], [vat]]) {
      assert.deepStrictEqual(found({ lines: [{ ...line, ...amountTooLong, taxes }] }), [
        ["lines[0].line_extension_amount", "parameter_invalid"]
      ])
    }
    const full = { quantity: "1.00", unit_price: huge, line_extension_amount: huge }
    const tooMuchTax: Tax = { code: "03", rate: "200.00", base: huge, value: "0.00" }
    assert.deepStrictEqual(found({ lines: [{ ...line, ...full, taxes: [tooMuchTax] }] }), [
      ["lines[0].taxes[0].value", "parameter_invalid"]
    ])
    const cent = { ...line, quantity: "1.00", unit_price: "0.01", line_extension_amount: "0.01", taxes: [noTax] }
    assert.deepStrictEqual(found({ lines: [{ ...line, ...full, taxes: [noTax] }] }), [])
    assert.deepStrictEqual(found({ lines: [{ ...line, ...full, taxes: [noTax] }, cent] }), [
      ["lines", "parameter_invalid"]
    ])
  })

  it("names only the wrong figures: it checks the others against the right values", () => {
    assert.deepStrictEqual(inLine({ line_extension_amount: "1.00" }), [
      ["lines[1].line_extension_amount", "amount_mismatch"]
    ])
    assert.deepStrictEqual(inLine({ taxes: [{ ...vat, base: "1.00" }] }), [["lines[1].taxes[0].base", "tax_mismatch"]])
  })

  it("lists all violations together, in the order of the document", () => {
    const wrong = { ...line, line_extension_amount: "1.00", taxes: [{ ...vat, base: "2.00", value: "3.00" }, vat] }
    const change = { currency: "USD", payment_means: { code: "10", type: "2" }, lines: [wrong, line, wrong] } as const
    assert.deepStrictEqual(found(change), [
      ["exchange_rate", "parameter_missing"],
      ["payment_means.due_date", "due_date_required"],
      ...wrongFigures(0),
      ...wrongFigures(2)
    ])
  })

  it.prop("finds nothing wrong with any invoice that is computed as the contract requires", [sold], ([items]) => {
    const lines = items.map(({ price, quantity, rates }) => {
      const amount = rounded(BigInt(quantity) * BigInt(price), 100n)
      const taxes = rates.map((rate, index) => ({
        code: (["01", "04", "03"] as const)[index] ?? "02",
        rate: text(BigInt(rate)),
        base: text(amount),
        value: text(rounded(amount * BigInt(rate), 10_000n))
      }))
      return {
        ...line,
        quantity: text(BigInt(quantity)),
        unit_price: text(BigInt(price)),
        line_extension_amount: text(amount),
        taxes: taxes.length === 0 ? [noTax] : taxes
      }
    })
    const request = Schema.decodeUnknownSync(InvoiceRequest)({ ...invoice, lines })
    assert.deepStrictEqual(invoiceViolations(request, today), [])
  })

  it.prop("names every correction that a client must make, whatever the request", [Schema.Array(Line)], ([given]) => {
    const lines = given.map(({ description, line_extension_amount, quantity, taxes, unit_code, unit_price }) => ({
      description,
      line_extension_amount,
      unit_code,
      quantity: /[1-9]/.test(quantity.slice(-8)) ? quantity.slice(-8) : "0.01",
      unit_price: /[1-9]/.test(unit_price.slice(-8)) ? unit_price.slice(-8) : "0.01",
      taxes: oneOfEach(taxes).map(({ value }, index) => ({
        code: (["03", "35", "36"] as const)[index] ?? "03",
        rate: "9.66",
        base: value,
        value
      }))
    }))
    // Values that are each within the tolerance may add up to more, which no single figure corrects.
    if (invoiceViolations({ ...invoice, lines }, today).some(({ rule }) => rule === "FAS07")) return
    assert.deepStrictEqual(invoiceViolations(corrected({ ...invoice, lines }), today), [])
  })

  it.prop(
    "accepts no other figure in a valid invoice",
    [Schema.Literals(["base", "value"]), Schema.Int],
    ([field, cents]) => {
      const figure = `${Math.abs(cents)}.00`
      const violations = inLine({ taxes: [{ ...vat, [field]: figure }] })
      const isNear = Math.abs(Number(figure) - Number(vat[field])) <= 2
      assert.deepStrictEqual(violations, isNear ? [] : [[`lines[1].taxes[0].${field}`, "tax_mismatch"]])
    }
  )

  it("stops after the line that brings the violations above 100", () => {
    const lines = Array.from({ length: 500 }, () => ({ ...line, taxes: [{ ...vat, base: "1.00", value: "1.00" }] }))
    assert.lengthOf(found({ lines }), 102)
    assert.lengthOf(noteViolations(noteOf(lines), of("10"), today), 102)
  })
})
