import { Effect, Result } from "effect"
import { firstMoment, inZone, lastMoment, timestamp } from "../../domain/documents/AuthorityTime.ts"
import type { Html } from "../../http/pages/Html.ts"
import { html } from "../../http/pages/Html.ts"
import { cursors, type Listed } from "./Parts.ts"
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

/** A list that was asked for, and why the API refused to give it, if it did. */
export interface Asked<A> {
  readonly list: Listed<A>
  readonly refusal: Refusal | undefined
}

/** The objects of a list for the page's query. A filter that the API does not take makes the list empty, and the refusal says why. */
export const asked = Effect.fnUntraced(function* <A>(
  visit: Visit,
  path: string,
  filter: Readonly<Record<string, string | undefined>>,
  limit: number
) {
  const query = { ...filter, ...cursors(visit), limit: String(limit) }
  const found = yield* Effect.result(visit.get<Listed<A>>(path, query))
  if (Result.isSuccess(found)) return { list: found.success, refusal: undefined } satisfies Asked<A> as Asked<A>
  if (found.failure.status !== 400) return yield* found.failure
  return { list: { data: [], has_more: false }, refusal: found.failure } satisfies Asked<A> as Asked<A>
})

/** A form that filters a list: it goes to the list's own address, without the place in the list. */
export const filterForm = ({ t, to }: Visit, path: string, fields: ReadonlyArray<Html>, isFiltered: boolean): Html =>
  html`<form method="get" action="${to(path)}" class="filters">
    ${fields}
    <button>${t("Filter", "Filtrar")}</button>
    ${isFiltered ? html`<a href="${to(path)}">${t("Show all", "Ver todo")}</a>` : null}
  </form>`
