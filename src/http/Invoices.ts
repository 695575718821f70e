import { Clock, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ApiError, toldViolations, type Violation } from "../../schemas/ApiError.ts"
import { Api } from "../api/Api.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import { localDate } from "../domain/AuthorityTime.ts"
import { isOfKind } from "../domain/DocumentKinds.ts"
import { invoiceViolations } from "../domain/LocalRules.ts"
import { Customers } from "../store/Customers.ts"
import { FileLinks } from "../store/FileLinks.ts"
import { Invoices } from "../store/Invoices.ts"
import { invoiceView } from "../store/InvoiceViews.ts"
import { prefixViolations, Resolutions } from "../store/Resolutions.ts"
import { makeAsk } from "./Ask.ts"
import { filterOf, makeTimeline } from "./Documents.ts"
import { makeListEmails } from "./Emails.ts"
import { pageRequest, pageView } from "./Paging.ts"

const nobody = (customer_id: string): Violation => {
  const { code, message } = ApiError.missing("customer", customer_id)
  return { param: "customer_id", code, message }
}

/** An id that is one of a note is no invoice's. */
const named = (id: string) =>
  isOfKind("invoice", id) ? Effect.succeed(id) : Effect.fail(ApiError.missing("invoice", id))

export const layer = HttpApiBuilder.group(
  Api,
  "invoices",
  Effect.fn(function* (handlers) {
    const customers = yield* Customers
    const invoices = yield* Invoices
    const links = yield* FileLinks
    const resolutions = yield* Resolutions
    const ask = yield* makeAsk
    const listEmails = yield* makeListEmails
    return handlers.handleAll({
      createInvoice: ({ payload }) => ask((account, context) => account.CreateInvoice({ context, request: payload })),
      validateInvoice: Effect.fn("validateInvoice")(function* ({ payload }) {
        const principal = yield* CurrentPrincipal
        const customer = yield* customers.find(principal, payload.customer_id)
        const errors = [
          ...(Option.isSome(customer) ? [] : [nobody(payload.customer_id)]),
          ...invoiceViolations(payload, localDate(yield* Clock.currentTimeMillis)),
          ...(yield* prefixViolations(resolutions, principal, payload))
        ]
        return { object: "validation" as const, valid: errors.length === 0, errors: toldViolations(errors) }
      }),
      listInvoices: Effect.fn("listInvoices")(function* ({ query }) {
        const rows = yield* invoices.list(
          yield* CurrentPrincipal,
          yield* pageRequest(query),
          filterOf("invoice", query)
        )
        const linksOf = yield* links.inAnswers
        return pageView("/v1/invoices", rows, (row) => invoiceView(row, linksOf(row)))
      }),
      sendInvoiceEmail: ({ params, payload }) =>
        Effect.flatMap(named(params.id), (id) =>
          ask((account, context) => account.SendEmail({ context, id, request: payload }))
        ),
      listInvoiceEmails: Effect.fn("listInvoiceEmails")(function* ({ params: { id }, query }) {
        const found = Effect.map(invoices.find(yield* CurrentPrincipal, id), Option.isSome)
        const exists = isOfKind("invoice", id) ? found : Effect.succeed(false)
        return yield* listEmails({ id, query, url: `/v1/invoices/${id}/emails`, what: "invoice", exists })
      }),
      cancelInvoice: ({ params }) =>
        Effect.flatMap(named(params.id), (id) => ask((account, context) => account.CancelInvoice({ context, id }))),
      retryInvoice: ({ params }) =>
        Effect.flatMap(named(params.id), (id) => ask((account, context) => account.RetryInvoice({ context, id }))),
      annulInvoice: ({ params, payload }) =>
        ask((account, context) => account.AnnulInvoice({ context, id: params.id, request: payload })),
      retrieveInvoiceTimeline: yield* makeTimeline("invoice"),
      retrieveInvoice: Effect.fn("retrieveInvoice")(function* ({ params }) {
        const found = yield* invoices.find(yield* CurrentPrincipal, yield* named(params.id))
        const row = yield* Effect.mapError(Effect.fromOption(found), () => ApiError.missing("invoice", params.id))
        return invoiceView(row, (yield* links.inAnswers)(row))
      })
    })
  })
)
