import { Effect, type Schema } from "effect"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { EmailRequest } from "../../../schemas/Email.ts"
import type { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import type { InvoiceQuery } from "../../../schemas/Invoice.ts"
import type { noteQuery } from "../../../schemas/Note.ts"
import { CurrentPrincipal } from "../../api/Authorization.ts"
import { documentKinds, isOfKind } from "../../../schemas/DocumentKinds.ts"
import { FileLinks, type Links } from "../../invoices/store/FileLinks.ts"
import type { InvoiceFilter } from "../../invoices/store/InvoiceFilter.ts"
import { Invoices, type ShownInvoice } from "../../invoices/store/Invoices.ts"
import { makeAskAbout } from "../request/Ask.ts"
import { makeFind, type Named, pageRequest, pageView, timeOf, writePage } from "../request/Paging.ts"
import { type EmailListQuery, makeListEmails } from "./EmailRoutes.ts"

type Query = Schema.Struct.Type<typeof InvoiceQuery> & Schema.Struct.Type<ReturnType<typeof noteQuery>>

const filterOf = (kind: DocumentKind, query: Query): InvoiceFilter => ({
  kind,
  invoice_id: query.invoice_id ?? null,
  status: query.status ?? null,
  customer_id: query.customer_id ?? null,
  ids: null,
  full_numbers: query.full_number === undefined ? null : [query.full_number],
  cufe: null,
  external_id: query.external_id ?? null,
  metadata: query.metadata ?? {},
  from: timeOf(query["created[gte]"]),
  to: timeOf(query["created[lte]"])
})

/** Makes the handlers of all document kinds. An id of another kind fails with `resource_missing`. */
export const makeDocumentHandlers = Effect.fnUntraced(function* <S extends Schema.Codec<unknown, unknown>>(
  kind: DocumentKind,
  shown: S,
  view: (row: ShownInvoice, links: Links) => S["Type"]
) {
  const { noun, path } = documentKinds[kind]
  const invoices = yield* Invoices
  const links = yield* FileLinks
  const listEmails = yield* makeListEmails
  const idOf = (id: string) => (isOfKind(kind, id) ? Effect.succeed(id) : Effect.fail(ApiError.missing(noun, id)))
  const askAbout = yield* makeAskAbout(idOf)
  const findAny = makeFind(noun, invoices.find)
  const find = (id: string) => Effect.flatMap(idOf(id), findAny)

  return {
    list: Effect.fn("listDocuments")(function* ({ query }: { readonly query: Query }) {
      const rows = yield* invoices.list(yield* CurrentPrincipal, yield* pageRequest(query), filterOf(kind, query))
      const linksOf = yield* links.inAnswers
      return yield* writePage(shown, path, rows, (row) => view(row, linksOf(row)))
    }),
    retrieve: Effect.fn("retrieveDocument")(function* ({ params }: Named) {
      const row = yield* find(params.id)
      return view(row, (yield* links.inAnswers)(row))
    }),
    cancel: ({ params }: Named) => askAbout(params.id, (actor, about) => actor.CancelInvoice(about)),
    retry: ({ params }: Named) => askAbout(params.id, (actor, about) => actor.RetryInvoice(about)),
    /** `askAbout` for an id of this kind. */
    correct: askAbout,
    timeline: Effect.fn("retrieveTimeline")(function* ({ params }: Named) {
      const entries = yield* invoices.timeline(yield* CurrentPrincipal, yield* idOf(params.id))
      if (entries.rows.length === 0) return yield* ApiError.missing(noun, params.id)
      return pageView(`${path}/${params.id}/timeline`, entries, (entry) => entry)
    }),
    sendEmail: ({ params, payload }: Named & { readonly payload: EmailRequest }) =>
      askAbout(params.id, (actor, about) => actor.SendEmail({ ...about, request: payload })),
    emails: ({ params: { id }, query }: Named & { readonly query: EmailListQuery }) =>
      listEmails({ id, query, url: `${path}/${id}/emails`, found: find(id) })
  }
})
