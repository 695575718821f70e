import { Effect } from "effect"
import { ApiError } from "../../schemas/ApiError.ts"
import type { DocumentKind } from "../../schemas/FiscalDocument.ts"
import type { InvoiceStatus } from "../../schemas/Invoice.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import { documentKinds, isOfKind } from "../domain/DocumentKinds.ts"
import type { InvoiceFilter } from "../store/InvoiceFilter.ts"
import { Timelines } from "../store/Timelines.ts"
import { pageView } from "./Paging.ts"

const timeOf = (text: string | undefined) => (text === undefined ? null : new Date(text))

/** The query of a list of invoices, or of notes. */
export interface DocumentQuery {
  readonly limit?: string
  readonly starting_after?: string
  readonly ending_before?: string
  readonly status?: InvoiceStatus
  readonly customer_id?: string
  readonly invoice_id?: string
  readonly full_number?: string
  readonly "created[gte]"?: string
  readonly "created[lte]"?: string
}

export const filterOf = (kind: DocumentKind, query: DocumentQuery): InvoiceFilter => ({
  kind,
  invoice_id: query.invoice_id ?? null,
  status: query.status ?? null,
  customer_id: query.customer_id ?? null,
  full_number: query.full_number ?? null,
  from: timeOf(query["created[gte]"]),
  to: timeOf(query["created[lte]"])
})

/** What answers with the timeline of a document of this kind. */
export const makeTimeline = (kind: DocumentKind) =>
  Effect.map(Timelines, (timelines) => {
    const { noun, path } = documentKinds[kind]
    return Effect.fn("retrieveTimeline")(function* ({ params }: { readonly params: { readonly id: string } }) {
      if (!isOfKind(kind, params.id)) return yield* ApiError.missing(noun, params.id)
      const entries = yield* timelines.ofInvoice(yield* CurrentPrincipal, params.id)
      if (entries.rows.length === 0) return yield* ApiError.missing(noun, params.id)
      return pageView(`${path}/${params.id}/timeline`, entries, (entry) => entry)
    })
  })
