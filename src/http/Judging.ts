import { Context, Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import type { Validation } from "../../schemas/Validation.ts"
import { Judging, Rules } from "../api/Conventions.ts"
import { schemaViolations } from "./SchemaErrors.ts"

const isBody = (error: unknown): error is HttpApiError.HttpApiSchemaError =>
  HttpApiError.HttpApiSchemaError.is(error) && error.kind === "Payload"

// JSON that is no such body is judged like one that breaks a rule. What is no JSON has failed before.
export const layer = Layer.succeed(
  Judging,
  (handler, { endpoint }) =>
    Effect.catchIf(handler as Effect.Effect<HttpServerResponse.HttpServerResponse, unknown>, isBody, (error) => {
      const errors = schemaViolations(error, Context.get(endpoint.annotations, Rules))
      const verdict: Validation = { object: "validation", valid: false, errors }
      return Effect.succeed(HttpServerResponse.text(JSON.stringify(verdict), { contentType: "application/json" }))
    }) as never
)
