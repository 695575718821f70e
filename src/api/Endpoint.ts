import { Schema } from "effect"
import type { HttpMethod, HttpRouter } from "effect/http"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import {
  Conventions,
  Handling,
  type HandlingValues,
  honouredKeyHeaders,
  requiredKeyHeaders,
  versionHeader
} from "./Conventions.ts"
import { Errors } from "./ErrorApi.ts"

/** The request and response of an endpoint, and its texts in the OpenAPI document. */
interface Declaration<Params, Query, Payload, Success> {
  readonly params?: Params | undefined
  readonly query?: Query | undefined
  readonly payload?: Payload | undefined
  readonly success: Success
  readonly summary: string
  readonly description: string
  readonly handling?: Omit<HandlingValues, "idempotencyKey">
}

const endpoint =
  <const Method extends HttpMethod.HttpMethod, Headers extends Schema.Struct.Fields>(
    method: Method,
    idempotencyKey: HandlingValues["idempotencyKey"],
    headers: Headers
  ) =>
  <
    const Name extends string,
    const Path extends HttpRouter.PathInput,
    const Success extends Schema.Top | ReadonlyArray<Schema.Top>,
    Params extends Schema.Struct.Fields = never,
    Query extends Schema.Struct.Fields = never,
    Payload extends HttpApiEndpoint.PayloadConstraintCodecs<Method> = never
  >(
    name: Name,
    path: Path,
    { description, handling, summary, ...declaration }: Declaration<Params, Query, Payload, Success>
  ) =>
    HttpApiEndpoint.make(method)(name, path, { ...declaration, headers })
      .annotate(Handling, { idempotencyKey, ...handling })
      .annotateMerge(OpenApi.annotations({ summary, description }))

export const get = endpoint("GET", "ignored", versionHeader)

/** A GET whose response has an ETag, and is 304 if the client's copy is current. */
export const getIfChanged = endpoint("GET", "ignored", {
  ...versionHeader,
  "if-none-match": Schema.optionalKey(
    Schema.String.annotate({
      description: "ETag of your copy. If the copy is still current, Folio returns 304 without a body."
    })
  )
})

/** A POST without an idempotency key, because it changes nothing. */
export const postKeyless = endpoint("POST", "ignored", versionHeader)
export const post = endpoint("POST", "honoured", honouredKeyHeaders)
/** A POST that requires an idempotency key. */
export const postOnce = endpoint("POST", "required", requiredKeyHeaders)
export const patch = endpoint("PATCH", "honoured", honouredKeyHeaders)
/** A PUT, which creates or replaces an object and therefore needs no idempotency key. */
export const put = endpoint("PUT", "honoured", honouredKeyHeaders)
export const remove = endpoint("DELETE", "ignored", versionHeader)

export const params = { id: Schema.String.annotate({ description: "Id of the object." }) }

/** The path parameter of a party by its identification: `31-900000001`. */
export const identificationParams = {
  id: Schema.String.annotate({
    description: "Type and number of the identification, separated by a hyphen, without check digit.",
    examples: ["31-900000001"]
  })
}

export const created = HttpApiSchema.status(201)
export const accepted = HttpApiSchema.status(202)

/** The sentence about pages in the descriptions of lists. */
export const nextPage =
  "While `has_more` is true, send the id of the last object as `starting_after` to get the next page."

/** The description of an update by POST, which does the same as the PATCH. */
export const insteadOfPatch = "Does the same as PATCH. Use this request if your HTTP library cannot send PATCH."

/** A group of endpoints that all require an API key. */
export const group = <
  const Name extends string,
  const Endpoints extends readonly [HttpApiEndpoint.Constraint, ...ReadonlyArray<HttpApiEndpoint.Constraint>]
>(
  name: Name,
  title: string,
  description: string,
  ...endpoints: Endpoints
) =>
  HttpApiGroup.make(name)
    .add(...endpoints)
    .middleware(Conventions)
    .middleware(Authorization)
    .middleware(Errors)
    .annotateMerge(OpenApi.annotations({ title, description }))
