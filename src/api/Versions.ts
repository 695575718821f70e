import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { VersionList } from "../../schemas/Version.ts"
import { Errors } from "./Errors.ts"

export class VersionsApi extends HttpApiGroup.make("versions")
  .add(
    HttpApiEndpoint.get("listVersions", "/v1/versions", { success: VersionList })
      .annotate(OpenApi.Summary, "List the dated versions of the interface, newest first; no API key needed")
      .annotate(
        OpenApi.Description,
        "A request chooses a version with the header Svc-Version. Without this header it uses the default version of the account."
      )
  )
  .middleware(Errors)
  .annotate(OpenApi.Title, "Versions")
  .annotate(OpenApi.Description, "Dated versions of the interface.") {}
