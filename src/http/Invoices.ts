import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ApiError } from "../../schemas/ApiError.ts"
import { Api } from "../api/Api.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import { Invoices, invoiceView } from "../store/Invoices.ts"
import { timelineMax, Timelines } from "../store/Timelines.ts"
import { makeAsk } from "./Ask.ts"
import { pageRequest, pageView } from "./Paging.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "invoices",
  Effect.fn(function* (handlers) {
    const invoices = yield* Invoices
    const timelines = yield* Timelines
    const ask = yield* makeAsk
    return handlers.handleAll({
      createInvoice: ({ payload }) => ask((account, context) => account.CreateInvoice({ context, request: payload })),
      listInvoices: Effect.fn("listInvoices")(function* ({ query }) {
        const rows = yield* invoices.list(yield* CurrentPrincipal, yield* pageRequest(query))
        return pageView("/v1/invoices", rows, invoiceView)
      }),
      cancelInvoice: ({ params }) => ask((account, context) => account.CancelInvoice({ context, id: params.id })),
      retryInvoice: ({ params }) => ask((account, context) => account.RetryInvoice({ context, id: params.id })),
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
