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
      "Figures that are not exact and within the authority's tolerance of 2.00, past dates, and what the authority would remark on without rejecting the document. Absent when there is nothing; `valid` does not depend on it."
    )
  }).annotate({
    identifier: "Validation",
    description: "Whether the document would be accepted for creation, and every rule that it breaks.",
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
              'The authority wants the carbon tax as an amount per unit: send unit_amount, units and unit_code, or code "23", in place of rate and base.',
            rule: "FAX09"
          }
        ]
      }
    ]
  })
) {}
