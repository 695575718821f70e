import { Schema } from "effect"
import { TaxCode, UnitCode } from "./Code.ts"
import { Decimal } from "./Money.ts"
import { text } from "./Text.ts"

/** A tax of a line. `rate` is in percent; base × rate / 100 = value. Code `ZZ` is "no tax", all zero. */
export class Tax extends Schema.Opaque<Tax>()(
  Schema.Struct({ code: TaxCode, rate: Decimal, base: Decimal, value: Decimal }).annotate({ identifier: "Tax" })
) {}

export class Line extends Schema.Opaque<Line>()(
  Schema.Struct({
    description: text(300),
    quantity: Decimal,
    unit_code: UnitCode,
    unit_price: Decimal,
    line_extension_amount: Decimal,
    taxes: Schema.Array(Tax).check(
      Schema.isMinLength(1, {
        message:
          'must hold at least one tax; a line without tax carries one entry with code "ZZ" and all amounts "0.00"',
        errorCode: "parameter_invalid_empty"
      }),
      Schema.isMaxLength(10, { message: "must hold at most 10 taxes", errorCode: "parameter_too_long" })
    )
  }).annotate({ identifier: "Line" })
) {}

/** Every amount of a document, summed. `taxes` has one entry for each code and rate. */
export class Totals extends Schema.Opaque<Totals>()(
  Schema.Struct({
    line_extension_amount: Decimal,
    tax_amount: Decimal,
    payable_amount: Decimal,
    taxes: Schema.Array(Tax)
  }).annotate({ identifier: "Totals" })
) {}
