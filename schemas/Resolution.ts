import { Schema } from "effect"
import { field } from "./Field.ts"
import { DocumentKind } from "./FiscalDocument.ts"
import { ResolutionId } from "./Id.ts"
import { wholeNumber } from "./Limits.ts"
import { LocalDate, Timestamp } from "./Money.ts"
import { pageQuery } from "./Page.ts"

export const RangeNumber = wholeNumber(1, 9_999_999_999)

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

export const ResolutionNumber = Schema.String.check(
  Schema.isPattern(/^\d{1,20}$/u, { message: "must be the resolution's number: 1 to 20 digits" })
)

export const RangeTechnicalKey = Schema.String.check(
  Schema.isPattern(/^[0-9a-fA-F]{40}$/u, { message: "must be the 40 hex digits that the authority gave" })
)

const document_type = DocumentKind.annotate({ message: `must be one of ${DocumentKind.literals.join(", ")}` })

/** The fields of the authority's grant, which a range of invoices has and a range of notes has not. */
export const grantedFields = ["number", "from_number", "to_number", "valid_from", "valid_to", "technical_key"] as const

/** The fields that a request for this range must have: all of the grant for invoices. */
const requiredOf = (range: { readonly document_type?: unknown }): ReadonlyArray<string> =>
  range.document_type === undefined || range.document_type === "invoice" ? grantedFields : []

const ofInvoices = (description: string) =>
  `${description} Required for a range of invoices, and not sent for one of notes.`

const required = <S extends Schema.Top>(
  schema: S,
  [description, example]: readonly [description: string, example: S["Type"]]
) => field(Schema.optionalKey(schema), ofInvoices(description), example)

export class ResolutionRequest extends Schema.Opaque<ResolutionRequest>()(
  Schema.Struct({
    number: required(ResolutionNumber, granted.number),
    prefix: field(Prefix, ...granted.prefix),
    from_number: required(RangeNumber, granted.from_number),
    to_number: required(RangeNumber, granted.to_number),
    valid_from: required(LocalDate, granted.valid_from),
    valid_to: required(LocalDate, granted.valid_to),
    technical_key: required(RangeTechnicalKey, granted.technical_key),
    document_type: field(
      Schema.optionalKey(document_type),
      "The kind of document that the range numbers; left out, `invoice`. A range of `credit_note` or `debit_note` is the account's own choice: the authority grants none, and an account that registers none has its notes numbered `NC1`, `ND1` and so on.",
      "invoice"
    ),
    next_number: field(
      Schema.optionalKey(RangeNumber),
      "The first number to give, when another system has used the numbers before it. A range of notes begins at 1 without it.",
      1
    )
  }).annotate({
    needs: requiredOf,
    identifier: "ResolutionRequest",
    description:
      "A numbering range: one of invoices as the tax authority granted it, or one of notes with its prefix and its next number alone."
  })
) {}

/** The fields of a range that a client may change. The other fields appear in documents and never change. */
export class ResolutionUpdate extends Schema.Opaque<ResolutionUpdate>()(
  Schema.Struct({
    is_active: Schema.optionalKey(Schema.Boolean),
    valid_to: Schema.optionalKey(LocalDate)
  }).annotate({
    identifier: "ResolutionUpdate",
    description: "The fields of a numbering range to change.",
    examples: [{ is_active: false }]
  })
) {}

export const ResolutionStatus = Schema.Literals(["active", "exhausted", "expired", "inactive"]).annotate({
  identifier: "ResolutionStatus",
  description: "The state of the range: `active` when documents can take numbers from it today."
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

const shown = ([description, example]: readonly [description: string, example: string]) =>
  field(Schema.optionalKey(Schema.String), `${description} Absent for a range of notes.`, example)

/** A numbering range. `status` is `active` exactly when documents can be numbered from it today. */
export class Resolution extends Schema.Opaque<Resolution>()(
  Schema.Struct({
    id: ResolutionId,
    object: Schema.Literal("resolution"),
    livemode: field(Schema.Boolean, "`true` for a range of the live mode."),
    number: shown(granted.number),
    document_type: field(document_type, "The kind of document that the range numbers.", "invoice"),
    prefix: field(Schema.String, ...granted.prefix),
    from_number: field(Schema.Int, ...granted.from_number),
    to_number: field(Schema.Int, ...granted.to_number),
    valid_from: shown(granted.valid_from),
    valid_to: shown(granted.valid_to),
    technical_key: shown(granted.technical_key),
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

/** The query of numbering ranges. */
export const ResolutionQuery = {
  ...pageQuery("res"),
  document_type: field(
    Schema.optionalKey(document_type),
    "Only the ranges of this kind of document, for notes also the counter that the service made. Left out, all ranges that were registered."
  )
}

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
