import { Schema } from "effect"
import { ResolutionId } from "./Id.ts"
import { LocalDate } from "./Money.ts"

/** A numbering range that the authority granted: numbers from..to under one prefix, valid between two dates. */
export class Resolution extends Schema.Opaque<Resolution>()(
  Schema.Struct({
    id: ResolutionId,
    object: Schema.Literal("resolution"),
    livemode: Schema.Boolean,
    number: Schema.String,
    document_type: Schema.Literal("invoice"),
    prefix: Schema.String,
    from_number: Schema.Int,
    to_number: Schema.Int,
    valid_from: LocalDate,
    valid_to: LocalDate,
    technical_key: Schema.String,
    is_active: Schema.Boolean,
    next_number: Schema.Int
  }).annotate({ identifier: "Resolution" })
) {}
