import { Schema, SchemaTransformation, Struct } from "effect"
import { HttpApiMiddleware, HttpApiSchema } from "effect/http-api"
import { ApiError } from "../../schemas/ApiError.ts"
import { ErrorCode, errorCodes } from "../../schemas/ErrorCode.ts"
import { ErrorBody } from "../../schemas/ErrorBody.ts"

const statuses = [...new Set(Object.values(errorCodes).map((entry) => entry.status))].toSorted((a, b) => a - b)

export const codesOf = (status: number) => ErrorCode.literals.filter((code) => errorCodes[code].status === status)

const isKnown = Schema.is(ErrorCode)

const details = ["param", "errors", "has_more_errors"] as const

/**
 * Decodes an error body to an `ApiError`. The encoder leaves the request id and the documentation link empty; the
 * server fills them in.
 */
const onWire = (status: number) =>
  ErrorBody.pipe(
    Schema.decodeTo(
      Schema.instanceOf(ApiError).check(
        Schema.makeFilter((error: ApiError) => error.status === status, { expected: `an error of status ${status}` })
      ),
      SchemaTransformation.transform({
        decode: ({ error }) =>
          new ApiError({
            // A later release can add codes. An unknown code becomes the first code of the same status.
            code: isKnown(error.code) ? error.code : (codesOf(status)[0] ?? "internal_error"),
            message: isKnown(error.code) ? error.message : `${error.code}: ${error.message}`,
            ...Struct.pick(error, details)
          }),
        encode: (error) => ({
          error: {
            type: errorCodes[error.code].type,
            doc_url: "",
            request_id: "",
            ...Struct.pick(error, ["code", "message", ...details])
          }
        })
      })
    ),
    HttpApiSchema.status(status)
  ).annotate({ description: codesOf(status).join(", ") })

/** The example error of a code, as a client receives it. */
export const errorExample = (code: ErrorCode, baseUrl: string) => {
  const { example, type } = errorCodes[code]
  return {
    error: {
      type,
      code,
      message: example.message,
      doc_url: `${baseUrl}/docs/errors/${code}`,
      request_id: "req_01k9z3v8c2m4n6p8q0r2s4t6v8",
      ...(example.param === undefined ? {} : { param: example.param })
    }
  }
}

/** The outermost middleware of every endpoint: converts each failure to an error body. */
export class Errors extends HttpApiMiddleware.Service<Errors>()("folio/api/Errors", {
  error: statuses.map(onWire)
}) {}
