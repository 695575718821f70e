import { Schema } from "effect"
import { field } from "./Field.ts"
import { Instant } from "./Money.ts"

export const pageSizeDefault = 10
export const pageSizeMax = 100

/**
 * The maximum total size of the objects on a page, in bytes. A page ends early to stay within this size, but holds at
 * least one object.
 */
export const pageBytesMax = 1_000_000

/**
 * A page of a list, newest first. `has_more`: more objects follow in the requested direction. A page may be shorter
 * than `limit`.
 */
export const Page = <S extends Schema.Top>(item: S, identifier: string) =>
  Schema.Struct({
    object: Schema.Literal("list"),
    url: field(Schema.String, "Path of the list.", "/v1/…"),
    has_more: field(
      Schema.Boolean,
      "`true` if more objects follow this page. A page has fewer objects than `limit` if it would exceed 1 MB."
    ),
    data: Schema.Array(item)
  }).annotate({ identifier, description: "A page of a list. If `has_more` is true, more objects follow." })

/**
 * The query of a list: `limit` 1..100 (default 10), and at most one of the two cursors. Any id with the list's prefix
 * is a valid cursor: ids sort by creation time, so a page can begin at a deleted object.
 *
 * @param kind the prefix of the ids
 * @param end the part of an id after its 26 characters, as a regular expression
 */
export const pageQuery = (kind: string, end = "") => {
  const cursor = Schema.String.check(
    Schema.isPattern(new RegExp(`^${kind}_[0-9a-hjkmnp-tv-z]{26}${end}$`, "u"), {
      errorCode: "invalid_cursor",
      message: `must be the id of an object of this list, which begins with ${kind}_`
    })
  )
  return { ...limitQuery, ...cursors(cursor) }
}

const limitQuery = {
  limit: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^([1-9]|[1-9]\d|100)$/u, { message: `must be a whole number from 1 to ${pageSizeMax}` })
    )
  ).annotateKey({
    description: "Maximum number of objects on a page: 1 to 100, by default 10.",
    examples: ["10"]
  })
}

const cursors = (cursor: Schema.String) => ({
  starting_after: field(
    Schema.optionalKey(cursor),
    "Id of the last object of a page, to get the next page. The object may have been deleted."
  ),
  ending_before: field(Schema.optionalKey(cursor), "Id of the first object of a page, to get the previous page.")
})

/** The query parameters that filter a list by time of creation. */
export const createdQuery = {
  "created[gte]": field(Schema.optionalKey(Instant), "Filter by time of creation: this time or later."),
  "created[lte]": field(Schema.optionalKey(Instant), "Filter by time of creation: this time or earlier.")
}

export interface PageRequest {
  readonly limit: number
  readonly cursor: { readonly direction: "after" | "before"; readonly id: string } | null
}
