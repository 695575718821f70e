import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { CatalogItem, catalogNames } from "../../schemas/Catalog.ts"
import { Page } from "../../schemas/Page.ts"
import { Authorization } from "./Authorization.ts"
import { Conventions, versionHeader } from "./Conventions.ts"
import { Errors } from "./Errors.ts"

export class CatalogsApi extends HttpApiGroup.make("catalogs")
  .add(
    HttpApiEndpoint.get("retrieveCatalog", "/v1/catalogs/:catalog", {
      headers: {
        ...versionHeader,
        "if-none-match": Schema.optionalKey(Schema.String.annotate({ description: "The ETag of a copy you have." }))
      },
      params: { catalog: Schema.String.annotate({ description: `One of ${catalogNames.join(", ")}.` }) },
      success: Page(CatalogItem, "Catalog")
    })
      .annotate(OpenApi.Summary, "A table of codes, whole; good for 24 hours, with an ETag")
      .annotate(
        OpenApi.Description,
        "Requests carry these codes. With `If-None-Match` the answer may be 304, without a body."
      )
  )
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Catalogs")
  .annotate(OpenApi.Description, "Tables of codes.") {}
