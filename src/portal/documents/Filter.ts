import { Effect } from "effect"
import { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import { type InvoiceStatus, invoiceStatuses } from "../../../schemas/Invoice.ts"
import type { Resolution } from "../../../schemas/Resolution.ts"
import { firstMoment, lastMoment } from "../../runtime/AuthorityTime.ts"
import type { DocumentFilter } from "../../invoices/store/InvoiceFilter.ts"
import type { PageRequest } from "../../../schemas/Page.ts"
import type { Listed } from "../frame/Lists.ts"
import type { Visit } from "../frame/Visit.ts"

/** The filter of the list, as its form shows it. */
export interface Asked {
  readonly search: string
  readonly status: InvoiceStatus | null
  readonly kind: DocumentKind | null
  /** The first and the last day, YYYY-MM-DD in the authority's time zone. Empty for no limit. */
  readonly from: string
  readonly to: string
  readonly customer: string | null
}

export const kinds = DocumentKind.literals

const oneOf = <A extends string>(known: ReadonlyArray<A>, value: string | null): A | null =>
  known.find((each) => each === value) ?? null

const dayOf = (value: string | null): string =>
  value !== null && /^(19|2\d)\d\d-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(`${value}T00:00:00Z`))
    ? value
    : ""

const searchMax = 600

/** Reads the filter from a query. Ignores invalid values. */
export const askedOf = (query: URLSearchParams): Asked => {
  const customer = query.get("customer") ?? ""
  return {
    search: (query.get("q") ?? "")
      .replaceAll(/[\u0000-\u001f\u007f]/g, " ")
      .trim()
      .slice(0, searchMax),
    status: oneOf(invoiceStatuses, query.get("status")),
    kind: oneOf(kinds, query.get("kind")),
    from: dayOf(query.get("from")),
    to: dayOf(query.get("to")),
    customer: /^cust_\w{1,60}$/.test(customer) ? customer : null
  }
}

/** The query of a filter, for links. */
export const queryOf = ({ customer, from, kind, search, status, to }: Asked) => ({
  q: search,
  status: status ?? "",
  kind: kind ?? "",
  from,
  to,
  customer: customer ?? ""
})

/** Whether the filter is empty. */
export const isEverything = (asked: Asked): boolean => Object.values(queryOf(asked)).every((value) => value === "")

const idForm = /^(inv|cn|dn)_[0-9a-z]{26}$/

/** The page of the list in a query. */
export const pageOfQuery = (query: URLSearchParams, limit: number): PageRequest => {
  const [after, before] = [query.get("after") ?? "", query.get("before") ?? ""]
  if (idForm.test(after)) return { limit, cursor: { direction: "after", id: after } }
  return { limit, cursor: idForm.test(before) ? { direction: "before", id: before } : null }
}

const idsMax = 1_000

/** The valid ids in a query, at most 1,000. */
export const idsOf = (named: ReadonlyArray<string>): ReadonlyArray<string> =>
  named.slice(0, idsMax).filter((id) => idForm.test(id))

/** The meaning of a search. `exact`: a value that at most one document of each kind has. */
type Meaning =
  | { readonly exact: true; readonly filter: Pick<DocumentFilter, "ids" | "full_numbers" | "cufe"> }
  | { readonly exact: false; readonly metadata: Readonly<Record<string, string>> }

const none = { ids: null, full_numbers: null, cufe: null }
const meant = (filter: Partial<DocumentFilter>): Meaning => ({ exact: true, filter: { ...none, ...filter } })

const metadataOf = (search: string) => {
  const [key = "", ...rest] = search.split("=")
  return { [key.trim().slice(0, 40)]: rest.join("=").trim().slice(0, 500) }
}

/** The prefixes of the account's ranges and counters, for numbers typed without a prefix. */
const prefixes = Effect.fnUntraced(function* ({ get }: Visit) {
  const lists = yield* Effect.forEach([undefined, "credit_note", "debit_note"], (document_type) =>
    get<Listed<Resolution>>("/v1/resolutions", { limit: "100", document_type })
  )
  return [...new Set(lists.flatMap(({ data }) => data.map(({ prefix }) => prefix)))]
})

const meaningOf = Effect.fnUntraced(function* (visit: Visit, search: string) {
  if (idForm.test(search.toLowerCase())) return meant({ ids: [search.toLowerCase()] })
  if (/^[0-9a-f]{96}$/i.test(search)) return meant({ cufe: search.toLowerCase() })
  if (search.includes("=")) return { exact: false, metadata: metadataOf(search) } as const
  const close = search.replaceAll(/[\s.]+/g, "")
  const numbers = [search, close, close.toUpperCase(), close.replaceAll("-", "").toUpperCase()]
  const withPrefix = /^\d{1,18}$/.test(close) ? (yield* prefixes(visit)).map((prefix) => prefix + close) : []
  return meant({ full_numbers: [...new Set([...numbers, ...withPrefix])] })
})

/** The documents of the filter, and whether the search names one document. */
export const filterOf = Effect.fnUntraced(function* (visit: Visit, asked: Asked) {
  const { customer, from, kind, search, status, to } = asked
  const meaning: Meaning | null = search === "" ? null : yield* meaningOf(visit, search)
  const filter: DocumentFilter = {
    ...none,
    invoice_id: null,
    external_id: null,
    kind,
    status,
    customer_id: customer,
    metadata: {},
    from: from === "" ? null : new Date(firstMoment(from)),
    to: to === "" ? null : new Date(lastMoment(to)),
    ...(meaning === null ? {} : meaning.exact ? meaning.filter : { metadata: meaning.metadata })
  }
  return { filter, isExact: meaning !== null && meaning.exact }
})
