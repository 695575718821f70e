import { Schema, SchemaTransformation } from "effect"
import { HttpApiMiddleware, HttpApiSchema } from "effect/http-api"
import { ApiError } from "../../schemas/ApiError.ts"
import { type ErrorCode, errorCodes } from "../../schemas/ErrorCode.ts"
import { ErrorBody } from "../../schemas/ErrorBody.ts"

const statuses = [...new Set(Object.values(errorCodes).map((entry) => entry.status))].toSorted((a, b) => a - b)

const codesOf = (status: number) =>
  (Object.keys(errorCodes) as Array<ErrorCode>).filter((code) => errorCodes[code].status === status)

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(errorCodes, code)

/** The envelope on the wire read back as the error it was. The server writes it with the request's id and links filled in. */
const onWire = (status: number) =>
  ErrorBody.pipe(
    Schema.decodeTo(
      Schema.instanceOf(ApiError).check(
        Schema.makeFilter((error: ApiError) => error.status === status, { expected: `an error of status ${status}` })
      ),
      SchemaTransformation.transform({
        decode: ({ error: { code, errors, has_more_errors, message, param } }) =>
          new ApiError({
            // A later release may have codes that this one does not know: they are read as the first of their status.
            code: isKnown(code) ? code : (codesOf(status)[0] ?? "internal_error"),
            message: isKnown(code) ? message : `${code}: ${message}`,
            ...(param === undefined ? {} : { param }),
            ...(errors === undefined ? {} : { errors }),
            ...(has_more_errors === undefined ? {} : { has_more_errors })
          }),
        encode: ({ code, errors, has_more_errors, message, param }) => ({
          error: {
            type: errorCodes[code].type,
            code,
            message,
            doc_url: "",
            request_id: "",
            ...(param === undefined ? {} : { param }),
            ...(errors === undefined ? {} : { errors }),
            ...(has_more_errors === undefined ? {} : { has_more_errors })
          }
        })
      })
    ),
    HttpApiSchema.status(status)
  ).annotate({ description: codesOf(status).join(", ") })

/** Every endpoint may fail with `ApiError`; this outermost middleware writes the envelope. */
export class Errors extends HttpApiMiddleware.Service<Errors>()("folio/api/Errors", {
  error: statuses.map(onWire)
}) {}
