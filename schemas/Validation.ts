import { Schema } from "effect"
import { hasMoreErrors, Violation } from "./ApiError.ts"

export class Validation extends Schema.Opaque<Validation>()(
  Schema.Struct({
    object: Schema.Literal("validation"),
    valid: Schema.Boolean,
    errors: Schema.Array(Violation),
    has_more_errors: hasMoreErrors
  }).annotate({
    identifier: "Validation",
    description: "Whether the invoice would be accepted for creation, and every rule that it breaks.",
    examples: [{ object: "validation", valid: true, errors: [] }]
  })
) {}
