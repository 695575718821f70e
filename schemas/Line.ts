import { Schema } from "effect"
import { TaxCode, UnitCode } from "./Code.ts"
import { field } from "./Field.ts"
import { atMost, notEmpty } from "./Limits.ts"
import { Decimal } from "./Money.ts"
import { text } from "./Text.ts"

const taxExample = { code: "01", rate: "19.00", base: "100000.00", value: "19000.00" } as const

/** A tax of a line. `rate` is in percent. */
export class Tax extends Schema.Opaque<Tax>()(
  Schema.Struct({ code: TaxCode, rate: Decimal, base: Decimal, value: Decimal }).annotate({
    identifier: "Tax",
    description: "One tax: base × rate / 100 = value. Code ZZ means that there is no tax, and has zeros.",
    examples: [taxExample]
  })
) {}

export class Line extends Schema.Opaque<Line>()(
  Schema.Struct({
    description: field(text(300), "What is sold, in words.", "Consultoría"),
    quantity: field(Decimal, "The quantity, in units of `unit_code`.", "1.00"),
    unit_code: field(UnitCode, "The unit of the quantity, as a code of the catalog unidad-medida.", "94"),
    unit_price: Decimal,
    line_extension_amount: field(Decimal, "The amount of the line before taxes: quantity × unit price.", "100000.00"),
    taxes: Schema.Array(Tax)
      .check(
        notEmpty(
          'must hold at least one tax; a line without tax carries one entry with code "ZZ" and all amounts "0.00"'
        ),
        atMost(10, "must hold at most 10 taxes")
      )
      .annotateKey({
        description: "The taxes of the line, at least one; a line without tax has one entry with code ZZ and zeros."
      })
  }).annotate({ identifier: "Line", description: "One line of an invoice." })
) {}

/** The line of the example documents. */
export const lineExample = {
  description: "Consultoría",
  quantity: "1.00",
  unit_code: "94",
  unit_price: "100000.00",
  line_extension_amount: "100000.00",
  taxes: [taxExample]
} as const

/** The totals of the example documents. */
export const totalsExample = {
  line_extension_amount: "100000.00",
  tax_amount: "19000.00",
  payable_amount: "119000.00",
  taxes: [taxExample]
}

export class Totals extends Schema.Opaque<Totals>()(
  Schema.Struct({
    line_extension_amount: Decimal,
    tax_amount: Decimal,
    payable_amount: Decimal,
    taxes: Schema.Array(Tax)
  }).annotate({
    identifier: "Totals",
    description: "The sums over all lines of a document, with one tax entry for each code and rate.",
    examples: [totalsExample]
  })
) {}
