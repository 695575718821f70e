import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { ApiError } from "../../schemas/ApiError.ts"
import { pageBytesMax, type PageRequest, pageSizeDefault } from "../../schemas/Page.ts"
import { inTurns } from "../protocol/Turns.ts"

/** The page a query asks for. */
export const pageRequest = (query: {
  readonly limit?: string
  readonly starting_after?: string
  readonly ending_before?: string
}): Effect.Effect<PageRequest, ApiError> => {
  const limit = query.limit === undefined ? pageSizeDefault : Number(query.limit)
  const { ending_before: before, starting_after: after } = query
  if (after !== undefined && before !== undefined) {
    return Effect.fail(
      new ApiError({
        code: "parameter_conflict",
        message: "starting_after and ending_before exclude each other; send only one of them.",
        param: "ending_before"
      })
    )
  }
  if (after !== undefined) return Effect.succeed({ limit, cursor: { direction: "after", id: after } })
  if (before !== undefined) return Effect.succeed({ limit, cursor: { direction: "before", id: before } })
  return Effect.succeed({ limit, cursor: null })
}

/** Tells of each object of a page, from the one next to the cursor on, whether it still has room in an answer. */
export const makeRoom = () => {
  let bytes = 0
  return (object: unknown): boolean => {
    const isFirst = bytes === 0
    bytes += Buffer.byteLength(JSON.stringify(object))
    return isFirst || bytes <= pageBytesMax
  }
}

/** A page of rows as the API shows it. */
export const pageView = <Row, View>(
  url: string,
  rows: { readonly rows: ReadonlyArray<Row>; readonly has_more: boolean },
  view: (row: Row) => View
) => ({ object: "list" as const, url, has_more: rows.has_more, data: rows.rows.map(view) })

/** The same, written object by object: a page may hold megabytes, and others are served meanwhile. */
export const writePage = <S extends Schema.Codec<unknown, unknown>, Row>(
  item: S,
  url: string,
  rows: { readonly rows: ReadonlyArray<Row>; readonly has_more: boolean },
  view: (row: Row) => S["Type"]
) => {
  const encode = Schema.encodeEffect(item)
  return Effect.map(
    Effect.orDie(inTurns(rows.rows, (row) => Effect.map(encode(view(row)), (encoded) => JSON.stringify(encoded)))),
    (data) => {
      const start = JSON.stringify({ object: "list", url, has_more: rows.has_more }).slice(0, -1)
      return HttpServerResponse.text(`${start},"data":[${data.join(",")}]}`, { contentType: "application/json" })
    }
  )
}
