import { Schema, Struct } from "effect"
import rows from "./errorCodes.json" with { type: "json" }

export const ErrorCode = Schema.Literals(Struct.keys(rows))
export type ErrorCode = typeof ErrorCode.Type

const Row = Schema.Struct({
  status: Schema.Int,
  type: Schema.Literals([
    "invalid_request_error",
    "idempotency_error",
    "authentication_error",
    "permission_error",
    "rate_limit_error",
    "api_error"
  ]),
  help: Schema.String,
  example: Schema.Struct({ request: Schema.String, message: Schema.String, param: Schema.optionalKey(Schema.String) })
})

/**
 * Every error code of the API with its HTTP status, class, help text and example: a request that fails, and the message
 * and parameter of its error. The server, the OpenAPI document and the pages under `/docs/errors/` use this table.
 */
export const errorCodes = Schema.decodeUnknownSync(Schema.Record(ErrorCode, Row))(rows)
