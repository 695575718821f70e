import { Schema } from "effect"
import { field } from "./Field.ts"
import { Instant } from "./Money.ts"

export const pageSizeDefault = 10
export const pageSizeMax = 100

/**
 * The largest size of the objects on a page together, in bytes. A page ends early to stay within this size, but holds at least
 * one object.
 */
export const pageBytesMax = 1_000_000

/**
 * A page of a list, newest first. `has_more` tells that more objects follow this page in the requested direction. A page may be
 * shorter than `limit`.
 */
export const Page = <S extends Schema.Top>(item: S, identifier: string) =>
  Schema.Struct({
    object: Schema.Literal("list"),
    url: field(Schema.String, "The path at which this list is found.", "/v1/…"),
    has_more: field(
      Schema.Boolean,
      "`true` when more objects follow this page. A page holds fewer objects than `limit` when it would be larger than 1 MB."
    ),
    data: Schema.Array(item)
  }).annotate({ identifier, description: "A page of a list; `has_more` tells whether more objects follow." })

/**
 * The query of a list: `limit` 1..100 (default 10), and at most one of the two cursors. A cursor is any id of the list's kind: ids sort by
 * creation, so a page can begin at an object that was deleted meanwhile.
 *
 * @param kind the prefix of the ids
 * @param end what an id has after its 26 characters, as a regular expression
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
    description: "The largest number of objects on a page: 1 to 100, 10 when left out.",
    examples: ["10"]
  })
}

const cursors = (cursor: Schema.String) => ({
  starting_after: field(
    Schema.optionalKey(cursor),
    "The id of the last object of a page: the answer is the page that follows it, also when the object was deleted meanwhile."
  ),
  ending_before: field(
    Schema.optionalKey(cursor),
    "The id of the first object of a page: the answer is the page that comes before it."
  )
})

/** The part of a query that limits a list to objects created within a time. */
export const createdQuery = {
  "created[gte]": field(Schema.optionalKey(Instant), "Only objects created at this time or later."),
  "created[lte]": field(Schema.optionalKey(Instant), "Only objects created at this time or earlier.")
}

export interface PageRequest {
  readonly limit: number
  readonly cursor: { readonly direction: "after" | "before"; readonly id: string } | null
}
