import { Schema } from "effect"

export const pageSizeDefault = 10
export const pageSizeMax = 100

/** What the objects of a page come to at most, in bytes: a page ends early before it is larger, but never without one object. */
export const pageBytesMax = 1_000_000

/**
 * A list, newest first. `has_more` says that there are more beyond this page in the direction asked for, which may be shorter than
 * `limit`.
 */
export const Page = <S extends Schema.Top>(item: S, identifier: string) =>
  Schema.Struct({
    object: Schema.Literal("list"),
    url: Schema.String.annotateKey({ description: "The path of the list.", examples: ["/v1/…"] }),
    has_more: Schema.Boolean.annotateKey({
      description: "There are more beyond this page, which ends before `limit` where it would be larger than 1 MB."
    }),
    data: Schema.Array(item)
  }).annotate({ identifier })

/** The query of a list: `limit` 1..100 (default 10), and at most one of the two cursors, each an id of the list. */
export const PageQuery = {
  limit: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^([1-9]|[1-9]\d|100)$/u, { message: `must be a whole number from 1 to ${pageSizeMax}` })
    )
  ).annotateKey({ description: "Objects a page, at most: 1 to 100, 10 by default.", examples: ["10"] }),
  starting_after: Schema.optionalKey(Schema.String).annotateKey({ description: "The page after this id." }),
  ending_before: Schema.optionalKey(Schema.String).annotateKey({ description: "The page before this id." })
}

export interface PageRequest {
  readonly limit: number
  readonly cursor: { readonly direction: "after" | "before"; readonly id: string } | null
}
