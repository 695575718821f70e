import { Schema } from "effect"
import { hasMoreErrors, Violation } from "./ApiError.ts"
import { field } from "./Field.ts"

export class Validation extends Schema.Opaque<Validation>()(
  Schema.Struct({
    object: Schema.Literal("validation"),
    valid: Schema.Boolean,
    errors: Schema.Array(Violation),
    has_more_errors: hasMoreErrors,
    warnings: field(
      Schema.optionalKey(Schema.Array(Violation)),
      "Problems that do not affect `valid`: inexact figures within the authority's tolerance of 2.00, past dates, and notifications that the authority would give without rejecting the document. Absent if there are none."
    )
  }).annotate({
    identifier: "Validation",
    description: "The result of a validation: whether the request is valid, and every rule that it breaks.",
    examples: [
      { object: "validation", valid: true, errors: [] },
      {
        object: "validation",
        valid: true,
        errors: [],
        warnings: [
          {
            param: "lines[0].taxes[0].rate",
            code: "tax_mismatch",
            message:
              'The authority requires the carbon tax as an amount per unit: instead of rate and base, send unit_amount, units and unit_code, or code "23".',
            rule: "FAX09"
          }
        ]
      }
    ]
  })
) {}
