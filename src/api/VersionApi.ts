import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { VersionList } from "../../schemas/Version.ts"
import { Errors } from "./ErrorApi.ts"

export class VersionsApi extends HttpApiGroup.make("versions")
  .add(
    HttpApiEndpoint.get("listVersions", "/v1/versions", { success: VersionList })
      .annotate(OpenApi.Summary, "List API versions")
      .annotate(
        OpenApi.Description,
        "Lists the API versions, newest first. The request needs no API key. To choose a version, send the header Svc-Version. By default, Folio uses the default version of the account."
      )
  )
  .middleware(Errors)
  .annotate(OpenApi.Title, "Versions")
  .annotate(OpenApi.Description, "Dated API versions.") {}
