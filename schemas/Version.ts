import { Schema } from "effect"
import { field } from "./Field.ts"

/** The dated versions of the API, oldest first. A new account defaults to the last version. */
export const versions = ["2026-01-01"] as const

export const Version = Schema.Literals(versions).annotate({
  identifier: "Version",
  description:
    "The dated version of the interface that the request and its answer are written in, such as 2026-01-01. Without this header, the default version of the account."
})
export type Version = typeof Version.Type

/** The answer of `GET /v1/versions`. */
export class VersionList extends Schema.Opaque<VersionList>()(
  Schema.Struct({
    object: Schema.Literal("list"),
    url: field(Schema.String, "The path at which this list is found.", "/v1/versions"),
    has_more: Schema.Literal(false),
    service_version: field(
      Schema.String,
      "The version of the service, with the commit that it was made from as its build.",
      "0.1.0+abc1234"
    ),
    data: Schema.Array(
      Schema.Struct({ object: Schema.Literal("version"), version: Version, is_current: Schema.Boolean }).annotate({
        identifier: "VersionItem",
        description: "A dated version of the interface."
      })
    )
  }).annotate({ identifier: "VersionList", description: "The versions of the interface, newest first." })
) {}

export const currentVersion: Version = "2026-01-01"
