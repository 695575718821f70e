import { Effect } from "effect"
import { firstMoment, inZone, lastMoment, timestamp } from "../../runtime/AuthorityTime.ts"
import { type Html, html, type Part } from "../../http/pages/Html.ts"
import { type Column, emptyState, table } from "./Parts.ts"
import type { Refusal } from "./Refusal.ts"
import type { Visit } from "./Visit.ts"

/** The API query for the objects of one day in the authority's time zone ("2026-11-21"). Empty if the day is empty. */
export const ofDay = (day: string): Readonly<Record<string, string>> =>
  day === "" ? {} : { "created[gte]": firstMoment(day), "created[lte]": lastMoment(day) }

/**
 * Converts a typed time ("2026-11-21T10:42") in the authority's time zone to the API's form. Undefined if it is empty.
 */
export const momentOf = (typed: string): string | undefined =>
  typed === "" ? undefined : inZone(/T\d\d:\d\d$/.test(typed) ? `${typed}:00` : typed)

/** The value of a form field for a time: "2026-11-21T10:42" in the authority's time zone. */
export const typedOf = (moment: Date): string => timestamp(moment.getTime()).slice(0, 16)

/** A list of the API. */
export interface Listed<A> {
  readonly data: ReadonlyArray<A>
  readonly has_more: boolean
}

/** The page of an API list that the portal page's query selects. */
export const listed = <A>(
  { get, query }: Visit,
  path: string,
  limit: number,
  filter: Readonly<Record<string, string | undefined>> = {}
) =>
  get<Listed<A>>(path, {
    ...filter,
    starting_after: query.get("after") ?? undefined,
    ending_before: query.get("after") === null ? (query.get("before") ?? undefined) : undefined,
    limit: String(limit)
  })

/** Links to the previous and next pages of the list at `path`. `listed` reads the list. */
export const pager = <A extends { readonly id: string }>(
  { query, t, to }: Pick<Visit, "query" | "t" | "to">,
  path: string,
  { data, has_more }: Listed<A>
): Html => {
  const others = Object.fromEntries([...query].filter(([name]) => !["after", "before", "notice"].includes(name)))
  const isBackward = query.get("after") === null && query.has("before")
  const hasNext = isBackward || has_more
  const hasBefore = isBackward ? has_more : query.has("after")
  if (!hasBefore && !hasNext) return html``
  return html`<nav class="pager" aria-label="${t("List pages", "Páginas de la lista")}">
    ${hasBefore ? html`<a class="b" rel="prev" href="${to(path, { ...others, before: data[0]?.id })}">${t("Newer", "Más recientes")}</a>` : null}
    ${hasNext ? html`<a class="b" rel="next" href="${to(path, { ...others, after: data.at(-1)?.id })}">${t("Older", "Más antiguos")}</a>` : null}
  </nav>`
}

/** A list as a table with its pager, or `nothing` if the list is empty. */
export const listTable = <A extends { readonly id: string }>(
  visit: Pick<Visit, "query" | "t" | "to">,
  path: string,
  list: Listed<A>,
  {
    caption,
    columns,
    nothing = null
  }: {
    readonly caption: string
    readonly columns: ReadonlyArray<Column<A>>
    readonly nothing?: Html | null
  }
): Html =>
  html`${list.data.length === 0 && nothing !== null ? nothing : table(caption, columns, list.data)}
  ${pager(visit, path, list)}`

/** A list, and the API's error if it rejected the filter. */
export interface Asked<A> {
  readonly list: Listed<A>
  readonly refusal: Refusal | undefined
}

/** The list for the page's filter. If the API rejects the filter, the list is empty and `refusal` holds the error. */
export const asked = <A>(...of: Parameters<typeof listed>): Effect.Effect<Asked<A>, Refusal> =>
  listed<A>(...of).pipe(
    Effect.map((list): Asked<A> => ({ list, refusal: undefined })),
    Effect.catchIf(
      ({ status }) => status === 400,
      (refusal) => Effect.succeed<Asked<A>>({ list: { data: [], has_more: false }, refusal })
    )
  )

/** The text of a list whose filter matches nothing. */
export const noneFits = ({ t, to }: Visit, path: string, title: string): Html =>
  emptyState(title, html`<a href="${to(path)}">${t("Show all", "Ver todo")}</a>`)

/** A form that filters a list. It opens the first page of the list. */
export const filterForm = ({ t, to }: Visit, path: string, fields: Part, isFiltered: boolean): Html =>
  html`<form method="get" action="${to(path)}" class="filters">
    ${fields}
    <button>${t("Filter", "Filtrar")}</button>
    ${isFiltered ? html`<a href="${to(path)}">${t("Show all", "Ver todo")}</a>` : null}
  </form>`
