import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { currentVersion, type VersionList, versions } from "../../../schemas/Version.ts"
import { Api } from "../../api/Api.ts"
import { ServiceInfo } from "../../runtime/ServiceInfo.ts"

const list = (service_version: string): VersionList => ({
  object: "list",
  url: "/v1/versions",
  has_more: false,
  service_version,
  data: versions.toReversed().map((version) => ({ object: "version", version, is_current: version === currentVersion }))
})

export const layer = HttpApiBuilder.group(
  Api,
  "versions",
  Effect.fn(function* (handlers) {
    const { version } = yield* ServiceInfo
    return handlers.handleAll({ listVersions: () => Effect.succeed(list(version)) })
  })
)
