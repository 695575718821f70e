import { Schema } from "effect"
import { TaxCode, UnitCode } from "./Code.ts"
import { Decimal } from "./Money.ts"
import { text } from "./Text.ts"

/** A tax of a line. `rate` is in percent; base × rate / 100 = value. Code `ZZ` is "no tax", all zero. */
export class Tax extends Schema.Opaque<Tax>()(
  Schema.Struct({ code: TaxCode, rate: Decimal, base: Decimal, value: Decimal }).annotate({
    identifier: "Tax",
    description: 'A tax of a line: base × rate / 100 = value. Code ZZ is "no tax", with zeros.',
    examples: [{ code: "01", rate: "19.00", base: "100000.00", value: "19000.00" }]
  })
) {}

export class Line extends Schema.Opaque<Line>()(
  Schema.Struct({
    description: text(300).annotateKey({ description: "What is sold.", examples: ["Consultoría"] }),
    quantity: Decimal.annotateKey({ description: "How much of it.", examples: ["1.00"] }),
    unit_code: UnitCode.annotateKey({ description: "Code of the catalog unidad-medida.", examples: ["94"] }),
    unit_price: Decimal,
    line_extension_amount: Decimal.annotateKey({
      description: "Quantity × unit price, before taxes.",
      examples: ["100000.00"]
    }),
    taxes: Schema.Array(Tax)
      .check(
        Schema.isMinLength(1, {
          message:
            'must hold at least one tax; a line without tax carries one entry with code "ZZ" and all amounts "0.00"',
          errorCode: "parameter_invalid_empty"
        }),
        Schema.isMaxLength(10, { message: "must hold at most 10 taxes", errorCode: "parameter_too_long" })
      )
      .annotateKey({ description: "At least one; code ZZ with zeros where there is no tax." })
  }).annotate({ identifier: "Line", description: "One line of an invoice." })
) {}

/** Every amount of a document, summed. `taxes` has one entry for each code and rate. */
export class Totals extends Schema.Opaque<Totals>()(
  Schema.Struct({
    line_extension_amount: Decimal,
    tax_amount: Decimal,
    payable_amount: Decimal,
    taxes: Schema.Array(Tax)
  }).annotate({
    identifier: "Totals",
    description: "Every amount of a document, summed; one tax for each code and rate.",
    examples: [
      {
        line_extension_amount: "100000.00",
        tax_amount: "19000.00",
        payable_amount: "119000.00",
        taxes: [{ code: "01", rate: "19.00", base: "100000.00", value: "19000.00" }]
      }
    ]
  })
) {}
