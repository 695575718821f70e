import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { hash } from "node:crypto"
import { ApiError } from "../../../schemas/ApiError.ts"
import { type CatalogName, catalogNames, catalogs } from "../../../schemas/Catalog.ts"
import { Api } from "../../api/Api.ts"
import { holds } from "../request/Accept.ts"
import { withBody } from "../request/Pipeline.ts"

const cacheSeconds = 86_400

/** Responses and ETags of the catalogs, made once, because catalogs don't change within a release. */
const rendered = new Map(
  catalogNames.map((name: CatalogName) => {
    const data = catalogs[name].map((entry) => ({ object: "catalog_item", ...entry }))
    const body = JSON.stringify({ object: "list", url: `/v1/catalogs/${name}`, has_more: false, data })
    return [name as string, { body, etag: `"${hash("sha256", body, "hex").slice(0, 32)}"` }]
  })
)

const missing = (name: string) =>
  new ApiError({
    code: "resource_missing",
    message: `There is no catalog ${JSON.stringify(name.slice(0, 64))}. The catalogs are ${catalogNames.join(", ")}.`
  })

export const layer = HttpApiBuilder.group(Api, "catalogs", (handlers) =>
  withBody(handlers).handleAll({
    retrieveCatalog: ({ headers, params }) => {
      const catalog = rendered.get(params.catalog)
      if (catalog === undefined) return Effect.fail(missing(params.catalog))
      const cache = { ETag: catalog.etag, "Cache-Control": `private, max-age=${cacheSeconds}` }
      return Effect.succeed(
        holds(headers["if-none-match"], catalog.etag)
          ? HttpServerResponse.empty({ status: 304, headers: cache })
          : HttpServerResponse.text(catalog.body, { contentType: "application/json", headers: cache })
      )
    }
  })
)
