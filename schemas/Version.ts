import { Schema } from "effect"

/** The dated versions of the interface, oldest first. The last one is what a new account defaults to. */
export const versions = ["2026-01-01"] as const

export const Version = Schema.Literals(versions).annotate({
  identifier: "Version",
  description: "A dated version of the interface; left out, the account's default."
})
export type Version = typeof Version.Type

export const currentVersion: Version = "2026-01-01"
