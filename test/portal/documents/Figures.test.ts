import { assert, it } from "@effect/vitest"
import { csvLines } from "../../../src/portal/documents/Csv.ts"
import { figureOf } from "../../../src/portal/documents/correction/CorrectionFigures.ts"
import { remedyOf } from "../../../src/portal/documents/Why.ts"

it("a figure is read as people of either country type it, or gets an error", () => {
  for (const [typed, value] of [
    ["10", "10.00"],
    ["10,5", "10.50"],
    ["10.5", "10.50"],
    ["$ 1.190.000,00", "1190000.00"],
    ["1,190,000.00", "1190000.00"],
    ["1.190.000", "1190000.00"],
    ["1.234,5", "1234.50"],
    ["0.345", "0.345"],
    ["0,345600", "0.3456"],
    ["007", "7.00"],
    ["1190000", "1190000.00"]
  ] as const) {
    assert.deepStrictEqual(figureOf(typed), { value }, typed)
  }
  for (const typed of ["1.000", "1,000", "12.345"])
    assert.deepStrictEqual(figureOf(typed), { fault: "ambiguous" }, typed)
  for (const typed of ["", "-1", "abc", "1.2.3", "1,2,3", "1e3", "1.0000000", "1".repeat(16), "١٢"]) {
    assert.deepStrictEqual(figureOf(typed), { fault: "none" }, typed)
  }
})

it("a cell of a CSV file never begins like a formula", () => {
  assert.strictEqual(
    csvLines("en", [["=1", "\t=1", "＝1", 'a"b', { amount: "1.50" }]]),
    '"\'=1","\'\t=1","\'＝1","a""b",1.50\r\n'
  )
  assert.strictEqual(csvLines("es", [["a;b", { amount: "1.50" }]]), '"a;b";1,50\r\n')
})

it("a broken rule links to the place of the data that it checks", () => {
  for (const [rule, path, remedy] of [
    ["FAK24", null, "customer"],
    ["CAK24", null, "customer"],
    ["XYZ1", "acquirer.legal_name", "customer"],
    ["FAJ43b", null, "issuer"],
    ["FAB24b", null, "issuer"],
    ["FAB05b", null, "ranges"],
    ["FAD05e", null, "ranges"],
    ["FAD06", "cufe", "technicalKey"],
    ["ZE02", null, "certificate"],
    ["90", null, "nothing"],
    ["FAX07", null, "document"],
    ["FAU02", "totals.line_extension_amount", "document"]
  ] as const) {
    assert.strictEqual(remedyOf({ rule, path }), remedy, rule)
  }
})
