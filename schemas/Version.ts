import { Schema } from "effect"
import { field } from "./Field.ts"

/** The dated versions of the API, oldest first. A new account defaults to the last version. */
export const versions = ["2026-01-01"] as const

export const Version = Schema.Literals(versions).annotate({
  identifier: "Version",
  description:
    "API version of the request and response: a date such as 2026-01-01. By default, the account's default version."
})
export type Version = typeof Version.Type

/** The response of `GET /v1/versions`. */
export class VersionList extends Schema.Opaque<VersionList>()(
  Schema.Struct({
    object: Schema.Literal("list"),
    url: field(Schema.String, "Path of the list.", "/v1/versions"),
    has_more: Schema.Literal(false),
    service_version: field(Schema.String, "Version of Folio, with the commit as its build metadata.", "0.1.0+abc1234"),
    data: Schema.Array(
      Schema.Struct({
        object: Schema.Literal("version"),
        version: Version,
        is_current: field(Schema.Boolean, "Whether the version is the newest one.", true)
      }).annotate({
        identifier: "VersionItem",
        description: "A dated API version."
      })
    )
  }).annotate({ identifier: "VersionList", description: "The API versions, newest first." })
) {}

export const currentVersion: Version = "2026-01-01"
