import { HttpServerResponse } from "effect/http"
import type { Violation } from "../../schemas/ApiError.ts"
import type { Validation } from "../../schemas/Validation.ts"
import { told } from "../domain/Violations.ts"

/** What a request is answered that asks what is wrong with its body. */
export const validationOf = (violations: ReadonlyArray<Violation>): Validation => ({
  object: "validation",
  valid: violations.length === 0,
  ...told(violations)
})

export const verdict = (violations: ReadonlyArray<Violation>): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(validationOf(violations)), { contentType: "application/json" })
