import { Schema } from "effect"
import { ResolutionId } from "./Id.ts"
import { LocalDate, RangeDate, Timestamp } from "./Money.ts"

const documentNumberMax = 9_999_999_999

const numberRange = { message: `must be a whole number from 1 to ${documentNumberMax}` }
const DocumentNumber = Schema.Number.check(
  Schema.isInt(numberRange),
  Schema.isBetween({ minimum: 1, maximum: documentNumberMax }, numberRange)
)

/** What numbers begin with, as the authority granted it. */
export const Prefix = Schema.String.check(
  Schema.isPattern(/^[A-Z0-9]{0,4}$/u, {
    message: "must be at most 4 capital letters and digits, or empty where the authority gave none"
  })
)

const fields = {
  number: Schema.String.check(
    Schema.isPattern(/^\d{1,20}$/u, { message: "must be the resolution's number: 1 to 20 digits" })
  ).annotateKey({ description: "The number of the resolution.", examples: ["18764000001"] }),
  prefix: Prefix.annotateKey({ description: "What numbers begin with; may be empty.", examples: ["FE"] }),
  from_number: DocumentNumber.annotateKey({ description: "The first number.", examples: [1] }),
  to_number: DocumentNumber.annotateKey({ description: "The last number.", examples: [5_000] }),
  valid_from: RangeDate.annotateKey({ description: "The first day.", examples: ["2026-01-19"] }),
  valid_to: RangeDate.annotateKey({ description: "The last day.", examples: ["2030-01-19"] }),
  technical_key: Schema.String.check(
    Schema.isPattern(/^[0-9a-fA-F]{40}$/u, { message: "must be the 40 hex digits that the authority gave" })
  ).annotateKey({
    description: "40 hex digits from the authority; part of each CUFE.",
    examples: ["fc8eac422eba16e22ffd8c6f94b3f40a6e38162c"]
  })
}

const document_type = Schema.Literal("invoice").annotate({ message: 'must be "invoice"' })

/** A numbering range as the authority granted it. `next_number` is where to begin when a part has been used elsewhere. */
export class ResolutionRequest extends Schema.Opaque<ResolutionRequest>()(
  Schema.Struct({
    ...fields,
    document_type: Schema.optionalKey(document_type).annotateKey({ description: "`invoice`." }),
    next_number: Schema.optionalKey(DocumentNumber).annotateKey({
      description: "Where to begin, when a part has been used elsewhere.",
      examples: [1]
    })
  }).annotate({ identifier: "ResolutionRequest", description: "A numbering range, as the authority granted it." })
) {}

/** What may change of a range. The rest stands in documents. */
export class ResolutionUpdate extends Schema.Opaque<ResolutionUpdate>()(
  Schema.Struct({
    is_active: Schema.optionalKey(Schema.Boolean),
    valid_to: Schema.optionalKey(RangeDate)
  }).annotate({
    identifier: "ResolutionUpdate",
    description: "What may change of a range.",
    examples: [{ is_active: false }]
  })
) {}

export const ResolutionStatus = Schema.Literals(["active", "exhausted", "expired", "inactive"]).annotate({
  identifier: "ResolutionStatus",
  description: "`active` exactly when invoices can be numbered from it today."
})
export type ResolutionStatus = typeof ResolutionStatus.Type

/** What an issuer should see to before the range serves no more. */
export class ResolutionWarning extends Schema.Opaque<ResolutionWarning>()(
  Schema.Struct({
    code: Schema.Literals(["few_numbers_left", "expires_soon"]),
    message: Schema.String.annotateKey({
      description: "What will happen, and what to do.",
      examples: ["12 of 5000 numbers are left. Ask the authority for another range and register it."]
    })
  }).annotate({
    identifier: "ResolutionWarning",
    description: "A tenth of the numbers or less is left (`few_numbers_left`), or 30 days or less (`expires_soon`)."
  })
) {}

/** A numbering range. `status` is `active` exactly when invoices can be numbered from it today. */
export class Resolution extends Schema.Opaque<Resolution>()(
  Schema.Struct({
    id: ResolutionId,
    object: Schema.Literal("resolution"),
    livemode: Schema.Boolean.annotateKey({ description: "Of the live mode." }),
    number: Schema.String.annotateKey({ description: "The number of the resolution.", examples: ["18764000001"] }),
    document_type,
    prefix: Schema.String.annotateKey({ description: "What numbers begin with; may be empty.", examples: ["FE"] }),
    from_number: Schema.Int.annotateKey({ description: "The first number.", examples: [1] }),
    to_number: Schema.Int.annotateKey({ description: "The last number.", examples: [5_000] }),
    valid_from: Schema.String.annotateKey({ description: "The first day.", examples: ["2026-01-19"] }),
    valid_to: Schema.String.annotateKey({ description: "The last day.", examples: ["2030-01-19"] }),
    technical_key: Schema.String.annotateKey({
      description: "40 hex digits from the authority; part of each CUFE.",
      examples: ["fc8eac422eba16e22ffd8c6f94b3f40a6e38162c"]
    }),
    is_active: Schema.Boolean.annotateKey({ description: "Whether it may be numbered from.", examples: [true] }),
    next_number: Schema.Int.annotateKey({ description: "The next number it gives.", examples: [2] }),
    remaining: Schema.Int.annotateKey({ description: "Numbers left.", examples: [4_999] }),
    status: ResolutionStatus,
    warnings: Schema.Array(ResolutionWarning).annotateKey({
      description: "What to see to before it serves no more; none of a range that is put aside.",
      examples: [[]]
    }),
    created_at: Timestamp
  }).annotate({ identifier: "Resolution", description: "A numbering range." })
) {}

/** What came of an import: the authority's ranges as they are registered, and those that could not be. */
export class ResolutionImport extends Schema.Opaque<ResolutionImport>()(
  Schema.Struct({
    object: Schema.Literal("list"),
    url: Schema.String.annotateKey({ description: "The path of the list.", examples: ["/v1/resolutions"] }),
    has_more: Schema.Boolean.annotateKey({ description: "There are more beyond this page." }),
    data: Schema.Array(Resolution),
    skipped: Schema.Array(
      Schema.Struct({
        number: Schema.String.annotateKey({ description: "The number of the resolution.", examples: ["18764000001"] }),
        prefix: Schema.String.annotateKey({ description: "Its prefix.", examples: ["FE"] }),
        message: Schema.String.annotateKey({
          description: "Why it was not registered.",
          examples: ["technical_key must be the 40 hex digits that the authority gave."]
        })
      })
    ).annotateKey({ description: "Ranges of the authority that could not be registered." })
  }).annotate({
    identifier: "ResolutionImport",
    description: "The authority's ranges as they are registered, and those that could not be."
  })
) {}

/** The range that an invoice was numbered from, as the authority granted it: what the invoice says of it. */
export const GrantedRange = Schema.Struct({
  number: Schema.String,
  prefix: Schema.String,
  from_number: Schema.String,
  to_number: Schema.String,
  valid_from: LocalDate,
  valid_to: LocalDate
})
export type GrantedRange = typeof GrantedRange.Type
