import { Schema } from "effect"
import { hasMoreErrors, Violation } from "./ApiError.ts"

/** What is wrong with an invoice that somebody might issue: all that issuing it would be refused for. */
export class Validation extends Schema.Opaque<Validation>()(
  Schema.Struct({
    object: Schema.Literal("validation"),
    valid: Schema.Boolean,
    errors: Schema.Array(Violation),
    has_more_errors: hasMoreErrors
  }).annotate({
    identifier: "Validation",
    description: "What is wrong with an invoice that might be sent.",
    examples: [{ object: "validation", valid: true, errors: [] }]
  })
) {}
