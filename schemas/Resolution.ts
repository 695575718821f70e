import { Schema } from "effect"
import { field } from "./Field.ts"
import { ResolutionId } from "./Id.ts"
import { wholeNumber } from "./Limits.ts"
import { LocalDate, RangeDate, Timestamp } from "./Money.ts"

const DocumentNumber = wholeNumber(1, 9_999_999_999)

/** The prefix of the full numbers of a range, as the authority granted it. Empty when the authority granted no prefix. */
export const Prefix = Schema.String.check(
  Schema.isPattern(/^[A-Z0-9]{0,4}$/u, {
    message: "must be at most 4 capital letters and digits, or empty where the authority gave none"
  })
)

/** The description and the example of each field of the authority's grant, in requests and in answers. */
const granted = {
  number: ["The number of the tax authority's resolution that grants the range.", "18764000001"],
  prefix: ["The letters and digits that stand before each number of the range; may be empty.", "FE"],
  from_number: ["The first number of the range.", 1],
  to_number: ["The last number of the range.", 5_000],
  valid_from: ["The first day on which the range may be used, as YYYY-MM-DD.", "2026-01-19"],
  valid_to: ["The last day on which the range may be used, as YYYY-MM-DD.", "2030-01-19"],
  technical_key: [
    "The technical key of the range, 40 hexadecimal digits that the tax authority gives; each CUFE is computed with it.",
    "fc8eac422eba16e22ffd8c6f94b3f40a6e38162c"
  ]
} as const

const ResolutionNumber = Schema.String.check(
  Schema.isPattern(/^\d{1,20}$/u, { message: "must be the resolution's number: 1 to 20 digits" })
)

const TechnicalKey = Schema.String.check(
  Schema.isPattern(/^[0-9a-fA-F]{40}$/u, { message: "must be the 40 hex digits that the authority gave" })
)

const document_type = Schema.Literal("invoice").annotate({ message: 'must be "invoice"' })

export class ResolutionRequest extends Schema.Opaque<ResolutionRequest>()(
  Schema.Struct({
    number: field(ResolutionNumber, ...granted.number),
    prefix: field(Prefix, ...granted.prefix),
    from_number: field(DocumentNumber, ...granted.from_number),
    to_number: field(DocumentNumber, ...granted.to_number),
    valid_from: field(RangeDate, ...granted.valid_from),
    valid_to: field(RangeDate, ...granted.valid_to),
    technical_key: field(TechnicalKey, ...granted.technical_key),
    document_type: field(
      Schema.optionalKey(document_type),
      "The kind of document that the range numbers: `invoice`, the only kind that needs a range."
    ),
    next_number: field(
      Schema.optionalKey(DocumentNumber),
      "The first number to give, when another system has used the numbers before it.",
      1
    )
  }).annotate({ identifier: "ResolutionRequest", description: "A numbering range, as the tax authority granted it." })
) {}

/** The fields of a range that a client may change. The other fields appear in documents and never change. */
export class ResolutionUpdate extends Schema.Opaque<ResolutionUpdate>()(
  Schema.Struct({
    is_active: Schema.optionalKey(Schema.Boolean),
    valid_to: Schema.optionalKey(RangeDate)
  }).annotate({
    identifier: "ResolutionUpdate",
    description: "The fields of a numbering range to change.",
    examples: [{ is_active: false }]
  })
) {}

export const ResolutionStatus = Schema.Literals(["active", "exhausted", "expired", "inactive"]).annotate({
  identifier: "ResolutionStatus",
  description: "The state of the range: `active` when invoices can take numbers from it today."
})
export type ResolutionStatus = typeof ResolutionStatus.Type

/** A warning that an issuer should act on before a range gives no more numbers. */
export class ResolutionWarning extends Schema.Opaque<ResolutionWarning>()(
  Schema.Struct({
    code: Schema.Literals(["few_numbers_left", "expires_soon"]),
    message: field(
      Schema.String,
      "What will happen, and what to do, for people.",
      "12 of 5000 numbers are left. Ask the authority for another range and register it."
    )
  }).annotate({
    identifier: "ResolutionWarning",
    description:
      "`few_numbers_left`: a tenth of the numbers or less is left. `expires_soon`: the range can be used for 30 days or less."
  })
) {}

/** A numbering range. `status` is `active` exactly when invoices can be numbered from it today. */
export class Resolution extends Schema.Opaque<Resolution>()(
  Schema.Struct({
    id: ResolutionId,
    object: Schema.Literal("resolution"),
    livemode: field(Schema.Boolean, "`true` for a range of the live mode."),
    number: field(Schema.String, ...granted.number),
    document_type,
    prefix: field(Schema.String, ...granted.prefix),
    from_number: field(Schema.Int, ...granted.from_number),
    to_number: field(Schema.Int, ...granted.to_number),
    valid_from: field(Schema.String, ...granted.valid_from),
    valid_to: field(Schema.String, ...granted.valid_to),
    technical_key: field(Schema.String, ...granted.technical_key),
    is_active: field(Schema.Boolean, "`false`: no more numbers are taken from the range.", true),
    next_number: field(Schema.Int, "The next number that the range gives.", 2),
    remaining: field(Schema.Int, "The count of numbers that the range has not given yet.", 4_999),
    status: ResolutionStatus,
    warnings: field(
      Schema.Array(ResolutionWarning),
      "What will soon end the use of the range; empty for an inactive range.",
      []
    ),
    created_at: Timestamp
  }).annotate({ identifier: "Resolution", description: "A numbering range." })
) {}

export class ResolutionImport extends Schema.Opaque<ResolutionImport>()(
  Schema.Struct({
    object: Schema.Literal("list"),
    url: field(Schema.String, "The path at which this list is found.", "/v1/resolutions"),
    has_more: field(Schema.Boolean, "`true` when more objects follow this page."),
    data: Schema.Array(Resolution),
    skipped: Schema.Array(
      Schema.Struct({
        number: field(Schema.String, ...granted.number),
        prefix: field(Schema.String, "The prefix of the range.", "FE"),
        message: field(
          Schema.String,
          "Why the range was not registered, and what to do.",
          "technical_key must be the 40 hex digits that the authority gave."
        )
      })
    ).annotateKey({ description: "Ranges of the authority that could not be registered." })
  }).annotate({
    identifier: "ResolutionImport",
    description: "The ranges of the tax authority that are registered now, and those that could not be registered."
  })
) {}

/** The range that an invoice was numbered from, as the authority granted the range and as the invoice states it. */
export const GrantedRange = Schema.Struct({
  number: Schema.String,
  prefix: Schema.String,
  from_number: Schema.String,
  to_number: Schema.String,
  valid_from: LocalDate,
  valid_to: LocalDate
})
export type GrantedRange = typeof GrantedRange.Type
