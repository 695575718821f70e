import { Effect } from "effect"
import { firstMoment, inZone, lastMoment, timestamp } from "../../domain/documents/AuthorityTime.ts"
import { type Html, html, type Part } from "../../http/pages/Html.ts"
import { type Column, emptyState, table } from "./Parts.ts"
import type { Refusal } from "./Refusal.ts"
import type { Visit } from "./Visit.ts"

/** The query of the API for the objects of a day of the authority's zone ("2026-11-21"); nothing for an empty day. */
export const ofDay = (day: string): Readonly<Record<string, string>> =>
  day === "" ? {} : { "created[gte]": firstMoment(day), "created[lte]": lastMoment(day) }

/** A moment that somebody typed ("2026-11-21T10:42") in the authority's zone, as the API takes it; undefined for an empty one. */
export const momentOf = (typed: string): string | undefined =>
  typed === "" ? undefined : inZone(/T\d\d:\d\d$/.test(typed) ? `${typed}:00` : typed)

/** The value of a field for a moment of the API: "2026-11-21T10:42" in the authority's zone. */
export const typedOf = (moment: Date): string => timestamp(moment.getTime()).slice(0, 16)

/** A list of the API. */
export interface Listed<A> {
  readonly data: ReadonlyArray<A>
  readonly has_more: boolean
}

/** The part of a list of the API that the page's query asks for. */
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

/** The links to the pages before and after a page of the list at `path`, which `listed` found. */
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
  return html`<nav class="pager" aria-label="${t("Pages of the list", "Páginas de la lista")}">
    ${hasBefore ? html`<a class="b" rel="prev" href="${to(path, { ...others, before: data[0]?.id })}">${t("Newer", "Más recientes")}</a>` : null}
    ${hasNext ? html`<a class="b" rel="next" href="${to(path, { ...others, after: data.at(-1)?.id })}">${t("Older", "Más antiguos")}</a>` : null}
  </nav>`
}

/** A list as a table with its pager, or what is said when nothing is in it. */
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

/** A list that was asked for, and why the API refused to give it, if it did. */
export interface Asked<A> {
  readonly list: Listed<A>
  readonly refusal: Refusal | undefined
}

/** A list for the page's filter. A filter that the API does not take makes the list empty, and the refusal says why. */
export const asked = <A>(...of: Parameters<typeof listed>): Effect.Effect<Asked<A>, Refusal> =>
  listed<A>(...of).pipe(
    Effect.map((list): Asked<A> => ({ list, refusal: undefined })),
    Effect.catchIf(
      ({ status }) => status === 400,
      (refusal) => Effect.succeed<Asked<A>>({ list: { data: [], has_more: false }, refusal })
    )
  )

/** What a list says when its filter finds nothing. */
export const noneFits = ({ t, to }: Visit, path: string, title: string): Html =>
  emptyState(title, html`<a href="${to(path)}">${t("Show all", "Ver todo")}</a>`)

/** A form that filters a list: it goes to the list's own address, without the place in the list. */
export const filterForm = ({ t, to }: Visit, path: string, fields: Part, isFiltered: boolean): Html =>
  html`<form method="get" action="${to(path)}" class="filters">
    ${fields}
    <button>${t("Filter", "Filtrar")}</button>
    ${isFiltered ? html`<a href="${to(path)}">${t("Show all", "Ver todo")}</a>` : null}
  </form>`
