import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Invoice } from "../../../schemas/Invoice.ts"
import { Api } from "../../api/Api.ts"
import { CurrentPrincipal } from "../../api/Authorization.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"
import { invoiceView } from "../../invoices/store/InvoiceViews.ts"
import { makeAsk } from "../request/Ask.ts"
import * as BodyChecks from "../request/BodyChecks.ts"
import { makeDocumentHandlers } from "./DocumentRoutes.ts"
import { validationOf } from "../request/Validation.ts"
import { withBody } from "../request/Pipeline.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "invoices",
  Effect.fn(function* (handlers) {
    const checks = yield* BodyChecks.make
    const { localDate, rules } = yield* NationalProfile
    const ask = yield* makeAsk
    const invoice = yield* makeDocumentHandlers("invoice", Invoice, invoiceView)
    return withBody(handlers).handleAll({
      createInvoice: ({ payload }) => ask((actor, context) => actor.CreateInvoice({ context, request: payload })),
      validateInvoice: Effect.fn("validateInvoice")(function* ({ payload }) {
        const principal = yield* CurrentPrincipal
        const today = localDate(yield* Clock.currentTimeMillis)
        return validationOf(yield* checks.whole("invoice", principal, payload), rules.warnings?.(payload, today))
      }),
      listInvoices: invoice.list,
      sendInvoiceEmail: invoice.sendEmail,
      listInvoiceEmails: invoice.emails,
      cancelInvoice: invoice.cancel,
      retryInvoice: invoice.retry,
      correctInvoice: ({ params, payload }) =>
        invoice.correct(params.id, (actor, about) => actor.CorrectInvoice({ ...about, request: payload })),
      annulInvoice: ({ params, payload }) =>
        ask((actor, context) => actor.AnnulInvoice({ context, id: params.id, request: payload })),
      retrieveInvoiceTimeline: invoice.timeline,
      retrieveInvoice: invoice.retrieve
    })
  })
)
