import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { VersionList } from "../../schemas/Version.ts"
import { Errors } from "./Errors.ts"

export class VersionsApi extends HttpApiGroup.make("versions")
  .add(
    HttpApiEndpoint.get("listVersions", "/v1/versions", { success: VersionList })
      .annotate(OpenApi.Summary, "The dated versions of the interface, newest first; no key needed")
      .annotate(OpenApi.Description, "A version is chosen by the header Svc-Version, or is the default of the account.")
  )
  .middleware(Errors)
  .annotate(OpenApi.Title, "Versions")
  .annotate(OpenApi.Description, "Dated versions of the interface.") {}
