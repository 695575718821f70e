import { Clock, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ApiError, type Violation } from "../../schemas/ApiError.ts"
import type { InvoiceStatus } from "../../schemas/Invoice.ts"
import { Api } from "../api/Api.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import { localDate } from "../domain/AuthorityTime.ts"
import { invoiceViolations } from "../domain/LocalRules.ts"
import { Customers } from "../store/Customers.ts"
import { type InvoiceFilter, Invoices, invoiceView } from "../store/Invoices.ts"
import { timelineMax, Timelines } from "../store/Timelines.ts"
import { makeAsk } from "./Ask.ts"
import { makeListEmails } from "./Emails.ts"
import { pageRequest, pageView } from "./Paging.ts"

const timeOf = (text: string | undefined) => (text === undefined ? null : new Date(text))

const filterOf = (query: {
  readonly status?: InvoiceStatus
  readonly customer_id?: string
  readonly full_number?: string
  readonly "created[gte]"?: string
  readonly "created[lte]"?: string
}): InvoiceFilter => ({
  status: query.status ?? null,
  customer_id: query.customer_id ?? null,
  full_number: query.full_number ?? null,
  from: timeOf(query["created[gte]"]),
  to: timeOf(query["created[lte]"])
})

const nobody = (customer_id: string): Violation => {
  const { code, message } = ApiError.missing("customer", customer_id)
  return { param: "customer_id", code, message }
}

export const layer = HttpApiBuilder.group(
  Api,
  "invoices",
  Effect.fn(function* (handlers) {
    const customers = yield* Customers
    const invoices = yield* Invoices
    const timelines = yield* Timelines
    const ask = yield* makeAsk
    const listEmails = yield* makeListEmails
    return handlers.handleAll({
      createInvoice: ({ payload }) => ask((account, context) => account.CreateInvoice({ context, request: payload })),
      validateInvoice: Effect.fn("validateInvoice")(function* ({ payload }) {
        const customer = yield* customers.find(yield* CurrentPrincipal, payload.customer_id)
        const errors = [
          ...(Option.isSome(customer) ? [] : [nobody(payload.customer_id)]),
          ...invoiceViolations(payload, localDate(yield* Clock.currentTimeMillis))
        ]
        return { object: "validation" as const, valid: errors.length === 0, errors }
      }),
      listInvoices: Effect.fn("listInvoices")(function* ({ query }) {
        const rows = yield* invoices.list(yield* CurrentPrincipal, yield* pageRequest(query), filterOf(query))
        return pageView("/v1/invoices", rows, invoiceView)
      }),
      cancelInvoice: ({ params }) => ask((account, context) => account.CancelInvoice({ context, id: params.id })),
      retryInvoice: ({ params }) => ask((account, context) => account.RetryInvoice({ context, id: params.id })),
      sendInvoiceEmail: ({ params, payload }) =>
        ask((account, context) => account.SendEmail({ context, id: params.id, request: payload })),
      listInvoiceEmails: Effect.fn("listInvoiceEmails")(function* ({ params: { id }, query }) {
        const exists = Effect.map(invoices.find(yield* CurrentPrincipal, id), Option.isSome)
        return yield* listEmails({ id, query, url: `/v1/invoices/${id}/emails`, what: "invoice", exists })
      }),
      retrieveInvoiceTimeline: Effect.fn("retrieveInvoiceTimeline")(function* ({ params }) {
        const entries = yield* timelines.ofInvoice(yield* CurrentPrincipal, params.id)
        if (entries.length === 0) return yield* ApiError.missing("invoice", params.id)
        return {
          object: "list" as const,
          url: `/v1/invoices/${params.id}/timeline`,
          has_more: entries.length > timelineMax,
          data: entries.slice(0, timelineMax)
        }
      }),
      retrieveInvoice: Effect.fn("retrieveInvoice")(function* ({ params }) {
        const row = yield* invoices.find(yield* CurrentPrincipal, params.id)
        return invoiceView(yield* Effect.mapError(Effect.fromOption(row), () => ApiError.missing("invoice", params.id)))
      })
    })
  })
)
