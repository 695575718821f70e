import { Schema } from "effect"

export const pageSizeDefault = 10
export const pageSizeMax = 100

/** A list, newest first. `has_more` says that there are more beyond this page in the direction asked for. */
export const Page = <S extends Schema.Top>(item: S, identifier: string) =>
  Schema.Struct({
    object: Schema.Literal("list"),
    url: Schema.String,
    has_more: Schema.Boolean,
    data: Schema.Array(item)
  }).annotate({ identifier })

/** The query of a list: `limit` 1..100 (default 10), and at most one of the two cursors, each an id of the list. */
export const PageQuery = {
  limit: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^([1-9]|[1-9]\d|100)$/u, { message: `must be a whole number from 1 to ${pageSizeMax}` })
    )
  ),
  starting_after: Schema.optionalKey(Schema.String),
  ending_before: Schema.optionalKey(Schema.String)
}

export interface PageRequest {
  readonly limit: number
  readonly cursor: { readonly direction: "after" | "before"; readonly id: string } | null
}
