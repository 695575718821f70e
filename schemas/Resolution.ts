import { Schema } from "effect"
import { field } from "./Field.ts"
import { DocumentKind } from "./FiscalDocument.ts"
import { ResolutionId } from "./Id.ts"
import { wholeNumber } from "./Limits.ts"
import { LocalDate, Timestamp } from "./Money.ts"
import { pageQuery } from "./Page.ts"

export const RangeNumber = wholeNumber(1, 9_999_999_999)

/** The prefix of a range, as the authority granted it. Empty if the authority granted no prefix. */
export const Prefix = Schema.String.check(
  Schema.isPattern(/^[A-Z0-9]{0,4}$/u, {
    message: "must be at most 4 capital letters and digits, or empty where the authority gave none"
  })
)

/** The description and example of each field of the authority's grant, in requests and responses. */
const granted = {
  number: ["Number of the tax authority's resolution that grants the range.", "18764000001"],
  prefix: ["Prefix of each number in the range: letters and digits, or empty.", "FE"],
  from_number: ["First number of the range.", 1],
  to_number: ["Last number of the range.", 5_000],
  valid_from: ["First day of validity of the range, as YYYY-MM-DD.", "2026-01-19"],
  valid_to: ["Last day of validity of the range, as YYYY-MM-DD.", "2030-01-19"],
  technical_key: [
    "Technical key of the range: 40 hexadecimal digits from the tax authority. Each CUFE depends on it.",
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

/** The fields of the authority's grant. A range of notes has none of them. */
export const grantedFields = ["number", "from_number", "to_number", "valid_from", "valid_to", "technical_key"] as const

/** The required fields of a range: for invoices, all fields of the grant. */
const requiredOf = (range: { readonly document_type?: unknown }): ReadonlyArray<string> =>
  range.document_type === undefined || range.document_type === "invoice" ? grantedFields : []

const ofInvoices = (description: string) =>
  `${description} Required for a range of invoices. Omit it for a range of notes.`

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
      "Type of document that uses the range, by default `invoice`. Ranges for `credit_note` and `debit_note` are optional: the authority grants none, and without a range Folio numbers notes `NC1`, `ND1` and so on.",
      "invoice"
    ),
    next_number: field(
      Schema.optionalKey(RangeNumber),
      "First number that Folio assigns, if another system has used the earlier numbers. If omitted, a range of notes begins at 1.",
      1
    )
  }).annotate({
    needs: requiredOf,
    identifier: "ResolutionRequest",
    description:
      "A numbering range to register: for invoices, as the tax authority granted it; for notes, only the prefix and the next number."
  })
) {}

/** The fields of a range that a client may change. Documents contain the other fields, which never change. */
export class ResolutionUpdate extends Schema.Opaque<ResolutionUpdate>()(
  Schema.Struct({
    is_active: Schema.optionalKey(Schema.Boolean),
    valid_to: Schema.optionalKey(LocalDate)
  }).annotate({
    fixed: Object.keys(ResolutionRequest.fields),
    identifier: "ResolutionUpdate",
    description: "The fields of a numbering range to change.",
    examples: [{ is_active: false }]
  })
) {}

export const ResolutionStatus = Schema.Literals(["active", "exhausted", "expired", "inactive"]).annotate({
  identifier: "ResolutionStatus",
  description: "Status of the range: `active` if it can number documents today."
})
export type ResolutionStatus = typeof ResolutionStatus.Type

/** A warning before a range stops giving numbers. */
export class ResolutionWarning extends Schema.Opaque<ResolutionWarning>()(
  Schema.Struct({
    code: Schema.Literals(["few_numbers_left", "expires_soon"]),
    message: field(
      Schema.String,
      "Message for people: what will happen and what to do.",
      "12 of 5000 numbers are left. Ask the authority for another range and register it."
    )
  }).annotate({
    identifier: "ResolutionWarning",
    description:
      "A warning about the range. `few_numbers_left`: at most a tenth of the numbers is left. `expires_soon`: the range is valid for at most 30 more days."
  })
) {}

const shown = ([description, example]: readonly [description: string, example: string]) =>
  field(Schema.optionalKey(Schema.String), `${description} Absent for a range of notes.`, example)

/** A numbering range. `status` is `active` if and only if the range can number documents today. */
export class Resolution extends Schema.Opaque<Resolution>()(
  Schema.Struct({
    id: ResolutionId,
    object: Schema.Literal("resolution"),
    livemode: field(Schema.Boolean, "Mode of the range: `true` for live, `false` for test."),
    number: shown(granted.number),
    document_type: field(document_type, "Type of document that uses the range.", "invoice"),
    prefix: field(Schema.String, ...granted.prefix),
    from_number: field(Schema.Int, ...granted.from_number),
    to_number: field(Schema.Int, ...granted.to_number),
    valid_from: shown(granted.valid_from),
    valid_to: shown(granted.valid_to),
    technical_key: shown(granted.technical_key),
    is_active: field(Schema.Boolean, "Active state of the range: if `false`, Folio assigns no numbers from it.", true),
    next_number: field(Schema.Int, "Next number that Folio assigns.", 2),
    remaining: field(Schema.Int, "Count of numbers that are left in the range.", 4_999),
    status: ResolutionStatus,
    warnings: field(
      Schema.Array(ResolutionWarning),
      "Warnings before the range is exhausted or expires. Empty for an inactive range.",
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
    "Filter by document type. For notes, the list includes the counter that Folio created. If omitted, the list has all registered ranges."
  )
}

export class ResolutionImport extends Schema.Opaque<ResolutionImport>()(
  Schema.Struct({
    object: Schema.Literal("list"),
    url: field(Schema.String, "Path of the list.", "/v1/resolutions"),
    has_more: field(Schema.Boolean, "`true` if more objects follow this page."),
    data: Schema.Array(Resolution),
    skipped: Schema.Array(
      Schema.Struct({
        number: field(Schema.String, ...granted.number),
        prefix: field(Schema.String, "Prefix of the range.", "FE"),
        message: field(
          Schema.String,
          "Reason why Folio did not register the range, and what to do.",
          "technical_key must be the 40 hex digits that the authority gave."
        )
      })
    ).annotateKey({ description: "Ranges of the authority that Folio could not register." })
  }).annotate({
    identifier: "ResolutionImport",
    description:
      "The result of an import: the authority's ranges that are registered now, and the ranges that Folio could not register."
  })
) {}

/** The range of an invoice, as the authority granted it and as the invoice states it. */
export const GrantedRange = Schema.Struct({
  number: Schema.String,
  prefix: Schema.String,
  from_number: Schema.String,
  to_number: Schema.String,
  valid_from: LocalDate,
  valid_to: LocalDate
})
export type GrantedRange = typeof GrantedRange.Type
