import { Clock, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ApiError, type Violation } from "../../../schemas/ApiError.ts"
import { Invoice } from "../../../schemas/Invoice.ts"
import { Api } from "../../api/Api.ts"
import { CurrentPrincipal } from "../../api/Authorization.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"
import { Customers } from "../../store/accounts/Customers.ts"
import { invoiceView } from "../../store/documents/InvoiceViews.ts"
import { prefixViolations, Resolutions } from "../../store/accounts/Resolutions.ts"
import { makeAsk } from "../request/Ask.ts"
import { makeDocumentHandlers } from "./Documents.ts"
import { validationOf } from "../request/Validation.ts"

const nobody = (customer_id: string): Violation => {
  const { code, message } = ApiError.missing("customer", customer_id)
  return { param: "customer_id", code, message }
}

export const layer = HttpApiBuilder.group(
  Api,
  "invoices",
  Effect.fn(function* (handlers) {
    const customers = yield* Customers
    const { localDate, rules } = yield* NationalProfile
    const resolutions = yield* Resolutions
    const ask = yield* makeAsk
    const invoice = yield* makeDocumentHandlers("invoice", Invoice, invoiceView)
    return handlers.handleAll({
      createInvoice: ({ payload }) => ask((actor, context) => actor.CreateInvoice({ context, request: payload })),
      validateInvoice: Effect.fn("validateInvoice")(function* ({ payload }) {
        const principal = yield* CurrentPrincipal
        const customer = yield* customers.find(principal, payload.customer_id)
        const today = localDate(yield* Clock.currentTimeMillis)
        const errors = [
          ...(Option.isSome(customer) ? [] : [nobody(payload.customer_id)]),
          ...rules.invoice(payload, today),
          ...(yield* prefixViolations(resolutions, principal, payload))
        ]
        return validationOf(errors, rules.warnings?.(payload, today))
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
