import { Effect, type Option, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { ApiError } from "../../../schemas/ApiError.ts"
import { pageBytesMax, type pageQuery, type PageRequest, pageSizeDefault } from "../../../schemas/Page.ts"
import { CurrentPrincipal, type Principal } from "../../api/Authorization.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"
import { inSlices } from "../../database/Slices.ts"
import type { Rows } from "../../database/Pages.ts"

/** A request whose path names an object. */
export interface Named {
  readonly params: { readonly id: string }
}

/** Makes a decoder of ids that fails with `resource_missing` for an id without the form of its kind. */
export const makeIdOf =
  <Id extends string>(noun: string, schema: Schema.Codec<Id, string>) =>
  (id: string) =>
    Effect.mapError(Schema.decodeEffect(schema)(id), () => ApiError.missing(noun, id))

/** Makes a reader of the rows that paths name. The reader fails with `resource_missing`. */
export const makeFind = <Row>(
  noun: string,
  read: (principal: Principal, id: string) => Effect.Effect<Option.Option<Row>>
) =>
  Effect.fnUntraced(function* (id: string) {
    const row = yield* read(yield* CurrentPrincipal, id)
    return yield* Effect.mapError(Effect.fromOption(row), () => ApiError.missing(noun, id))
  })

type Query = Schema.Struct.Type<ReturnType<typeof pageQuery>>

export const conflict = (param: string, other: string) =>
  ApiError.fromViolations([
    violation(
      param,
      "parameter_conflict",
      `${other} and ${param} exclude each other; send only one of them.`,
      "exclusive"
    )
  ])

/** The page request of a query. Fails with `parameter_conflict` if the query names two cursors. */
export const pageRequest = (query: Query): Effect.Effect<PageRequest, ApiError> => {
  const limit = query.limit === undefined ? pageSizeDefault : Number(query.limit)
  const { ending_before: before, starting_after: after } = query
  if (after !== undefined && before !== undefined) return Effect.fail(conflict("ending_before", "starting_after"))
  if (after !== undefined) return Effect.succeed({ limit, cursor: { direction: "after", id: after } })
  if (before !== undefined) return Effect.succeed({ limit, cursor: { direction: "before", id: before } })
  return Effect.succeed({ limit, cursor: null })
}

/**
 * Makes a function that returns whether the page has room for one more object within `pageBytesMax`. The first object
 * always fits.
 */
export const makeRoom = () => {
  let bytes = 0
  return (object: unknown): boolean => {
    const isFirst = bytes === 0
    bytes += Buffer.byteLength(JSON.stringify(object))
    return isFirst || bytes <= pageBytesMax
  }
}

export const timeOf = (text: string | undefined) => (text === undefined ? null : new Date(text))

/** A page of rows as the API shows it. */
export const pageView = <Row, View>(url: string, { has_more, rows }: Rows<Row>, view: (row: Row) => View) => ({
  object: "list" as const,
  url,
  has_more,
  data: rows.map(view)
})

/** Reads the page of a query and returns it as the API shows it. */
export const readPage = Effect.fn("readPage")(function* <Row, View>(
  url: string,
  query: Query,
  read: (principal: Principal, page: PageRequest) => Effect.Effect<Rows<Row>, ApiError, CurrentPrincipal>,
  view: (row: Row) => View
) {
  return pageView(url, yield* read(yield* CurrentPrincipal, yield* pageRequest(query)), view)
})

/** Writes a page as JSON object by object. Yields the event loop between objects, because a page may have megabytes. */
export const writePage = <S extends Schema.Codec<unknown, unknown>, Row>(
  item: S,
  url: string,
  { has_more, rows }: Rows<Row>,
  view: (row: Row) => S["Type"]
) => {
  const encode = Schema.encodeEffect(item)
  return Effect.map(
    Effect.orDie(inSlices(rows, (row) => Effect.map(encode(view(row)), (encoded) => JSON.stringify(encoded)))),
    (data) => {
      const start = JSON.stringify({ object: "list", url, has_more }).slice(0, -1)
      return HttpServerResponse.text(`${start},"data":[${data.join(",")}]}`, { contentType: "application/json" })
    }
  )
}
