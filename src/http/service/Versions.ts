import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { currentVersion, type VersionList, versions } from "../../../schemas/Version.ts"
import { Api } from "../../api/Api.ts"

const list: VersionList = {
  object: "list",
  url: "/v1/versions",
  has_more: false,
  data: versions.toReversed().map((version) => ({ object: "version", version, is_current: version === currentVersion }))
}

export const layer = HttpApiBuilder.group(Api, "versions", (handlers) =>
  handlers.handleAll({ listVersions: () => Effect.succeed(list) })
)
