import { Schema } from "effect"

/** The dated versions of the interface, oldest first. The last one is what a new account defaults to. */
export const versions = ["2026-01-01"] as const

export const Version = Schema.Literals(versions).annotate({
  identifier: "Version",
  description: "A dated version of the interface; left out, the account's default."
})
export type Version = typeof Version.Type

/** What `GET /v1/versions` answers. */
export class VersionList extends Schema.Opaque<VersionList>()(
  Schema.Struct({
    object: Schema.Literal("list"),
    url: Schema.String.annotateKey({ description: "The path of the list.", examples: ["/v1/versions"] }),
    has_more: Schema.Literal(false),
    data: Schema.Array(
      Schema.Struct({ object: Schema.Literal("version"), version: Version, is_current: Schema.Boolean }).annotate({
        identifier: "VersionItem",
        description: "A dated version of the interface."
      })
    )
  }).annotate({ identifier: "VersionList", description: "The versions, newest first." })
) {}

export const currentVersion: Version = "2026-01-01"
