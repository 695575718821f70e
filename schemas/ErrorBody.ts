import { Schema } from "effect"
import { hasMoreErrors, Violation } from "./ApiError.ts"

/** The body of an error response. */
export class ErrorBody extends Schema.Opaque<ErrorBody>()(
  Schema.Struct({
    error: Schema.Struct({
      type: Schema.String,
      code: Schema.String,
      message: Schema.String,
      doc_url: Schema.String,
      request_id: Schema.String,
      param: Schema.optionalKey(Schema.String),
      errors: Schema.optionalKey(Schema.Array(Violation)),
      has_more_errors: hasMoreErrors
    })
  }).annotate({
    identifier: "Error",
    description: "An error: why Folio rejected the request or failed, and what to do."
  })
) {}
