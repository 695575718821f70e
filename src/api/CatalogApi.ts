import { Schema } from "effect"
import { CatalogItem, catalogNames } from "../../schemas/Catalog.ts"
import { Page } from "../../schemas/Page.ts"
import { getIfChanged, group } from "./Endpoint.ts"

export class CatalogsApi extends group(
  "catalogs",
  "Catalogs",
  "Catalogs of the codes for requests.",
  getIfChanged("retrieveCatalog", "/v1/catalogs/:catalog", {
    params: {
      catalog: Schema.String.annotate({
        description: `Name of the catalog: ${catalogNames.join(", ")}.`,
        examples: ["unidad-medida"]
      })
    },
    success: Page(CatalogItem, "Catalog"),
    summary: "Retrieve a catalog",
    description:
      "Returns a list of the tax authority's codes for requests. You can cache the response for 24 hours. If you send `If-None-Match` and your copy is current, Folio returns 304."
  })
) {}
