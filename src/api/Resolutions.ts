import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Page, PageQuery } from "../../schemas/Page.ts"
import { Resolution, ResolutionRequest, ResolutionUpdate } from "../../schemas/Resolution.ts"
import { Authorization } from "./Authorization.ts"
import { Conventions, honouredKeyHeaders, IdempotencyKey, requiredKeyHeaders, versionHeader } from "./Conventions.ts"
import { Errors } from "./Errors.ts"

const item = "/v1/resolutions/:id"
const params = { id: Schema.String }
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
  )
  .add(
    HttpApiEndpoint.get("listResolutions", "/v1/resolutions", {
      headers: versionHeader,
      query: PageQuery,
      success: Page(Resolution, "ResolutionPage")
    }).annotate(OpenApi.Summary, "List numbering ranges, newest first")
  )
  .add(
    HttpApiEndpoint.get("retrieveResolution", item, { headers: versionHeader, params, success: Resolution }).annotate(
      OpenApi.Summary,
      "Retrieve a numbering range, and how much of it is left"
    )
  )
  .add(
    HttpApiEndpoint.patch("updateResolution", item, update)
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Activate or deactivate a range, or extend its validity")
  )
  .add(
    HttpApiEndpoint.post("updateResolutionByPost", item, update)
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Change a range: the same as PATCH")
  )
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Resolutions") {}
