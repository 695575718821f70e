import { Schema } from "effect"
import { ResolutionId } from "./Id.ts"
import { LocalDate, Timestamp } from "./Money.ts"

const documentNumberMax = 9_999_999_999

const numberRange = { message: `must be a whole number from 1 to ${documentNumberMax}` }
const DocumentNumber = Schema.Number.check(
  Schema.isInt(numberRange),
  Schema.isBetween({ minimum: 1, maximum: documentNumberMax }, numberRange)
)

const fields = {
  number: Schema.String.check(
    Schema.isPattern(/^\d{1,20}$/u, { message: "must be the resolution's number: 1 to 20 digits" })
  ),
  prefix: Schema.String.check(
    Schema.isPattern(/^[A-Z0-9]{0,4}$/u, {
      message: "must be at most 4 capital letters and digits, or empty where the authority gave none"
    })
  ),
  from_number: DocumentNumber,
  to_number: DocumentNumber,
  valid_from: LocalDate,
  valid_to: LocalDate,
  technical_key: Schema.String.check(
    Schema.isPattern(/^[0-9a-fA-F]{40}$/u, { message: "must be the 40 hex digits that the authority gave" })
  )
}

const document_type = Schema.Literal("invoice").annotate({ message: 'must be "invoice"' })

/** A numbering range as the authority granted it. `next_number` is where to begin when a part has been used elsewhere. */
export class ResolutionRequest extends Schema.Opaque<ResolutionRequest>()(
  Schema.Struct({
    ...fields,
    document_type: Schema.optionalKey(document_type),
    next_number: Schema.optionalKey(DocumentNumber)
  }).annotate({ identifier: "ResolutionRequest" })
) {}

/** What may change of a range. The rest stands in documents. */
export class ResolutionUpdate extends Schema.Opaque<ResolutionUpdate>()(
  Schema.Struct({
    is_active: Schema.optionalKey(Schema.Boolean),
    valid_to: Schema.optionalKey(LocalDate)
  }).annotate({ identifier: "ResolutionUpdate" })
) {}

export const ResolutionStatus = Schema.Literals(["active", "exhausted", "expired", "inactive"]).annotate({
  identifier: "ResolutionStatus"
})
export type ResolutionStatus = typeof ResolutionStatus.Type

/** A numbering range. `status` is `active` exactly when invoices can be numbered from it today. */
export class Resolution extends Schema.Opaque<Resolution>()(
  Schema.Struct({
    id: ResolutionId,
    object: Schema.Literal("resolution"),
    livemode: Schema.Boolean,
    number: Schema.String,
    document_type,
    prefix: Schema.String,
    from_number: Schema.Int,
    to_number: Schema.Int,
    valid_from: Schema.String,
    valid_to: Schema.String,
    technical_key: Schema.String,
    is_active: Schema.Boolean,
    next_number: Schema.Int,
    remaining: Schema.Int,
    status: ResolutionStatus,
    created_at: Timestamp
  }).annotate({ identifier: "Resolution" })
) {}
