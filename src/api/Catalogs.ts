import { Schema } from "effect"
import { CatalogItem, catalogNames } from "../../schemas/Catalog.ts"
import { Page } from "../../schemas/Page.ts"
import { getIfChanged, group } from "./Endpoint.ts"

export class CatalogsApi extends group(
  "catalogs",
  "Catalogs",
  "Catalogs of the codes that requests carry.",
  getIfChanged("retrieveCatalog", "/v1/catalogs/:catalog", {
    params: {
      catalog: Schema.String.annotate({
        description: `The name of the catalog: ${catalogNames.join(", ")}.`,
        examples: ["unidad-medida"]
      })
    },
    success: Page(CatalogItem, "Catalog"),
    summary: "Retrieve a catalog of codes",
    description:
      "The codes of the tax authority that requests carry. The answer may be cached for 24 hours; a request with `If-None-Match` is answered with 304 when the client's copy is current."
  })
) {}
