import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Page, PageQuery } from "../../schemas/Page.ts"
import { Resolution, ResolutionImport, ResolutionRequest, ResolutionUpdate } from "../../schemas/Resolution.ts"
import { Authorization } from "./Authorization.ts"
import { Conventions, honouredKeyHeaders, IdempotencyKey, requiredKeyHeaders, versionHeader } from "./Conventions.ts"
import { Errors } from "./Errors.ts"

const item = "/v1/resolutions/:id"
const params = { id: Schema.String.annotate({ description: "The id of the object." }) }
const update = { headers: honouredKeyHeaders, params, payload: ResolutionUpdate, success: Resolution }

export class ResolutionsApi extends HttpApiGroup.make("resolutions")
  .add(
    HttpApiEndpoint.post("createResolution", "/v1/resolutions", {
      headers: requiredKeyHeaders,
      payload: ResolutionRequest,
      success: Resolution.pipe(HttpApiSchema.status(201))
    })
      .annotate(IdempotencyKey, "required")
      .annotate(OpenApi.Summary, "Register a numbering range that the authority granted")
      .annotate(
        OpenApi.Description,
        "Invoices are numbered from the ranges of the account, without gaps. No two ranges may share a full number, prefix and number together."
      )
  )
  .add(
    HttpApiEndpoint.post("importResolutions", "/v1/resolutions/import", {
      headers: requiredKeyHeaders,
      success: ResolutionImport
    })
      .annotate(IdempotencyKey, "required")
      .annotate(OpenApi.Summary, "Register the ranges that the authority has for this issuer and this service")
      .annotate(
        OpenApi.Description,
        "For live keys. Answers with the authority's ranges as they are registered now. One of which a part was used elsewhere is registered by hand, with `next_number`."
      )
  )
  .add(
    HttpApiEndpoint.get("listResolutions", "/v1/resolutions", {
      headers: versionHeader,
      query: PageQuery,
      success: Page(Resolution, "ResolutionPage")
    })
      .annotate(OpenApi.Summary, "List numbering ranges, newest first")
      .annotate(OpenApi.Description, "Go on with `starting_after`, the id of the last one, while `has_more` is true.")
  )
  .add(
    HttpApiEndpoint.get("retrieveResolution", item, { headers: versionHeader, params, success: Resolution })
      .annotate(OpenApi.Summary, "Retrieve a numbering range, and how much of it is left")
      .annotate(OpenApi.Description, "`remaining` says how many numbers are left.")
  )
  .add(
    HttpApiEndpoint.patch("updateResolution", item, update)
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Activate or deactivate a range, or extend its validity")
      .annotate(OpenApi.Description, "The numbers themselves never change: they stand in documents.")
  )
  .add(
    HttpApiEndpoint.post("updateResolutionByPost", item, update)
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Change a range: the same as PATCH")
      .annotate(OpenApi.Description, "For clients that cannot send PATCH.")
  )
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Resolutions")
  .annotate(OpenApi.Description, "Numbering ranges that the authority granted.") {}
